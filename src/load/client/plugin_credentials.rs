//! The credentials a plugin gave: its token goes into every request, and the plugin is asked again
//! when the token has expired. A certificate lasts for the run.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use http::{HeaderValue, Request, header::AUTHORIZATION};
use jiff::Timestamp;
use kube::config::AuthInfo;
use secrecy::SecretString;
use tokio::time::Instant;

use super::{
    errors::ConnectError,
    exec::{Credential, Plugin},
    pem,
};

/// How long before its end a token is not used any more.
const MARGIN: Duration = Duration::from_secs(5);

/// The credentials of a plugin, kept fresh.
#[derive(Clone)]
pub(super) struct PluginCredentials(Arc<Mutex<Current>>);

struct Current {
    plugin: Plugin,
    header: Option<HeaderValue>,
    expires: Option<Instant>,
    /// The wall clock at one moment of the other clock, which never jumps.
    clock: (Timestamp, Instant),
}

impl PluginCredentials {
    /// Runs the plugin. A certificate goes to `user`; a token is kept for `authorize`.
    pub(super) fn obtain(
        plugin: Plugin,
        user: &mut AuthInfo,
        now: Timestamp,
    ) -> Result<Self, ConnectError> {
        // Taken before the plugin runs: a person may take minutes to log in.
        let clock = (now, Instant::now());
        let credential = plugin.run()?;
        if let (Some(certificate), Some(key)) = (
            &credential.client_certificate_data,
            &credential.client_key_data,
        ) {
            user.client_certificate_data = Some(pem::encode(certificate.as_bytes()));
            user.client_key_data = Some(SecretString::from(pem::encode(key.as_bytes())));
        }
        let mut current = Current {
            plugin,
            header: None,
            expires: None,
            clock,
        };
        current.take(&credential)?;
        Ok(Self(Arc::new(Mutex::new(current))))
    }

    /// Puts the token into a request.
    pub(super) fn authorize<B>(&self, mut request: Request<B>) -> Request<B> {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if current.is_stale() {
            // The plugin tells the user itself what is wrong; the old token then meets a 401.
            let _ = current
                .plugin
                .run()
                .and_then(|credential| current.take(&credential));
        }
        if let Some(header) = &current.header {
            request.headers_mut().insert(AUTHORIZATION, header.clone());
        }
        request
    }
}

impl Current {
    fn is_stale(&self) -> bool {
        self.expires
            .is_some_and(|expires| Instant::now() + MARGIN >= expires)
    }

    fn take(&mut self, credential: &Credential) -> Result<(), ConnectError> {
        self.header = match &credential.token {
            Some(token) => Some(self.bearer(token)?),
            None => None,
        };
        let expires = credential
            .expiration_timestamp
            .as_deref()
            .and_then(|time| time.parse().ok());
        self.expires = expires.and_then(|time: Timestamp| {
            let (then, instant) = self.clock;
            // What has expired before we began stays in use: asking again would give the same.
            let left = Duration::try_from(then.duration_until(time)).ok()?;
            instant.checked_add(left)
        });
        Ok(())
    }

