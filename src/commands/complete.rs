//! `kubectl_complete-pv`: what kubectl asks when somebody presses TAB. Quick, and silent on any error.
//!
//! kubectl calls it with the words after `kubectl pv`, the last of them unfinished, and reads one candidate a line and a
//! directive (`:4`, do not complete file names).

use super::{describe_class, explain, set, validate};
use crate::actions::{bind, provision, reclaim};
use crate::cli::Cli;
use crate::conventions::foreign::safe;
use crate::environment::Environment;
use crate::flags::{BACKEND_KINDS, ConnectionFlags};
use crate::load::client::Connection;
use crate::session::{connect_quietly, runtime};
use clap::CommandFactory;
use std::ffi::OsString;
use std::io::Write;
use std::time::Duration;

/// Longer than this nobody waits for a TAB.
const PATIENCE: Duration = Duration::from_millis(900);

/// What may stand at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Claims,
    Volumes,
    Namespaces,
    Classes,
    ConfigMaps,
    VolumeSets,
    Contexts,
    /// Kinds of storage, behind a provisioner's name.
    Backends,
    /// Subcommands, flags and their fixed values: clap knows them.
    Grammar,
    /// File names: the shell knows them.
    Files,
}

/// Prints the candidates for the last word.
pub(crate) fn run(words: &[String], environment: &Environment, to: &mut dyn Write) {
    let last = words.last().map_or("", String::as_str);
    let wanted = wanted(words);
    let candidates = match wanted {
        Wanted::Grammar => from_grammar(words),
        Wanted::Files => vec![],
        Wanted::Backends => backend_kinds(last),
        live => from_cluster(live, words, environment)
            .iter()
            .map(|name| safe(name).into_owned())
            .collect(),
    };
    // A reader that went away wants no completion.
    for candidate in candidates
        .iter()
        .filter(|candidate| candidate.starts_with(last))
    {
        let _ = writeln!(to, "{candidate}");
    }
    let directive = match wanted {
        Wanted::Files => 0,
        // A kind is followed by its target, without a space.
        Wanted::Backends => 6,
        _ => 4,
    };
    let _ = writeln!(to, ":{directive}");
}

fn wanted(words: &[String]) -> Wanted {
    let last = words.last().map_or("", String::as_str);
    let before = words
        .len()
        .checked_sub(2)
        .and_then(|index| words.get(index))
        .map_or("", String::as_str);
    match before {
        "-n" | "--namespace" => return Wanted::Namespaces,
        "--class" => return Wanted::Classes,
        "--volume" => return Wanted::Volumes,
        "--context" => return Wanted::Contexts,
        "-f" | "--filename" | "--with" | "--kubeconfig" | "--backends" => return Wanted::Files,
        "--backend" => return Wanted::Backends,
        _ => {}
    }
    if words.first().map(String::as_str) == Some(validate::NAME)
        && let Some((kind, _)) = last.split_once('/')
        && let Some(wanted) = validate::wanted_names(kind)
    {
        return wanted;
    }
    let is_name = words.len() > 1 && !last.starts_with('-') && !["-o", "-l"].contains(&before);
    match words.first().map(String::as_str) {
        Some(describe_class::NAME) if is_name && !takes_value(before) => Wanted::Classes,
        Some(bind::COMMAND | provision::COMMAND)
            if is_name && (!before.starts_with("--") || is_switch(before)) =>
        {
            Wanted::Claims
        }
        Some(set::NAME) if is_set_name(words, before) => Wanted::VolumeSets,
        Some(reclaim::COMMAND) if is_name && (!before.starts_with("--") || is_switch(before)) => {
            Wanted::Volumes
        }
        Some(explain::NAME) if is_name && !before.starts_with("--") => {
            if is_about_volumes(words) {
                Wanted::Volumes
            } else {
                Wanted::Claims
            }
        }
        _ => Wanted::Grammar,
    }
}

/// `example.com/scratch=<TAB>`: the name is the user's, the kinds are ours.
fn backend_kinds(typed: &str) -> Vec<String> {
    let Some((provisioner, _)) = typed.split_once('=') else {
        return vec![];
    };
    let kinds = BACKEND_KINDS.iter();
    kinds.map(|kind| format!("{provisioner}={kind}")).collect()
}

