//! What somebody names on the command line: `NAME`, `pvc/NAME`, `pvc NAME`, `pv/NAME`, `statefulset/NAME`.

use crate::conventions::object_command::command;
use crate::error::CommandError;

/// A thing to explain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// A claim by name.
    Claim(String),
    /// All claims.
    AllClaims,
    /// A pod by name.
    Pod(String),
    /// All pods that use claims.
    AllPods,
    /// A volume by name.
    Volume(String),
    /// All volumes.
    AllVolumes,
    /// The claims that a workload uses or would create.
    User { kind: &'static str, name: String },
}

/// What a word before a slash or a blank means.
enum TypeWord {
    Claim,
    Pod,
    Volume,
    User(&'static str),
}

fn find_type(word: &str) -> Option<TypeWord> {
    Some(match word.to_ascii_lowercase().as_str() {
        "pvc" | "pvcs" | "persistentvolumeclaim" | "persistentvolumeclaims" => TypeWord::Claim,
        "pv" | "persistentvolume" | "persistentvolumes" => TypeWord::Volume,
        "po" | "pod" | "pods" => TypeWord::Pod,
        "sts" | "statefulset" | "statefulsets" | "statefulset.apps" => {
            TypeWord::User("StatefulSet")
        }
        "deploy" | "deployment" | "deployments" | "deployment.apps" => TypeWord::User("Deployment"),
        "rs" | "replicaset" | "replicasets" => TypeWord::User("ReplicaSet"),
        "ds" | "daemonset" | "daemonsets" => TypeWord::User("DaemonSet"),
        "job" | "jobs" => TypeWord::User("Job"),
        "cj" | "cronjob" | "cronjobs" => TypeWord::User("CronJob"),
        _ => return None,
    })
}

/// Reads the arguments as kubectl does: `TYPE/NAME…`, `TYPE NAME…`, or names alone.
pub(super) fn parse(words: &[String]) -> Result<Vec<Target>, CommandError> {
    if let [first, rest @ ..] = words
        && !first.contains('/')
        && let Some(kind) = find_type(first)
    {
        return Ok(match (kind, rest) {
            (TypeWord::Claim, []) => vec![Target::AllClaims],
            (TypeWord::Claim, names) => names.iter().cloned().map(Target::Claim).collect(),
            (TypeWord::Pod, []) => vec![Target::AllPods],
            (TypeWord::Pod, names) => names.iter().cloned().map(Target::Pod).collect(),
            (TypeWord::Volume, []) => vec![Target::AllVolumes],
            (TypeWord::Volume, names) => names.iter().cloned().map(Target::Volume).collect(),
            (TypeWord::User(kind), []) => {
                return Err(CommandError::usage(format!(
                    "which {kind}? Name it: {}/NAME",
                    first.to_ascii_lowercase()
                )));
            }
            (TypeWord::User(kind), names) => names
                .iter()
                .map(|name| Target::User {
                    kind,
                    name: name.clone(),
                })
                .collect(),
        });
    }
    words.iter().map(|word| parse_word(word)).collect()
}

fn parse_word(word: &str) -> Result<Target, CommandError> {
    let Some((kind, name)) = word.split_once('/') else {
        return Ok(Target::Claim(word.to_owned()));
    };
    if name.is_empty() || name.contains('/') {
        return Err(CommandError::usage(format!("`{word}` is not TYPE/NAME")));
    }
    match find_type(kind) {
        Some(TypeWord::Claim) => Ok(Target::Claim(name.to_owned())),
        Some(TypeWord::Pod) => Ok(Target::Pod(name.to_owned())),
        Some(TypeWord::Volume) => Ok(Target::Volume(name.to_owned())),
        Some(TypeWord::User(kind)) => Ok(Target::User { kind, name: name.to_owned() }),
        None => Err(CommandError::usage(format!("`{kind}` cannot be explained")).with_hints([
            "a claim by NAME or pvc/NAME, a pod by pod/NAME, a volume by pv/NAME, or the claims of statefulset/NAME, deployment/NAME".to_owned(),
            format!("for claim {name} in namespace {kind}: {}", command(&["kubectl", "pv", "explain", name, "-n", kind])),
        ])),
    }
}

impl Target {
    /// Whether it is about volumes, which are answered for in another way than claims.
    pub(super) fn is_volume(&self) -> bool {
        matches!(self, Self::Volume(_) | Self::AllVolumes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Vec<Target> {
        parse(
            &words
                .iter()
                .map(|word| (*word).to_owned())
                .collect::<Vec<_>>(),
        )
        .unwrap()
    }

    #[test]
    fn types_and_names() {
        let claim = |name: &str| Target::Claim(name.to_owned());
        assert_eq!(
            parsed(&["data", "pvc/logs"]),
            [claim("data"), claim("logs")]
        );
        assert_eq!(
            parsed(&["pvc", "data", "logs"]),
            [claim("data"), claim("logs")]
        );
        assert_eq!(parsed(&["pvc"]), [Target::AllClaims]);
        assert_eq!(
            parsed(&["sts/web"]),
            [Target::User {
                kind: "StatefulSet",
                name: "web".into()
            }]
        );
        let volume = |name: &str| Target::Volume(name.to_owned());
        assert_eq!(
            parsed(&["pv/a", "persistentvolume/b"]),
            [volume("a"), volume("b")]
        );
        assert_eq!(parsed(&["pv", "a", "b"]), [volume("a"), volume("b")]);
        assert_eq!(parsed(&["persistentvolumes"]), [Target::AllVolumes]);
        assert!(parse(&["secret/x".to_owned()]).is_err());
        assert!(parse(&["pvc/".to_owned()]).is_err());
    }
}