    fn bearer(&self, token: &str) -> Result<HeaderValue, ConnectError> {
        let mut header = HeaderValue::from_str(&format!("Bearer {}", token.trim()))
            .map_err(|_| self.plugin.error("answers a token that cannot be sent"))?;
        header.set_sensitive(true);
        Ok(header)
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::{collections::HashMap, ffi::OsStr};

    use kube::config::{ExecConfig, ExecInteractiveMode};

    use super::*;

    const SEARCH_PATH: &str = "/usr/bin:/bin";
    const VERSION: &str = "client.authentication.k8s.io/v1";

    fn plugin(script: &str) -> ExecConfig {
        ExecConfig {
            api_version: Some(VERSION.to_owned()),
            command: Some("sh".to_owned()),
            args: Some(vec!["-c".to_owned(), script.to_owned()]),
            env: Some(vec![HashMap::from([
                ("name".to_owned(), "PLUGIN_SECRET".to_owned()),
                ("value".to_owned(), "hush".to_owned()),
            ])]),
            ..ExecConfig::default()
        }
    }

    fn answer(status: &str) -> String {
        format!(
            r#"echo '{{"kind": "ExecCredential", "apiVersion": "{VERSION}", "status": {{{status}}}}}'"#
        )
    }

    fn obtain(config: ExecConfig) -> Result<(PluginCredentials, AuthInfo), ConnectError> {
        let mut user = AuthInfo::default();
        let credentials = PluginCredentials::obtain(
            Plugin::new(config, false, OsStr::new(SEARCH_PATH))?,
            &mut user,
            Timestamp::UNIX_EPOCH,
        )?;
        Ok((credentials, user))
    }

    fn token_sent(credentials: &PluginCredentials) -> Option<String> {
        let request = credentials.authorize(Request::new(()));
        request
            .headers()
            .get(AUTHORIZATION)
            .map(|header| header.to_str().unwrap().to_owned())
    }

    #[test]
    fn the_token_of_a_plugin_is_sent() {
        let (credentials, _) = obtain(plugin(&answer(r#""token": "abc""#))).unwrap();
        assert_eq!(token_sent(&credentials), Some("Bearer abc".to_owned()));
    }

    #[test]
    fn yaml_is_read_too() {
        let script = format!("echo 'apiVersion: {VERSION}'; echo 'status:'; echo '  token: abc'");
        let (credentials, _) = obtain(plugin(&script)).unwrap();
        assert_eq!(token_sent(&credentials), Some("Bearer abc".to_owned()));
    }

    #[test]
    fn a_certificate_goes_to_the_user() {
        let status = r#""clientCertificateData": "C", "clientKeyData": "K""#;
        let (credentials, user) = obtain(plugin(&answer(status))).unwrap();
        assert_eq!(user.client_certificate_data, Some(pem::encode(b"C")));
        assert_eq!(token_sent(&credentials), None);
    }

    #[test]
    fn an_expired_token_is_asked_for_again() {
        // The clock of this test begins in 1970: 3 seconds are within the margin.
        let status = r#""token": "'$$'", "expirationTimestamp": "1970-01-01T00:00:03Z""#;
        let (credentials, _) = obtain(plugin(&answer(status))).unwrap();
        assert_ne!(token_sent(&credentials), token_sent(&credentials));
    }

    #[test]
    fn a_plugin_learns_that_nobody_answers_and_gets_no_stdin() {
        let script = format!(
            r#"case "$KUBERNETES_EXEC_INFO" in *'"interactive":false'*) ;; *) exit 3;; esac; read line && exit 4; {}"#,
            answer(r#""token": "abc""#)
        );
        assert!(obtain(plugin(&script)).is_ok());
    }

    #[test]
    fn a_failing_plugin_is_told_without_arguments_environment_and_output() {
        let error = obtain(plugin("echo hush; exit 7")).err().unwrap();
        assert_eq!(
            error.to_string(),
            "exec plugin `sh` failed with exit status: 7"
        );
        let error = obtain(plugin("echo hush")).err().unwrap();
        assert_eq!(
            error.to_string(),
            "exec plugin `sh` answers something that is no ExecCredential"
        );
    }

    #[test]
    fn a_missing_plugin_comes_with_its_install_hint() {
        let config = ExecConfig {
            command: Some("no-such-plugin".to_owned()),
            install_hint: Some("brew install \x1b[1mit".to_owned()),
            ..plugin("")
        };
        let error = obtain(config).err().unwrap();
        assert_eq!(error.to_string(), "exec plugin `no-such-plugin` not found");
        assert_eq!(error.hints(), ["brew install [1mit"]);
    }

    #[test]
    fn a_plugin_that_must_ask_needs_a_person() {
        let config = ExecConfig {
            interactive_mode: Some(ExecInteractiveMode::Always),
            ..plugin("")
        };
        let error = Plugin::new(config, false, OsStr::new(SEARCH_PATH))
            .err()
            .unwrap();
        assert_eq!(
            error.to_string(),
            "exec plugin `sh` needs a terminal to ask questions on"
        );
    }
}