/// `set status fa<TAB>` and `set reconcile fa<TAB>`.
fn is_set_name(words: &[String], before: &str) -> bool {
    let last = words.last().map_or("", String::as_str);
    let takes_sets = words
        .get(1)
        .is_some_and(|word| set::TAKING_SETS.contains(&word.as_str()));
    let is_free = !before.starts_with('-') || is_switch(before) || before == "--watch";
    words.len() > 2 && takes_sets && is_free && !last.starts_with('-')
}

/// Whether this flag of `bind` and its like stands alone, so that what follows is a claim or volume.
fn is_switch(word: &str) -> bool {
    ["--force", "--yes", "--wait", "--dry-run", "--reuse"].contains(&word)
}

/// Whether what follows belongs to this flag of `describe-class`, and is no class.
fn takes_value(word: &str) -> bool {
    word.starts_with("--") && !["--template", "--interactive", "--recursive"].contains(&word)
}

/// `explain pv/…` and `explain pv …`.
fn is_about_volumes(words: &[String]) -> bool {
    let is_type = |word: &str| ["pv", "persistentvolume", "persistentvolumes"].contains(&word);
    let last = words.last().map_or("", String::as_str);
    match last.split_once('/') {
        Some((kind, _)) => is_type(kind),
        None => words
            .iter()
            .skip(1)
            .take(words.len().saturating_sub(2))
            .find(|word| !word.starts_with('-'))
            .is_some_and(|word| is_type(word)),
    }
}

fn from_grammar(words: &[String]) -> Vec<String> {
    let mut args: Vec<OsString> = vec!["kubectl-pv".into()];
    args.extend(words.iter().map(OsString::from));
    let last = args.len() - 1;
    let found =
        clap_complete::engine::complete(&mut Cli::command(), args, last, None).unwrap_or_default();
    found
        .into_iter()
        .filter(|candidate| !candidate.is_hide_set())
        .map(|candidate| {
            let value = candidate.get_value().to_string_lossy().into_owned();
            let help = candidate
                .get_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            match help.lines().next() {
                Some(help) if !help.is_empty() => format!("{value}\t{help}"),
                _ => value,
            }
        })
        .collect()
}

fn from_cluster(wanted: Wanted, words: &[String], environment: &Environment) -> Vec<String> {
    let flags = connection_flags(words);
    if wanted == Wanted::Contexts {
        return crate::load::client::context_names(&flags.into(), environment);
    }
    let Ok(runtime) = runtime() else {
        return vec![];
    };
    let answer = runtime.block_on(async {
        tokio::time::timeout(PATIENCE, async {
            let connection = connect_quietly(&flags, environment).await?;
            names(&connection, wanted, words).await
        })
        .await
    });
    answer.ok().flatten().unwrap_or_default()
}

async fn names(connection: &Connection, wanted: Wanted, words: &[String]) -> Option<Vec<String>> {
    let path = match wanted {
        Wanted::Claims => format!(
            "/api/v1/namespaces/{}/persistentvolumeclaims",
            connection.namespace
        ),
        Wanted::ConfigMaps => format!("/api/v1/namespaces/{}/configmaps", connection.namespace),
        Wanted::Volumes => "/api/v1/persistentvolumes".to_owned(),
        Wanted::Classes => "/apis/storage.k8s.io/v1/storageclasses".to_owned(),
        Wanted::VolumeSets => "/apis/kubectl-pv.dev/v1alpha1/persistentvolumesets".to_owned(),
        _ => "/api/v1/namespaces".to_owned(),
    };
    let text = connection
        .get_text(&format!("{path}?limit=500&resourceVersion=0"))
        .await
        .ok()?;
    let list: serde_json::Value = serde_json::from_str(&text).ok()?;
    let names = list["items"]
        .as_array()?
        .iter()
        .filter_map(|item| item["metadata"]["name"].as_str());
    let typed = words.last().map_or("", String::as_str);
    // `pvc/da<TAB>` goes on as it began.
    let prefix = typed
        .split_once('/')
        .map_or(String::new(), |(kind, _)| format!("{kind}/"));
    Some(names.map(|name| format!("{prefix}{name}")).collect())
}

