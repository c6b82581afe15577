//! What the API server does not allow, and who could allow it.

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
