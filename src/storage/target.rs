//! `PROVISIONER=KIND:TARGET`: how a backend is named on this machine. Only the text is judged here; whether the target exists
//! is seen when the backend is opened.

use crate::conventions::names::{label_key_problems, subdomain_problems};
use std::fmt;
use std::path::{Component, Path, PathBuf};

/// One backend as it was configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Configuration {
    /// The provisioner name that classes choose it by.
    pub(crate) provisioner: String,
    /// What it works on.
    pub(crate) target: Target,
}

/// What a backend works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// Directories below a directory of this machine.
    HostPath {
        /// The base directory.
        base: PathBuf,
    },
    /// Directories of an NFS export that is mounted on this machine.
    Nfs {
        /// The server as volumes name it.
        server: String,
        /// The path the server exports.
        export: String,
        /// Where it is mounted here.
        mounted: PathBuf,
    },
    /// Whatever a program makes.
    Exec {
        /// The program.
        program: PathBuf,
    },
    /// Whatever a CSI driver makes.
    Csi {
        /// The endpoint, as it was written.
        endpoint: String,
    },
}

/// A backend was configured wrongly: an error of usage, found before anything is read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("backend `{backend}`: {problem}")]
pub(crate) struct ConfigurationError {
    /// The backend as it was written.
    pub(crate) backend: String,
    /// What is wrong with it.
    pub(crate) problem: String,
    /// What to do about it.
    pub(crate) hints: Vec<String>,
}

impl ConfigurationError {
    pub(super) fn new(backend: impl fmt::Display, problem: impl Into<String>) -> Self {
        Self {
            backend: backend.to_string(),
            problem: problem.into(),
            hints: vec![],
        }
    }
}

impl Configuration {
    /// Parses the value of `--backend`.
    pub(crate) fn parse(text: &str) -> Result<Self, ConfigurationError> {
        let Some((provisioner, target)) = text.split_once('=') else {
            return Err(ConfigurationError::new(
                text,
                "is not PROVISIONER=KIND:TARGET",
            ));
        };
        Self::of_pair(provisioner, target)
    }

    /// Parses one pair of the file of `--backends`.
    pub(crate) fn of_pair(provisioner: &str, target: &str) -> Result<Self, ConfigurationError> {
        let wrong =
            |problem: String| ConfigurationError::new(format!("{provisioner}={target}"), problem);
        check_provisioner(provisioner).map_err(wrong)?;
        Ok(Self {
            provisioner: provisioner.to_owned(),
            target: parse_target(target).map_err(wrong)?,
        })
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.provisioner, self.target)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HostPath { base } => write!(f, "hostpath:{}", base.display()),
            Self::Nfs {
                server,
                export,
                mounted,
            } => write!(f, "nfs:{server}:{export}@{}", mounted.display()),
            Self::Exec { program } => write!(f, "exec:{}", program.display()),
            Self::Csi { endpoint } => write!(f, "csi:{endpoint}"),
        }
    }
}

/// A provisioner has a distinct name `<vendor>/<name>`. What Kubernetes itself serves is not ours to serve.
fn check_provisioner(name: &str) -> Result<(), String> {
    let form = || {
        format!(
            "`{name}` is not a provisioner name of the form VENDOR/NAME, like example.com/scratch"
        )
    };
    let (vendor, rest) = name.split_once('/').ok_or_else(form)?;
    // The API server reads the name of a provisioner without regard to case, as a key.
    let key = format!("{}/{rest}", vendor.to_lowercase());
    if rest.contains('/')
        || !label_key_problems(&key).is_empty()
        || !subdomain_problems(&vendor.to_lowercase()).is_empty()
    {
        return Err(form());
    }
    let vendor = vendor.to_lowercase();
    if vendor == "kubernetes.io" || vendor.ends_with(".kubernetes.io") {
        return Err(format!(
            "`{name}` belongs to Kubernetes; choose a vendor of your own"
        ));
    }
    Ok(())
}

fn parse_target(text: &str) -> Result<Target, String> {
    let kinds = "the kinds are hostpath:/DIR, nfs:SERVER:/EXPORT@/MOUNTED and exec:/PROGRAM";
    let (kind, target) = text
        .split_once(':')
        .ok_or_else(|| format!("`{text}` names no kind; {kinds}"))?;
    match kind {
        "hostpath" => Ok(Target::HostPath {
            base: plain_path(target)?,
        }),
        "exec" => Ok(Target::Exec {
            program: plain_path(target)?,
        }),
        "nfs" => parse_nfs(target),
        "csi" => parse_csi(target),
        _ => Err(format!("`{kind}` is no kind of backend; {kinds}")),
    }
}