/// The connection flags among the words; what clap cannot parse while it is being typed is picked out by hand.
fn connection_flags(words: &[String]) -> ConnectionFlags {
    let mut flags = ConnectionFlags::default();
    let mut rest = words
        .iter()
        .take(words.len().saturating_sub(1))
        .map(String::as_str);
    while let Some(word) = rest.next() {
        let (name, inline) = word
            .split_once('=')
            .map_or((word, None), |(name, value)| (name, Some(value)));
        let slot = match name {
            "-n" | "--namespace" => &mut flags.namespace,
            "--context" => &mut flags.context,
            "--cluster" => &mut flags.cluster,
            "--user" => &mut flags.user,
            "-s" | "--server" => &mut flags.server,
            "--token" => &mut flags.token,
            "--as" => &mut flags.as_user,
            "--kubeconfig" => {
                flags.kubeconfig = inline.or_else(|| rest.next()).map(Into::into);
                continue;
            }
            _ => continue,
        };
        *slot = inline.or_else(|| rest.next()).map(str::to_owned);
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn the_place_decides_what_is_offered() {
        assert_eq!(wanted(&words("ex")), Wanted::Grammar);
        assert_eq!(wanted(&words("explain ")), Wanted::Claims);
        assert_eq!(wanted(&words("explain pv/")), Wanted::Volumes);
        assert_eq!(
            wanted(&words("explain persistentvolume/a")),
            Wanted::Volumes
        );
        assert_eq!(wanted(&words("explain pv a b")), Wanted::Volumes);
        assert_eq!(wanted(&words("explain pv")), Wanted::Claims);
        assert_eq!(wanted(&words("explain pvc/pv")), Wanted::Claims);
        assert_eq!(wanted(&words("explain -n ")), Wanted::Namespaces);
        assert_eq!(wanted(&words("explain -n prod da")), Wanted::Claims);
        assert_eq!(wanted(&words("explain --pe")), Wanted::Grammar);
        assert_eq!(wanted(&words("explain --class ")), Wanted::Classes);
        assert_eq!(wanted(&words("explain -f ")), Wanted::Files);
        assert_eq!(wanted(&words("validate class/f")), Wanted::Classes);
        assert_eq!(wanted(&words("validate pvc/")), Wanted::Claims);
        assert_eq!(wanted(&words("validate cm/")), Wanted::ConfigMaps);
        assert_eq!(wanted(&words("validate pvs/")), Wanted::VolumeSets);
        assert_eq!(wanted(&words("describe-class ")), Wanted::Classes);
        assert_eq!(wanted(&words("bind da")), Wanted::Claims);
        assert_eq!(wanted(&words("bind --vol")), Wanted::Grammar);
        assert_eq!(wanted(&words("bind data --volume ")), Wanted::Volumes);
        assert_eq!(wanted(&words("reclaim pv-")), Wanted::Volumes);
        assert_eq!(wanted(&words("reclaim --reuse pv-")), Wanted::Volumes);
        assert_eq!(wanted(&words("reclaim --set-policy ")), Wanted::Grammar);
        assert_eq!(wanted(&words("bind data --volume pv-")), Wanted::Volumes);
        assert_eq!(wanted(&words("bind --volume pv-7 da")), Wanted::Claims);
        assert_eq!(wanted(&words("bind data --force da")), Wanted::Claims);
        assert_eq!(wanted(&words("describe-class sc/sl")), Wanted::Classes);
        assert_eq!(
            wanted(&words("describe-class --template ")),
            Wanted::Classes
        );
        assert_eq!(wanted(&words("describe-class --name ")), Wanted::Grammar);
        assert_eq!(wanted(&words("describe-class --tem")), Wanted::Grammar);
        assert_eq!(wanted(&words("set st")), Wanted::Grammar);
        assert_eq!(wanted(&words("set status ")), Wanted::VolumeSets);
        assert_eq!(
            wanted(&words("set reconcile --watch fa")),
            Wanted::VolumeSets
        );
        assert_eq!(wanted(&words("set reconcile --node n")), Wanted::Grammar);
        assert_eq!(wanted(&words("set crd ")), Wanted::Grammar);
        assert_eq!(wanted(&words("explain -o ")), Wanted::Grammar);
        assert_eq!(wanted(&words("explain --context ")), Wanted::Contexts);
    }

    #[test]
    fn flags_are_found_while_being_typed() {
        let flags = connection_flags(&words("explain --context=a -n prod da"));
        assert_eq!(
            (flags.context.as_deref(), flags.namespace.as_deref()),
            (Some("a"), Some("prod"))
        );
    }

    #[test]
    fn subcommands_come_from_the_grammar() {
        let offered = from_grammar(&words("exp"));
        assert!(
            offered
                .iter()
                .any(|candidate| candidate.starts_with("explain\t")),
            "{offered:?}"
        );
    }
}
