//! Which of a user's credentials are used: settled as kubectl does, before kube, whose precedence
//! is another, sees them. What is unusable is refused here, unseen.

use std::{io, path::Path};

use http::HeaderValue;
use kube::config::AuthInfo;
use secrecy::{ExposeSecret, SecretString};

use super::{errors::ConnectError, reason::io_reason};
use crate::load::outside::{check_configuration, read_configuration, text};

/// Leaves of the credentials those that apply; plain HTTP gets none, as with kubectl.
pub(super) fn settle(user: &mut AuthInfo, over_tls: bool) -> Result<(), ConnectError> {
    drop_empty(user);
    check_impersonation(user)?;
    if over_tls {
        settle_credentials(user)
    } else {
        *user = only_impersonation(user);
        Ok(())
    }
}

/// Empty values count as unset, for kubectl but not for kube.
fn drop_empty(user: &mut AuthInfo) {
    for value in [
        &mut user.username,
        &mut user.token_file,
        &mut user.client_certificate,
        &mut user.client_certificate_data,
        &mut user.client_key,
        &mut user.impersonate,
        &mut user.impersonate_uid,
    ] {
        value.take_if(|value| value.is_empty());
    }
    for secret in [
        &mut user.token,
        &mut user.password,
        &mut user.client_key_data,
    ] {
        secret.take_if(|secret| secret.expose_secret().is_empty());
    }
}

/// More than a name to act as needs a name.
fn check_impersonation(user: &AuthInfo) -> Result<(), ConnectError> {
    let more = user.impersonate_uid.is_some()
        || user
            .impersonate_groups
            .as_ref()
            .is_some_and(|groups| !groups.is_empty())
        || user
            .impersonate_user_extra
            .as_ref()
            .is_some_and(|extra| !extra.is_empty());
    if more && user.impersonate.is_none() {
        return Err(ConnectError::ImpersonationWithoutUser);
    }
    Ok(())
}

fn only_impersonation(user: &AuthInfo) -> AuthInfo {
    AuthInfo {
        impersonate: user.impersonate.clone(),
        impersonate_uid: user.impersonate_uid.clone(),
        impersonate_groups: user.impersonate_groups.clone(),
        impersonate_user_extra: user.impersonate_user_extra.clone(),
        ..AuthInfo::default()
    }
}

/// A token or a password makes plugins and providers superfluous, a client certificate plugins.
/// A token does not replace a client certificate: both are sent, as kubectl does.
fn settle_credentials(user: &mut AuthInfo) -> Result<(), ConnectError> {
    if user.token.is_none()
        && let Some(path) = &user.token_file
    {
        user.token = read_token(path)?;
    }
    if let Some(token) = &user.token {
        check_token(token)?;
        user.token_file = None;
    }
    if user.client_certificate.is_none() && user.client_certificate_data.is_none() {
        user.client_key = None;
        user.client_key_data = None;
    }
    let has_certificate =
        user.client_certificate.is_some() || user.client_certificate_data.is_some();
    if has_certificate && user.client_key.is_none() && user.client_key_data.is_none() {
        let reason = "a client certificate needs one, and none is given".to_owned();
        return Err(ConnectError::Credential {
            what: "client key",
            reason,
        });
    }
    if user.client_certificate_data.is_none() {
        check_file("client certificate", user.client_certificate.as_ref())?;
    }
    if user.client_key_data.is_none() {
        check_file("client key", user.client_key.as_ref())?;
    }
    let has_token = user.token.is_some() || user.token_file.is_some() || user.username.is_some();
    if has_token {
        user.auth_provider = None;
    }
    if has_token || has_certificate {
        user.exec = None;
    }
    match &user.auth_provider {
        Some(provider) if provider.name != "oidc" => Err(ConnectError::AuthProvider {
            name: provider.name.clone(),
        }),
        _ => Ok(()),
    }
}

/// The token in a file that kube cannot use because of blanks around it; it reads others itself,
/// and again when they change.
fn read_token(path: &str) -> Result<Option<SecretString>, ConnectError> {
    let read = read_configuration(Path::new(path)).and_then(text);
    let content = read.map_err(|error| unreadable("token file", path, &error))?;
    let token = content.trim();
    Ok((token.len() < content.len()).then(|| SecretString::from(token)))
}

/// kube reads certificates and keys whole.
pub(super) fn check_file(what: &'static str, path: Option<&String>) -> Result<(), ConnectError> {
    match path {
        None => Ok(()),
        Some(path) => {
            check_configuration(Path::new(path)).map_err(|error| unreadable(what, path, &error))
        }
    }
}

fn unreadable(what: &'static str, path: &str, error: &io::Error) -> ConnectError {
    ConnectError::Credential {
        what,
        reason: format!("{path}: {}", io_reason(error)),
    }
}