fn parse_nfs(text: &str) -> Result<Target, String> {
    let form = || format!("`{text}` is not SERVER:/EXPORT@/MOUNTED");
    let (server, rest) = text.split_once(":/").ok_or_else(form)?;
    let (export, mounted) = rest.rsplit_once("@/").ok_or_else(form)?;
    // Volumes name a server of six-byte groups without brackets; people write them.
    let server = server
        .strip_prefix('[')
        .and_then(|inner| inner.strip_suffix(']'))
        .unwrap_or(server);
    let is_host = |c: char| c.is_ascii_alphanumeric() || "-._:%".contains(c);
    if server.is_empty() || !server.chars().all(is_host) {
        return Err(form());
    }
    let export = format!("/{export}");
    if export != "/" {
        plain_path(&export)?;
    }
    Ok(Target::Nfs {
        server: server.to_owned(),
        export,
        mounted: plain_path(&format!("/{mounted}"))?,
    })
}

fn parse_csi(text: &str) -> Result<Target, String> {
    let is_endpoint = text
        .strip_prefix("unix://")
        .is_some_and(|path| plain_path(path).is_ok())
        || text.strip_prefix("tcp://").is_some_and(|address| {
            address
                .rsplit_once(':')
                .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
        });
    if is_endpoint {
        return Ok(Target::Csi {
            endpoint: text.to_owned(),
        });
    }
    Err(format!(
        "`{text}` is neither unix:///PATH nor tcp://HOST:PORT"
    ))
}

/// An absolute path without anything special in it: what volumes name is compared with it letter by letter.
fn plain_path(text: &str) -> Result<PathBuf, String> {
    let path = Path::new(text);
    if !path.is_absolute() {
        return Err(format!("`{text}` is not an absolute path"));
    }
    let parts: Vec<Component<'_>> = path.components().collect();
    let is_plain = parts
        .iter()
        .skip(1)
        .all(|part| matches!(part, Component::Normal(_)));
    let rebuilt: PathBuf = parts.iter().collect();
    if parts.len() < 2
        || !is_plain
        || rebuilt.as_os_str() != text
        || text.contains(|c: char| c.is_control())
    {
        return Err(format!(
            "`{text}` is not a plain path: write it without `.`, `..`, doubled slashes or a slash at its end"
        ));
    }
    Ok(rebuilt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_understood_and_printed_as_it_was_written() {
        for text in [
            "example.com/scratch=hostpath:/srv/volumes",
            "example.com/a=nfs:filer.example.com:/export/k8s@/mnt/k8s",
            "example.com/a=nfs:10.0.0.1:/@/mnt/k8s",
            "example.com/a=nfs:fd00::1:/a@b@/mnt/k8s",
            "a.b.c/x_y.z=exec:/usr/libexec/make volume",
            "example.com/c=csi:unix:///run/csi.sock",
            "example.com/c=csi:tcp://[::1]:1234",
        ] {
            assert_eq!(Configuration::parse(text).unwrap().to_string(), text);
        }
        let bracketed = Configuration::parse("example.com/a=nfs:[fd00::1]:/e@/m").unwrap();
        assert_eq!(bracketed.to_string(), "example.com/a=nfs:fd00::1:/e@/m");
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, part) in [
            ("example.com/scratch", "PROVISIONER=KIND:TARGET"),
            ("scratch=hostpath:/srv", "VENDOR/NAME"),
            ("example.com/a/b=hostpath:/srv", "VENDOR/NAME"),
            ("/a=hostpath:/srv", "VENDOR/NAME"),
            ("example.com/=hostpath:/srv", "VENDOR/NAME"),
            ("exa mple.com/a=hostpath:/srv", "VENDOR/NAME"),
            ("../a=hostpath:/srv", "VENDOR/NAME"),
            (
                "kubernetes.io/host-path=hostpath:/srv",
                "belongs to Kubernetes",
            ),
            (
                "Storage.Kubernetes.io/x=hostpath:/srv",
                "belongs to Kubernetes",
            ),
            ("example.com/a=/srv", "names no kind"),
            ("example.com/a=ceph:/srv", "no kind of backend"),
            ("example.com/a=hostpath:srv", "absolute"),
            ("example.com/a=hostpath:", "absolute"),
            ("example.com/a=hostpath:/", "plain path"),
            ("example.com/a=hostpath:/srv/", "plain path"),
            ("example.com/a=hostpath:/srv/../etc", "plain path"),
            ("example.com/a=hostpath:/srv/./x", "plain path"),
            ("example.com/a=hostpath:/srv//x", "plain path"),
            ("example.com/a=hostpath:/srv\n/x", "plain path"),
            ("example.com/a=exec:rm", "absolute"),
            ("example.com/a=nfs:/export@/mnt", "SERVER:/EXPORT@/MOUNTED"),
            ("example.com/a=nfs:filer:/export", "SERVER:/EXPORT@/MOUNTED"),
            (
                "example.com/a=nfs:fi ler:/export@/mnt",
                "SERVER:/EXPORT@/MOUNTED",
            ),
            ("example.com/a=nfs:filer:/export@/", "plain path"),
            ("example.com/a=nfs:filer:/a/../b@/mnt", "plain path"),
            ("example.com/a=csi:/run/csi.sock", "neither unix"),
            ("example.com/a=csi:tcp://host", "neither unix"),
        ] {
            let error = Configuration::parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
