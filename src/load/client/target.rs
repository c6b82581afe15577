//! Whom to talk to and as whom: the context, cluster and user that apply after the kubeconfig and
//! the user's wishes are laid over each other.
//!
//! Upstream: client-go/tools/clientcmd/client_config.go, `getContext`, `getCluster`, `getAuthInfo`.

use kube::config::{AuthInfo, Cluster, Context};

use super::{
    errors::{ConnectError, Entry},
    kubeconfig::{LoadedKubeconfig, load_kubeconfig},
    options::ConnectionOptions,
    pod,
};
use crate::environment::Environment;

/// One cluster and one user.
#[derive(Default)]
#[cfg_attr(test, derive(Clone, Debug))] // credentials have no business in a message
pub(super) struct Target {
    pub(super) namespace: Option<String>,
    pub(super) cluster: Cluster,
    pub(super) user: AuthInfo,
}

/// The target the options ask for: from kubeconfig files, else the cluster we run in.
pub(super) fn find_target(
    options: &ConnectionOptions,
    environment: &Environment,
) -> Result<Target, ConnectError> {
    let loaded = load_kubeconfig(options.kubeconfig.as_deref(), environment)?;
    let chosen = choose(&loaded, options)?.or_else(|| pod::find_target(&environment.pod));
    let mut target = chosen.ok_or_else(|| nothing_chosen(loaded))?;
    target.overlay(options);
    Ok(target)
}

fn nothing_chosen(loaded: LoadedKubeconfig) -> ConnectError {
    if loaded.files.is_empty() {
        return ConnectError::NoConfiguration {
            looked_in: loaded.looked_in,
        };
    }
    let contexts = loaded
        .config
        .contexts
        .into_iter()
        .map(|context| context.name)
        .collect();
    ConnectError::NoCurrentContext {
        files: loaded.files,
        contexts,
    }
}

/// The parts of the kubeconfig that apply, if anything says which; what was asked for must exist.
fn choose(
    loaded: &LoadedKubeconfig,
    options: &ConnectionOptions,
) -> Result<Option<Target>, ConnectError> {
    let name = options
        .context
        .as_ref()
        .or(loaded.config.current_context.as_ref());
    if name.is_none() && options.cluster.is_none() && options.server.is_none() {
        return Ok(None);
    }
    let context = choose_context(loaded, name)?;
    Ok(Some(Target {
        cluster: choose_cluster(loaded, options, &context)?,
        user: choose_user(loaded, options, &context)?,
        namespace: context.namespace,
    }))
}

fn choose_context(
    loaded: &LoadedKubeconfig,
    name: Option<&String>,
) -> Result<Context, ConnectError> {
    let Some(name) = name else {
        return Ok(Context::default());
    };
    let contexts = &loaded.config.contexts;
    match contexts.iter().find(|context| &context.name == name) {
        Some(found) => Ok(found.context.clone().unwrap_or_default()),
        None => Err(missing(
            loaded,
            Entry::Context,
            name,
            contexts.iter().map(|context| &context.name),
        )),
    }
}

/// A server given apart makes up for a cluster that is missing, but not for one asked for.
fn choose_cluster(
    loaded: &LoadedKubeconfig,
    options: &ConnectionOptions,
    context: &Context,
) -> Result<Cluster, ConnectError> {
    let clusters = &loaded.config.clusters;
    let name = options.cluster.as_ref().unwrap_or(&context.cluster);
    let found = clusters.iter().find(|cluster| &cluster.name == name);
    if found.is_none() && (options.cluster.is_some() || options.server.is_none()) {
        return Err(missing(
            loaded,
            Entry::Cluster,
            name,
            clusters.iter().map(|cluster| &cluster.name),
        ));
    }
    let cluster = found
        .and_then(|found| found.cluster.clone())
        .unwrap_or_default();
    if options.server.is_none() && cluster.server.as_ref().is_none_or(String::is_empty) {
        return Err(ConnectError::NoServer {
            cluster: name.clone(),
            files: loaded.files.clone(),
        });
    }
    Ok(cluster)
}

/// A context may name a user that is not there: nobody in particular.
fn choose_user(
    loaded: &LoadedKubeconfig,
    options: &ConnectionOptions,
    context: &Context,
) -> Result<AuthInfo, ConnectError> {
    let users = &loaded.config.auth_infos;
    let name = options.user.as_ref().or(context.user.as_ref());
    let found = name.and_then(|name| users.iter().find(|user| &user.name == name));
    match (found, &options.user) {
        (Some(found), _) => Ok(found.auth_info.clone().unwrap_or_default()),
        (None, Some(name)) => Err(missing(
            loaded,
            Entry::User,
            name,
            users.iter().map(|user| &user.name),
        )),
        (None, None) => Ok(AuthInfo::default()),
    }
}