/// kube panics when a token cannot be a header.
fn check_token(token: &SecretString) -> Result<(), ConnectError> {
    match HeaderValue::from_str(&format!("Bearer {}", token.expose_secret())) {
        Ok(_) => Ok(()),
        Err(_) => Err(ConnectError::Credential {
            what: "token",
            reason: "it holds a character that cannot be sent".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use kube::config::{AuthProviderConfig, ExecConfig};

    use super::*;
    use crate::load::client::testing::Folder;

    fn plugin_user() -> AuthInfo {
        AuthInfo {
            exec: Some(ExecConfig::default()),
            ..AuthInfo::default()
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "options are what it is for")]
    fn provider(name: &str) -> Option<AuthProviderConfig> {
        let name = name.to_owned();
        Some(AuthProviderConfig {
            name,
            ..AuthProviderConfig::default()
        })
    }

    #[test]
    fn a_token_makes_plugins_and_providers_superfluous() {
        let mut user = AuthInfo {
            token: Some("abc".into()),
            auth_provider: provider("gcp"),
            ..plugin_user()
        };
        settle(&mut user, true).unwrap();
        assert!(user.exec.is_none() && user.auth_provider.is_none());
        assert_eq!(user.token.unwrap().expose_secret(), "abc");
    }

    #[test]
    fn a_client_certificate_makes_plugins_superfluous() {
        let mut user = AuthInfo {
            client_certificate_data: Some("Qw==".to_owned()),
            client_key_data: Some("Sw==".into()),
            ..plugin_user()
        };
        settle(&mut user, true).unwrap();
        assert!(user.exec.is_none());
        user.client_key_data = Some("".into());
        let error = settle(&mut user, true).unwrap_err().to_string();
        assert_eq!(
            error,
            "cannot use the client key: a client certificate needs one, and none is given"
        );
    }

    #[test]
    fn an_empty_token_is_none_and_the_plugin_is_asked() {
        let mut user = AuthInfo {
            token: Some("".into()),
            ..plugin_user()
        };
        settle(&mut user, true).unwrap();
        assert!(user.exec.is_some() && user.token.is_none());
    }

    #[test]
    fn plain_http_gets_no_credentials_but_keeps_whom_to_act_as() {
        let impersonate = Some("bob".to_owned());
        let mut user = AuthInfo {
            token: Some("abc".into()),
            impersonate,
            ..plugin_user()
        };
        settle(&mut user, false).unwrap();
        assert!(user.exec.is_none() && user.token.is_none());
        assert_eq!(user.impersonate.as_deref(), Some("bob"));
    }

    #[test]
    fn a_token_file_may_end_in_a_line_break() {
        let folder = Folder::new("token-file");
        let token_file = Some(folder.path("token").display().to_string());
        let file_user = AuthInfo {
            token_file,
            ..AuthInfo::default()
        };
        folder.write("token", "abc\n");
        let mut user = file_user.clone();
        settle(&mut user, true).unwrap();
        assert_eq!(user.token.unwrap().expose_secret(), "abc");
        folder.write("token", "abc");
        let mut user = file_user;
        settle(&mut user, true).unwrap();
        assert!(user.token.is_none() && user.token_file.is_some());
    }

    #[test]
    fn a_token_that_cannot_be_sent_is_refused_unseen() {
        let mut user = AuthInfo {
            token: Some("hu\nsh".into()),
            ..AuthInfo::default()
        };
        let error = settle(&mut user, true).unwrap_err().to_string();
        assert_eq!(
            error,
            "cannot use the token: it holds a character that cannot be sent"
        );
    }

    #[test]
    fn groups_need_somebody_to_act_as() {
        let mut user = AuthInfo {
            impersonate_groups: Some(vec!["dev".to_owned()]),
            ..AuthInfo::default()
        };
        assert!(matches!(
            settle(&mut user, true),
            Err(ConnectError::ImpersonationWithoutUser)
        ));
    }

    #[test]
    fn providers_kubectl_has_dropped_are_refused_with_advice() {
        let mut user = AuthInfo {
            auth_provider: provider("gcp"),
            ..AuthInfo::default()
        };
        let error = settle(&mut user, true).unwrap_err();
        assert_eq!(error.to_string(), "auth provider `gcp` is not supported");
        assert!(error.hints()[0].contains("gke-gcloud-auth-plugin"));
        user.auth_provider = provider("oidc");
        assert!(settle(&mut user, true).is_ok());
    }

    #[test]
    fn an_endless_token_file_is_refused() {
        let mut user = AuthInfo {
            token_file: Some("/dev/zero".to_owned()),
            ..AuthInfo::default()
        };
        assert_eq!(
            settle(&mut user, true).unwrap_err().to_string(),
            "cannot use the token file: /dev/zero: not a regular file or a pipe"
        );
    }
}
