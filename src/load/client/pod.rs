//! The cluster we run in, when the program is started in a pod without a kubeconfig.
//!
//! Upstream: client-go/tools/clientcmd/client_config.go, `inClusterClientConfig`.

use kube::config::{AuthInfo, Cluster};

use super::target::Target;
use crate::environment::PodEnvironment;
use crate::load::outside::{self, read_configuration};

/// The pod's own cluster and service account, if this is a pod.
pub(super) fn find_target(pod: &PodEnvironment) -> Option<Target> {
    let (host, port) = (pod.service_host.as_ref()?, pod.service_port.as_ref()?);
    let token = pod.service_account.join("token");
    if !token.is_file() {
        return None;
    }
    // An IPv6 address needs brackets before a port.
    let host = if host.contains(':') {
        format!("[{host}]")
    } else {
        host.clone()
    };
    let text = |name: &str| {
        pod.service_account
            .join(name)
            .to_string_lossy()
            .into_owned()
    };
    let namespace = pod.namespace.clone().or_else(|| {
        let read = read_configuration(&pod.service_account.join("namespace"));
        read.and_then(outside::text).ok()
    });
    Some(Target {
        namespace: namespace.map(|name| name.trim().to_owned()),
        cluster: Cluster {
            server: Some(format!("https://{host}:{port}")),
            certificate_authority: Some(text("ca.crt")),
            ..Cluster::default()
        },
        user: AuthInfo {
            token_file: Some(text("token")),
            ..AuthInfo::default()
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::client::testing::Folder;

    #[test]
    fn a_pod_finds_its_cluster_by_what_kubernetes_mounts() {
        let folder = Folder::new("pod");
        folder.write("token", "hush");
        folder.write("namespace", "prod\n");
        let pod = PodEnvironment {
            service_host: Some("fd00::1".to_owned()),
            service_port: Some("443".to_owned()),
            namespace: None,
            service_account: folder.path(""),
        };
        let target = find_target(&pod).unwrap();
        assert_eq!(
            target.cluster.server.as_deref(),
            Some("https://[fd00::1]:443")
        );
        assert_eq!(target.namespace.as_deref(), Some("prod"));
    }

    #[test]
    fn without_a_mounted_token_this_is_no_pod() {
        let pod = PodEnvironment {
            service_host: Some("10.0.0.1".to_owned()),
            service_port: Some("443".to_owned()),
            ..PodEnvironment::default()
        };
        assert!(find_target(&pod).is_none());
    }
}
