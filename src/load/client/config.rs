//! A target as kube's `Config`. Built by hand: kube's own loader applies `NO_PROXY` to the wrong
//! host and fails on a comma at its end.

use http::{HeaderValue, Uri, header::USER_AGENT, uri::Scheme};
use kube::{
    Config,
    config::{AuthInfo, Cluster, ExecAuthCluster, ExecConfig},
};

use super::{
    CONNECT_TIMEOUT, address, credentials, errors::ConnectError, pem, proxy::find_proxy,
    reason::innermost, target::Target,
};
use crate::environment::Environment;

/// How we name ourselves in the server's audit log.
const AGENT: &str = concat!("kubectl-pv/", env!("CARGO_PKG_VERSION"));

/// The configuration of the client, and the plugin that has to be asked for credentials.
pub(super) fn build_config(
    target: Target,
    environment: &Environment,
) -> Result<(Config, Option<ExecConfig>), ConnectError> {
    let Target {
        mut cluster,
        mut user,
        ..
    } = target;
    let server = address::parse_server(cluster.server.as_deref().unwrap_or_default())?;
    drop_empty(&mut cluster);
    let over_tls = server.scheme() == Some(&Scheme::HTTPS);
    if over_tls && cluster.certificate_authority_data.is_none() {
        let authority = cluster.certificate_authority.as_ref();
        credentials::check_file("certificate authority", authority)?;
    }
    credentials::settle(&mut user, over_tls)?;
    let exec = take_exec(&mut user, &cluster)?;

    let mut config = Config::new(server.clone());
    set_tls(&mut config, &cluster, &server)?;
    config.proxy_url = find_proxy(&server, cluster.proxy_url.as_deref(), environment)?;
    config.auth_info = user;
    config.disable_compression = cluster.disable_compression.unwrap_or(false);
    config.connect_timeout = Some(CONNECT_TIMEOUT);
    config.default_retry = false;
    config
        .headers
        .push((USER_AGENT, HeaderValue::from_static(AGENT)));
    Ok((config, exec))
}

/// Empty values count as unset, for kubectl but not for kube.
fn drop_empty(cluster: &mut Cluster) {
    for value in [
        &mut cluster.certificate_authority,
        &mut cluster.certificate_authority_data,
        &mut cluster.proxy_url,
        &mut cluster.tls_server_name,
    ] {
        value.take_if(|value| value.is_empty());
    }
}

/// Takes the plugin out of kube's hands, which would run it three times; see `exec.rs`.
fn take_exec(user: &mut AuthInfo, cluster: &Cluster) -> Result<Option<ExecConfig>, ConnectError> {
    let Some(mut exec) = user.exec.take() else {
        return Ok(None);
    };
    if exec.provide_cluster_info {
        let described =
            ExecAuthCluster::try_from(cluster).map_err(|error| ConnectError::Credential {
                what: "certificate authority",
                reason: innermost(&error),
            })?;
        exec.cluster = Some(described);
    }
    Ok(Some(exec))
}

fn set_tls(config: &mut Config, cluster: &Cluster, server: &Uri) -> Result<(), ConnectError> {
    if server.scheme() != Some(&Scheme::HTTPS) {
        return Ok(());
    }
    config.tls_server_name.clone_from(&cluster.tls_server_name);
    config.accept_invalid_certs = cluster.insecure_skip_tls_verify.unwrap_or(false);
    let described = ExecAuthCluster::try_from(cluster);
    let error = |reason| ConnectError::Credential {
        what: "certificate authority",
        reason,
    };
    let Some(pem) = described
        .map_err(|cause| error(authority_reason(cluster, &innermost(&cause))))?
        .certificate_authority_data
    else {
        return Ok(());
    };
    if config.accept_invalid_certs {
        return Err(ConnectError::InsecureWithAuthority);
    }
    let authorities = pem::certificates(&String::from_utf8_lossy(&pem));
    if authorities.is_empty() {
        return Err(error(authority_reason(
            cluster,
            "there is no certificate in it",
        )));
    }
    config.root_cert = Some(authorities);
    Ok(())
}

/// The reason with the file's name, if it is a file.
fn authority_reason(cluster: &Cluster, reason: &str) -> String {
    match (
        &cluster.certificate_authority_data,
        &cluster.certificate_authority,
    ) {
        (None, Some(path)) => format!("{path}: {reason}"),
        _ => reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::client::testing::Folder;

    fn target(server: &str) -> Target {
        let mut target = Target::default();
        target.cluster.server = Some(server.to_owned());
        target
    }

    fn build(target: Target) -> Result<(Config, Option<ExecConfig>), ConnectError> {
        build_config(target, &Environment::default())
    }

    fn message(target: Target) -> String {
        build(target).unwrap_err().to_string()
    }

    #[test]
    fn the_plugin_is_taken_out_of_kubes_hands_with_what_it_wants_to_know() {
        let mut target = target("https://k8s");
        target.user.exec = Some(ExecConfig {
            provide_cluster_info: true,
            ..ExecConfig::default()
        });
        let (config, exec) = build(target).unwrap();
        assert!(config.auth_info.exec.is_none());
        let described = exec.unwrap().cluster.unwrap();
        assert_eq!(described.server.as_deref(), Some("https://k8s"));
    }

    #[test]
    fn the_authority_is_read_from_its_file() {
        let folder = Folder::new("authority");
        let path = folder.path("ca.crt").display().to_string();
        let mut target = target("https://k8s");
        target.cluster.certificate_authority = Some(path.clone());
        assert_eq!(
            message(target.clone()),
            format!("cannot use the certificate authority: {path}: no such file or directory")
        );
        folder.write("ca.crt", "nothing");
        assert_eq!(
            message(target.clone()),
            format!("cannot use the certificate authority: {path}: there is no certificate in it")
        );
        folder.write(
            "ca.crt",
            "-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----\n",
        );
        assert_eq!(
            build(target.clone()).unwrap().0.root_cert,
            Some(vec![vec![1, 2, 3]])
        );
        target.cluster.insecure_skip_tls_verify = Some(true);
        assert!(matches!(
            build(target),
            Err(ConnectError::InsecureWithAuthority)
        ));
    }

    #[test]
    fn the_client_is_set_up_for_a_command_line() {
        let (config, _) = build(target("https://k8s")).unwrap();
        assert!(!config.default_retry);
        assert_eq!(config.connect_timeout, Some(CONNECT_TIMEOUT));
        assert!(
            config.headers[0]
                .1
                .to_str()
                .unwrap()
                .starts_with("kubectl-pv/")
        );
    }
}
