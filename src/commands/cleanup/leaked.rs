//! What the backends of this machine have made and no volume is called after.

use super::super::writing::base_directories::find_foreign_owner;
use crate::conventions::annotations;
use crate::conventions::object_ref::ObjectKey;
use crate::engine::{AssetOwner, Assets, FoundAsset, OwnedAsset, find_host};
use crate::model::{ClusterState, Host, Kind, Node, Volume};
use crate::storage::{AssetName, Backend, Backends, LeakedAsset, Owner};
use serde_json::Value;
use std::collections::BTreeSet;

/// Asks each backend. What it cannot tell is said, as nobody knows then what is missing.
pub(super) fn find(
    backends: &Backends,
    state: &ClusterState,
    flags: Vec<String>,
    host: Option<&Host>,
) -> Assets {
    let mut assets = Assets {
        flags,
        ..Assets::default()
    };
    if backends.is_empty() || !state.saw(Kind::Volumes, None) {
        return assets;
    }
    if state.is_from_files() {
        let why = "the volumes in files are not those of this machine";
        assets.unread.push(why.to_owned());
        return assets;
    }
    let cluster = state.objects().cluster_uid.as_deref();
    let this_node = find_host(state, host).map(hostname_of);
    let is_leaked = |asset: &FoundAsset| {
        let owned = OwnedAsset::of(asset);
        let volume = state.find_volume(&asset.name);
        volume.is_none_or(|volume| owned.is_some_and(|owned| owned.is_second(volume)))
    };
    for backend in backends.iter() {
        if let Some(why) = why_not_ours(backend, state, cluster, host) {
            assets.unread.push(why);
            continue;
        }
        let known = find_known(backend, state, this_node.as_deref());
        match asked(backend, &known, this_node.as_deref()) {
            Ok(found) => assets.found.extend(found.into_iter().filter(is_leaked)),
            Err(why) => {
                let name = backend.provisioner();
                assets.unread.push(format!("backend {name}: {why}"));
            }
        }
    }
    assets
}

/// Why nothing is said about the assets of a backend: they are another cluster's, or which cluster this is was not read.
fn why_not_ours(
    backend: &Backend,
    state: &ClusterState,
    cluster: Option<&str>,
    host: Option<&Host>,
) -> Option<String> {
    match cluster {
        _ if !backend.keeps_records() => None,
        Some(cluster) => find_foreign_owner(backend, state, cluster, host),
        None => Some("the namespace kube-system, by which a cluster is known".to_owned()),
    }
}

/// The volumes whose asset is certainly the one that this backend has under their name: their records need not be read. Another
/// machine that serves the same provisioner name may have provisioned the others.
fn find_known(
    backend: &Backend,
    state: &ClusterState,
    this_node: Option<&str>,
) -> BTreeSet<String> {
    let is_here = |volume: &&Volume| {
        let name = AssetName::find(&volume.name);
        let source = name.and_then(|name| backend.source_of(&name));
        let is_it = source.is_none_or(|source| {
            let (field, location) = place_of(&source);
            volume.source.field == field && volume.source.location == location
        });
        let node = volume.only_node();
        is_it && (node.is_none() || node == this_node)
    };
    let volumes = state.volumes().iter().filter(is_here);
    volumes.map(|volume| volume.name.clone()).collect()
}

/// The label by which volumes are pinned to a node; its name where it has none.
fn hostname_of(node: &Node) -> String {
    let label = node.labels.get(annotations::HOSTNAME);
    label.unwrap_or(&node.name).clone()
}

fn asked(
    backend: &Backend,
    known: &BTreeSet<String>,
    this_node: Option<&str>,
) -> Result<Vec<FoundAsset>, String> {
    let cannot = || "it cannot tell what it has made".to_owned();
    let deleter = backend.deleter().map_err(|error| error.to_string())?;
    let leaked = deleter.ok_or_else(cannot)?.leaked(known);
    let leaked = leaked.map_err(|error| error.to_string())?;
    let leaked = leaked.ok_or_else(cannot)?.into_iter();
    Ok(leaked
        .map(|asset| of_backend(backend.provisioner(), asset, this_node))
        .collect())
}

fn of_backend(backend: &str, leaked: LeakedAsset, this_node: Option<&str>) -> FoundAsset {
    let owner = leaked.owner.map(|owner| match owner {
        Owner::Claim {
            namespace,
            name,
            uid,
        } => AssetOwner::Claim {
            key: ObjectKey::new(namespace, name),
            uid,
        },
        set @ Owner::Set { .. } => AssetOwner::Other(set.to_string()),
    });
    let (field, location) = place_of(&leaked.asset.source);
    FoundAsset {
        backend: backend.to_owned(),
        name: leaked.name,
        owner,
        field,
        location,
        exists: leaked.exists,
        is_empty: leaked.is_empty,
        policy: leaked.policy,
        size: leaked.size,
        class: leaked.class,
        access_modes: leaked.access_modes,
        node: leaked.node.or(this_node.map(str::to_owned)),
        volume_source: leaked.asset.source,
        is_current: leaked.is_current,
    }
}

/// The kind of source, and where it lies, as the model of a volume has them.
fn place_of(source: &Value) -> (String, Option<String>) {
    let Some((field, of)) = source.as_object().and_then(|fields| fields.iter().next()) else {
        return (String::new(), None);
    };
    let text = |key: &str| of.get(key).and_then(Value::as_str);
    let location = match (text("server"), text("path")) {
        (Some(server), Some(path)) => Some(format!("{server}:{path}")),
        (_, path) => path.map(str::to_owned),
    };
    (field.clone(), location)
}