/// Without any file the name is not what is wrong.
fn missing<'a>(
    loaded: &LoadedKubeconfig,
    what: Entry,
    name: &str,
    available: impl Iterator<Item = &'a String>,
) -> ConnectError {
    if loaded.files.is_empty() {
        return ConnectError::NoConfiguration {
            looked_in: loaded.looked_in.clone(),
        };
    }
    ConnectError::EntryNotFound {
        what,
        name: name.to_owned(),
        files: loaded.files.clone(),
        available: available.cloned().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::client::testing::Folder;

    const KUBECONFIG: &str = r"
current-context: dev
contexts:
- {name: dev, context: {cluster: here, user: jane, namespace: team-a}}
- {name: prod, context: {cluster: there, user: robot}}
- {name: nowhere, context: {cluster: gone}}
clusters:
- {name: here, cluster: {server: 'https://here:6443', certificate-authority: ca.crt, tls-server-name: inside}}
- {name: there, cluster: {server: 'https://there:6443', insecure-skip-tls-verify: true}}
- {name: blank, cluster: {}}
users:
- name: jane
  user:
    exec: {apiVersion: client.authentication.k8s.io/v1, command: aws}
    as-user-extra: {scope: [old], team: [a]}
- {name: robot, user: {token: robots-token, client-certificate-data: Qw==, client-key-data: Sw==}}
";

    fn find(name: &str, options: ConnectionOptions) -> Result<Target, ConnectError> {
        let folder = Folder::new(&format!("target-{name}"));
        folder.write("config", KUBECONFIG);
        let options = ConnectionOptions {
            kubeconfig: Some(folder.path("config")),
            ..options
        };
        find_target(&options, &Environment::default())
    }

    #[expect(clippy::unnecessary_wraps, reason = "options are what it is for")]
    fn named(value: &str) -> Option<String> {
        Some(value.to_owned())
    }

    #[test]
    fn the_current_context_applies_without_flags() {
        let target = find("current", ConnectionOptions::default()).unwrap();
        assert_eq!(target.namespace.as_deref(), Some("team-a"));
        assert_eq!(target.cluster.server.as_deref(), Some("https://here:6443"));
        assert!(
            target
                .cluster
                .certificate_authority
                .unwrap()
                .ends_with("target-current/ca.crt")
        );
    }

    #[test]
    fn context_cluster_user_and_namespace_can_be_chosen_apart() {
        let options = ConnectionOptions {
            context: named("prod"),
            cluster: named("here"),
            user: named("jane"),
            namespace: named("other"),
            ..ConnectionOptions::default()
        };
        let target = find("apart", options).unwrap();
        assert_eq!(target.namespace.as_deref(), Some("other"));
        assert_eq!(target.cluster.server.as_deref(), Some("https://here:6443"));
        assert!(target.user.exec.is_some());
    }

    #[test]
    fn what_is_not_in_the_kubeconfig_is_named_with_what_is() {
        let wrong = |context: Option<String>, cluster: Option<String>, user: Option<String>| {
            let options = ConnectionOptions {
                context,
                cluster,
                user,
                ..ConnectionOptions::default()
            };
            let error = find("missing", options).unwrap_err().to_string();
            let (before, after) = error.split_once(" in /").unwrap();
            (
                before.to_owned(),
                after.split_once(" (").unwrap().1.to_owned(),
            )
        };
        let pair = |before: &str, after: &str| (before.to_owned(), after.to_owned());
        assert_eq!(
            wrong(named("x"), None, None),
            pair("context `x` not found", "contexts: dev, prod, nowhere)")
        );
        assert_eq!(
            wrong(None, named("x"), None),
            pair("cluster `x` not found", "clusters: here, there, blank)")
        );
        assert_eq!(
            wrong(None, None, named("x")),
            pair("user `x` not found", "users: jane, robot)")
        );
        assert_eq!(
            wrong(named("nowhere"), None, None),
            pair("cluster `gone` not found", "clusters: here, there, blank)")
        );
    }

    #[test]
    fn a_cluster_without_an_address_needs_a_server() {
        let options = ConnectionOptions {
            cluster: named("blank"),
            ..ConnectionOptions::default()
        };
        assert!(matches!(
            find("blank", options.clone()),
            Err(ConnectError::NoServer { .. })
        ));
        let options = ConnectionOptions {
            server: named("https://elsewhere"),
            ..options
        };
        assert_eq!(
            find("blank-2", options).unwrap().cluster.server.as_deref(),
            Some("https://elsewhere")
        );
    }

    #[test]
    fn without_any_configuration_a_server_is_enough() {
        let environment = Environment {
            home: Some("/nonexistent".into()),
            ..Environment::default()
        };
        let error = find_target(&ConnectionOptions::default(), &environment).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no cluster is configured: no kubeconfig at /nonexistent/.kube/config"
        );
        assert!(error.hints()[0].contains("-f FILE"));
        let options = ConnectionOptions {
            server: named("https://k8s"),
            ..ConnectionOptions::default()
        };
        let target = find_target(&options, &environment).unwrap();
        assert_eq!(target.cluster.server.as_deref(), Some("https://k8s"));
    }

    #[test]
    fn a_kubeconfig_without_a_current_context_offers_its_contexts() {
        let folder = Folder::new("no-current");
        folder.write("config", "contexts: [{name: a}, {name: b}]");
        let path = folder.path("config");
        let options = ConnectionOptions {
            kubeconfig: Some(path.clone()),
            ..ConnectionOptions::default()
        };
        let error = find_target(&options, &Environment::default()).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("no current context in {} (contexts: a, b)", path.display())
        );
    }
}
