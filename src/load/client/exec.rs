//! Asks a credential plugin of the kubeconfig (`aws`, `gke-gcloud-auth-plugin`, `kubelogin` …) who
//! we are. kube could do it, but runs the plugin three times per client, hides what it says to the
//! user, lends it our stdin, prints its environment when it fails and panics on a token that is no
//! header. When it runs is decided in `plugin_credentials.rs`.
//!
//! Upstream: client-go/plugin/pkg/client/auth/exec/exec.go.

use std::{
    ffi::OsStr,
    io,
    path::PathBuf,
    process::{Command, Stdio},
};

use kube::config::{ExecConfig, ExecInteractiveMode, Kubeconfig};
use serde::Deserialize;
use serde_json::json;

use super::{
    errors::ConnectError,
    lookup::{Found, find_program},
    reason::io_reason,
};

const VERSIONS: [&str; 2] = [
    "client.authentication.k8s.io/v1",
    "client.authentication.k8s.io/v1beta1",
];

/// A plugin that can be run.
pub(super) struct Plugin {
    config: ExecConfig,
    /// As the kubeconfig names it.
    command: String,
    program: PathBuf,
    version: String,
    interactive: bool,
}

/// What a plugin answers.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Credential {
    pub(super) token: Option<String>,
    pub(super) client_certificate_data: Option<String>,
    pub(super) client_key_data: Option<String>,
    pub(super) expiration_timestamp: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    api_version: String,
    status: Option<Credential>,
}

impl Plugin {
    /// Checks what can be checked before running; `person_at_stdin` is whether someone can answer, `search_path` our own PATH.
    pub(super) fn new(
        config: ExecConfig,
        person_at_stdin: bool,
        search_path: &OsStr,
    ) -> Result<Self, ConnectError> {
        let command = config.command.clone().unwrap_or_default();
        let version = config.api_version.clone().unwrap_or_default();
        let error = |problem: &str| ConnectError::Exec {
            command: command.clone(),
            problem: problem.to_owned(),
        };
        if command.is_empty() {
            return Err(error("has no command in the kubeconfig"));
        }
        if !VERSIONS.contains(&version.as_str()) {
            return Err(error(
                "is configured for an API version that kubectl does not speak either",
            ));
        }
        let interactive = match config.interactive_mode {
            Some(ExecInteractiveMode::Never) => false,
            Some(ExecInteractiveMode::Always) if !person_at_stdin => {
                return Err(error("needs a terminal to ask questions on"));
            }
            _ => person_at_stdin,
        };
        let program = match find_program(&command, search_path) {
            Found::Program(program) => program,
            Found::InCurrentDirectory => {
                return Err(error(
                    "is not run from the current directory: PATH has a relative or empty entry",
                ));
            }
            Found::Nowhere => return Err(not_found(&command, &config)),
        };
        Ok(Self {
            config,
            command,
            program,
            version,
            interactive,
        })
    }

    /// Runs it and waits; what it says to the user goes to our stderr.
    pub(super) fn run(&self) -> Result<Credential, ConnectError> {
        let arguments = self.config.args.iter().flatten();
        let variables = self
            .config
            .env
            .iter()
            .flatten()
            .filter_map(|pair| Some((pair.get("name")?, pair.get("value")?)));
        let mut command = Command::new(&self.program);
        #[cfg(unix)]
        std::os::unix::process::CommandExt::arg0(&mut command, &self.command);
        let output = command
            .args(arguments)
            .envs(variables)
            .env("KUBERNETES_EXEC_INFO", self.request())
            .stdin(if self.interactive {
                Stdio::inherit()
            } else {
                Stdio::null()
            })
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| self.start_error(&error))?;
        if !output.status.success() {
            return Err(self.error(format!("failed with {}", output.status)));
        }
        self.read(&String::from_utf8_lossy(&output.stdout))
    }

    fn request(&self) -> String {
        let mut spec = json!({ "interactive": self.interactive });
        if let Some(cluster) = &self.config.cluster {
            spec["cluster"] = json!(cluster);
        }
        json!({ "kind": "ExecCredential", "apiVersion": self.version, "spec": spec }).to_string()
    }

    fn read(&self, output: &str) -> Result<Credential, ConnectError> {
        let answer = parse(output)
            .ok_or_else(|| self.error("answers something that is no ExecCredential"))?;
        if answer.api_version != self.version {
            return Err(self.error("answers in another API version than the kubeconfig asks for"));
        }
        let mut credential = answer.status.unwrap_or_default();
        let Credential {
            token,
            client_certificate_data: certificate,
            client_key_data: key,
            ..
        } = &mut credential;
        for value in [&mut *token, &mut *certificate, &mut *key] {
            value.take_if(|value| value.is_empty());
        }
        if certificate.is_some() != key.is_some() {
            return Err(self.error("answers with one of certificate and key, but not both"));
        }
        if token.is_none() && certificate.is_none() {
            return Err(self.error("answers without a token or a certificate"));
        }
        Ok(credential)
    }

    fn start_error(&self, error: &io::Error) -> ConnectError {
        if error.kind() == io::ErrorKind::NotFound {
            return not_found(&self.command, &self.config);
        }
        self.error(format!("cannot be started: {}", io_reason(error)))
    }

    pub(super) fn error(&self, problem: impl Into<String>) -> ConnectError {
        ConnectError::Exec {
            command: self.command.clone(),
            problem: problem.into(),
        }
    }
}

fn not_found(command: &str, config: &ExecConfig) -> ConnectError {
    let hint = config.install_hint.as_deref();
    ConnectError::ExecNotFound {
        command: command.to_owned(),
        install_hint: hint
            .map(without_control_characters)
            .filter(|hint| !hint.is_empty()),
    }
}

/// Plugins answer in JSON; kubectl also takes YAML.
fn parse(output: &str) -> Option<Answer> {
    serde_json::from_str(output).ok().or_else(|| {
        // kube's reader for YAML keeps what it does not know.
        let mut read = Kubeconfig::from_yaml(output).ok()?;
        let status = read
            .other
            .remove("status")
            .and_then(|status| serde_json::from_value(status).ok());
        Some(Answer {
            api_version: read.api_version?,
            status,
        })
    })
}

fn without_control_characters(text: &str) -> String {
    text.trim()
        .chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect()
}
