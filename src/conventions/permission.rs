//! What the API server does not allow, from its own words, and who could allow it. Only the authorizer's refusals are
//! understood: a quota or an admission plugin answers 403 too, and no role helps against those.

use super::shell;

/// Something a user may not do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Permission {
    /// Who may not.
    pub user: String,
    /// Such as `list` or `patch`.
    pub verb: String,
    /// With its subresource, as in RBAC rules: `persistentvolumes/status`.
    pub resource: String,
    /// The API group, as in RBAC rules.
    pub group: String,
    /// Where; absent for the whole cluster.
    pub namespace: Option<String>,
}

impl Permission {
    /// Reads a refusal: `… User "jane" cannot list resource "pods" in API group "" in the namespace "team"`.
    /// Upstream: apiserver/pkg/endpoints/handlers/responsewriters/errors.go, forbiddenMessage.
    pub fn find_refused(message: &str) -> Option<Self> {
        let (_, rest) = message.split_once("User \"")?;
        let (user, rest) = rest.split_once("\" cannot ")?;
        let (verb, rest) = rest.split_once(" resource \"")?;
        let (resource, rest) = rest.split_once("\" in API group \"")?;
        let (group, rest) = rest.split_once('"')?;
        let namespace = match rest.strip_prefix(" in the namespace \"") {
            Some(rest) => Some(rest.split_once('"')?.0.to_owned()),
            None if rest.starts_with(" at the cluster scope") => None,
            None => return None,
        };
        // A backslash means that the server has quoted something: then it is not the name any more.
        (!user.contains('\\')).then(|| Self {
            user: user.to_owned(),
            verb: verb.to_owned(),
            resource: resource.to_owned(),
            group: group.to_owned(),
            namespace,
        })
    }

    /// The resource with its group, as kubectl spells it: `storageclasses.storage.k8s.io`.
    pub fn qualified_resource(&self) -> String {
        let dot = if self.group.is_empty() { "" } else { "." };
        format!("{}{dot}{}", self.resource, self.group)
    }

    /// The command with which an administrator binds a cluster role to the user: in one namespace where that is enough.
    pub fn binding_command(&self, role: &str, namespace: Option<&str>) -> String {
        let account = self.user.strip_prefix("system:serviceaccount:");
        let name = account.unwrap_or(&self.user).replace([':', '/', '%'], "-");
        let (kind, place) = match namespace {
            Some(namespace) => ("rolebinding", vec!["-n", namespace]),
            None => ("clusterrolebinding", vec![]),
        };
        let binding = format!("{role}-{name}");
        let role = format!("--clusterrole={role}");
        let subject = match account {
            Some(account) => format!("--serviceaccount={account}"),
            None => format!("--user={}", self.user),
        };
        let mut words = vec!["kubectl", "create", kind, &binding, &role, &subject];
        words.extend(place);
        shell::command(&words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(words: &str) -> Option<Permission> {
        Permission::find_refused(words)
    }

    #[test]
    fn the_authorizers_words_are_understood() {
        let words = r#"persistentvolumes "pv-a" is forbidden: User "jane" cannot patch resource "persistentvolumes/status" in API group "" at the cluster scope"#;
        let permission = refused(words).unwrap();
        assert_eq!(permission.verb, "patch");
        assert_eq!(permission.qualified_resource(), "persistentvolumes/status");
        assert_eq!(permission.namespace, None);
        let words = r#"storageclasses.storage.k8s.io is forbidden: User "system:serviceaccount:ci:pv" cannot list resource "csistoragecapacities" in API group "storage.k8s.io" in the namespace "team": RBAC: something"#;
        let permission = refused(words).unwrap();
        assert_eq!(
            permission.qualified_resource(),
            "csistoragecapacities.storage.k8s.io"
        );
        assert_eq!(permission.namespace.as_deref(), Some("team"));
    }

    #[test]
    fn other_refusals_are_not() {
        for words in [
            "",
            "exceeded quota: few, requested: persistentvolumeclaims=1",
            r#"User "jane" cannot get path "/metrics""#,
            r#"User "ja\"ne" cannot list resource "pods" in API group "" at the cluster scope"#,
            r#"User "jane" cannot list resource "pods" in API group "" in the namespace "#,
        ] {
            assert_eq!(refused(words), None, "{words}");
        }
    }

    #[test]
    fn the_binding_is_for_whoever_was_refused_and_can_be_pasted() {
        let of = |user: &str| Permission {
            user: user.to_owned(),
            verb: "list".to_owned(),
            resource: "pods".to_owned(),
            group: String::new(),
            namespace: None,
        };
        assert_eq!(
            of("jane").binding_command("kubectl-pv-view", None),
            "kubectl create clusterrolebinding kubectl-pv-view-jane --clusterrole=kubectl-pv-view --user=jane"
        );
        assert_eq!(
            of("system:serviceaccount:ci:pv").binding_command("kubectl-pv-bind", Some("team")),
            "kubectl create rolebinding kubectl-pv-bind-ci-pv --clusterrole=kubectl-pv-bind --serviceaccount=ci:pv -n team"
        );
        assert!(
            of("a; rm -rf /")
                .binding_command("r", None)
                .ends_with("'--user=a; rm -rf /'")
        );
    }
}
