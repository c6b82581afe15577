//! The user's wishes laid over what the kubeconfig says.
//!
//! Upstream: client-go/tools/clientcmd/client_config.go, `getCluster`, `getAuthInfo`.

use std::path::Path;

use super::{options::ConnectionOptions, target::Target};

impl Target {
    /// Lays the user's wishes over what the kubeconfig says.
    pub(super) fn overlay(&mut self, options: &ConnectionOptions) {
        if options.namespace.is_some() {
            self.namespace.clone_from(&options.namespace);
        }
        self.overlay_cluster(options);
        self.overlay_user(options);
    }

    fn overlay_cluster(&mut self, options: &ConnectionOptions) {
        let cluster = &mut self.cluster;
        // The name in the certificate belongs to the server that was replaced.
        if options.server.is_some() || options.tls_server_name.is_some() {
            cluster.tls_server_name.clone_from(&options.tls_server_name);
        }
        if options.server.is_some() {
            cluster.server.clone_from(&options.server);
        }
        if options.insecure_skip_tls_verify || options.certificate_authority.is_some() {
            cluster.insecure_skip_tls_verify = Some(options.insecure_skip_tls_verify);
            cluster.certificate_authority = options.certificate_authority.as_deref().map(text);
            cluster.certificate_authority_data = None;
        }
        if options.disable_compression {
            cluster.disable_compression = Some(true);
        }
    }

    fn overlay_user(&mut self, options: &ConnectionOptions) {
        let user = &mut self.user;
        if let Some(token) = &options.token {
            user.token = Some(token.clone());
            user.token_file = None;
            user.username = None;
            user.password = None;
        }
        if let Some(path) = &options.client_certificate {
            user.client_certificate = Some(text(path));
            user.client_certificate_data = None;
        }
        if let Some(path) = &options.client_key {
            user.client_key = Some(text(path));
            user.client_key_data = None;
        }
        let wished = &options.impersonate;
        if wished.user.is_some() {
            user.impersonate.clone_from(&wished.user);
        }
        if wished.uid.is_some() {
            user.impersonate_uid.clone_from(&wished.uid);
        }
        if !wished.groups.is_empty() {
            user.impersonate_groups = Some(wished.groups.clone());
        }
        if !wished.extra.is_empty() {
            let extra = user.impersonate_user_extra.get_or_insert_default();
            for (key, _) in &wished.extra {
                extra.remove(key);
            }
            for (key, value) in &wished.extra {
                extra.entry(key.clone()).or_default().push(value.clone());
            }
        }
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use kube::config::{AuthInfo, Cluster};
    use secrecy::ExposeSecret;

    use super::*;
    use crate::load::client::Impersonation;

    fn overlaid(options: &ConnectionOptions) -> Target {
        let mut target = Target {
            namespace: Some("team-a".to_owned()),
            cluster: Cluster {
                server: Some("https://here:6443".to_owned()),
                certificate_authority_data: Some("Qw==".to_owned()),
                tls_server_name: Some("inside".to_owned()),
                ..Cluster::default()
            },
            user: AuthInfo {
                token: Some("theirs".into()),
                username: Some("theirs".to_owned()),
                client_certificate_data: Some("Qw==".to_owned()),
                client_key_data: Some("Sw==".into()),
                impersonate_user_extra: Some(HashMap::from([
                    ("scope".to_owned(), vec!["old".to_owned()]),
                    ("team".to_owned(), vec!["a".to_owned()]),
                ])),
                ..AuthInfo::default()
            },
        };
        target.overlay(options);
        target
    }

    #[test]
    fn nothing_wished_changes_nothing() {
        let target = overlaid(&ConnectionOptions::default());
        assert_eq!(target.namespace.as_deref(), Some("team-a"));
        assert_eq!(target.cluster.server.as_deref(), Some("https://here:6443"));
        assert_eq!(target.cluster.tls_server_name.as_deref(), Some("inside"));
        assert!(target.cluster.certificate_authority_data.is_some());
        assert_eq!(target.user.token.unwrap().expose_secret(), "theirs");
    }

    #[test]
    fn a_server_replaces_the_name_in_the_certificate_too() {
        let server = Some("https://tunnel:1".to_owned());
        let cluster = overlaid(&ConnectionOptions {
            server,
            ..ConnectionOptions::default()
        })
        .cluster;
        assert_eq!(cluster.server.as_deref(), Some("https://tunnel:1"));
        assert_eq!(cluster.tls_server_name, None);
        assert!(cluster.certificate_authority_data.is_some());
    }

    #[test]
    fn trusting_any_certificate_drops_the_authority_and_the_other_way_round() {
        let options = ConnectionOptions {
            insecure_skip_tls_verify: true,
            ..ConnectionOptions::default()
        };
        let cluster = overlaid(&options).cluster;
        assert_eq!(cluster.insecure_skip_tls_verify, Some(true));
        assert_eq!(cluster.certificate_authority_data, None);
        let certificate_authority = Some("ca.pem".into());
        let cluster = overlaid(&ConnectionOptions {
            certificate_authority,
            ..ConnectionOptions::default()
        })
        .cluster;
        assert_eq!(cluster.insecure_skip_tls_verify, Some(false));
        assert_eq!(cluster.certificate_authority.as_deref(), Some("ca.pem"));
        assert_eq!(cluster.certificate_authority_data, None);
    }

    #[test]
    fn credentials_of_flags_replace_those_of_the_kubeconfig() {
        let user = overlaid(&ConnectionOptions {
            token: Some("mine".into()),
            client_certificate: Some("c.pem".into()),
            client_key: Some("k.pem".into()),
            ..ConnectionOptions::default()
        })
        .user;
        assert_eq!(user.token.unwrap().expose_secret(), "mine");
        assert_eq!(user.username, None);
        assert_eq!(user.client_certificate.as_deref(), Some("c.pem"));
        assert_eq!(user.client_certificate_data, None);
        assert_eq!(user.client_key.as_deref(), Some("k.pem"));
        assert!(user.client_key_data.is_none());
    }

    #[test]
    fn impersonation_is_laid_over_key_by_key() {
        let impersonate = Impersonation {
            user: Some("bob".to_owned()),
            uid: Some("7".to_owned()),
            groups: vec!["dev".to_owned()],
            extra: vec![
                ("scope".to_owned(), "new".to_owned()),
                ("scope".to_owned(), "newer".to_owned()),
            ],
        };
        let user = overlaid(&ConnectionOptions {
            impersonate,
            ..ConnectionOptions::default()
        })
        .user;
        assert_eq!(user.impersonate.as_deref(), Some("bob"));
        assert_eq!(user.impersonate_uid.as_deref(), Some("7"));
        assert_eq!(user.impersonate_groups, Some(vec!["dev".to_owned()]));
        let extra = HashMap::from([
            (
                "scope".to_owned(),
                vec!["new".to_owned(), "newer".to_owned()],
            ),
            ("team".to_owned(), vec!["a".to_owned()]),
        ]);
        assert_eq!(user.impersonate_user_extra, Some(extra));
    }
}
