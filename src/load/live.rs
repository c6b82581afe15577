//! State from a live cluster: lists side by side into slim structs. A list that is forbidden or not served becomes a
//! gap; anything else that fails is an error.

use super::changes::load_cluster_uid;
use super::client::{ApiError, ApiErrorKind, Connection};
use super::decode::{DecodeError, Decoder};
use super::items::ItemList;
use super::requests::{collection_path, escape, list_of_one, object_path};
use super::{Overlay, state_of_cluster, wire};
use crate::conventions::object_ref::ObjectKey;
use crate::model::{
    BindingMode, Claim, ClusterState, Gap, GapReason, Kind, Time, UnreadObject, UnreadReason,
};
use futures::future::join_all;
use k8s_openapi::api::{
    apps::v1 as apps, batch::v1 as batch, core::v1 as core, storage::v1 as storage,
};
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;

/// One page holds as many objects as the server gives in one go without keeping others waiting.
const PAGE: usize = 5_000;

/// So many missing volumes are asked for by name; if there are more, all volumes are listed once more.
const MOST_ASKED_FOR: usize = 20;
/// So many single objects are asked for at once.
const AT_ONCE: usize = 16;

/// What is asked about: one namespace, or all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Scope {
    Namespace(String),
    /// One namespace, and all others as far as we may see them: what happens there bears on the answer.
    Around(String),
    All,
}

/// Where a kind is listed; the facts are those of the published API.
struct Resource {
    kind: Kind,
    api_version: &'static str,
    object: &'static str,
    query: &'static str,
    reach: Reach,
}

/// How far a list reaches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Not in namespaces.
    Cluster,
    /// The namespace that is asked about.
    Namespace,
    /// All namespaces, or only the one that is asked about where that is all we may see.
    Widest,
}

/// What the answer is about, which decides how much must be read for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject<'a> {
    /// Claims: pods elsewhere and what is attached where matter only if the scheduler has a say.
    Claims,
    /// Pods, volumes or the whole cluster.
    Anything,
    /// These classes, or all: with what is made of them, and who makes it.
    Classes(&'a [String]),
    /// What these classes say of themselves.
    ClassesAlone(&'a [String]),
    /// What nobody needs any more.
    Cleanup,
    /// The same, and what decides whether and by whom it is deleted.
    Reclamation,
    /// Volumes and claims alone, for a last look.
    VolumesAndClaims,
    /// Sets of volumes, and what decides what becomes of their members.
    Sets,
    /// Sets of volumes, and everything else.
    SetsAndAnything,
}

/// Everything the engine looks at, except what only a few claims need.
const RESOURCES: [Resource; 10] = [
    VOLUMES,
    CLASSES,
    resource::<storage::CSIDriver>(Kind::CsiDrivers, Reach::Cluster),
    resource::<storage::CSINode>(Kind::CsiNodes, Reach::Cluster),
    resource::<core::Node>(Kind::Nodes, Reach::Cluster),
    resource::<core::Pod>(Kind::Pods, Reach::Namespace),
    resource::<core::LimitRange>(Kind::LimitRanges, Reach::Namespace),
    resource::<core::ResourceQuota>(Kind::Quotas, Reach::Namespace),
    events("fieldSelector=involvedObject.kind%3DPersistentVolumeClaim"),
    resource::<apps::StatefulSet>(Kind::Workloads, Reach::Namespace),
];

/// What the scheduler looks at besides: volumes that are attached, and pods that use them, wherever they are.
const AROUND_PODS: [Resource; 5] = [
    resource::<core::Pod>(Kind::Pods, Reach::Widest),
    resource::<storage::CSIStorageCapacity>(Kind::Capacities, Reach::Widest),
    ATTACHMENTS,
    events("fieldSelector=involvedObject.kind%3DPod"),
    events("fieldSelector=involvedObject.kind%3DPersistentVolume"),
];

/// What tells of classes: who makes their volumes, where, and what there is of them. Claims follow.
const AROUND_CLASSES: [Resource; 7] = [
    VOLUMES,
    resource::<storage::CSIDriver>(Kind::CsiDrivers, Reach::Cluster),
    resource::<storage::CSINode>(Kind::CsiNodes, Reach::Cluster),
    resource::<core::Node>(Kind::Nodes, Reach::Cluster),
    resource::<storage::VolumeAttributesClass>(Kind::AttributesClasses, Reach::Cluster),
    resource::<storage::CSIStorageCapacity>(Kind::Capacities, Reach::Widest),
    events("fieldSelector=involvedObject.kind%3DPersistentVolumeClaim"),
];

/// Attachments, which are listed before the volumes they may be leftovers of.
const ATTACHMENTS: Resource =
    resource::<storage::VolumeAttachment>(Kind::Attachments, Reach::Cluster);

/// Who needs claims, volumes and attachments.
const HOLDERS: [Resource; 9] = [
    resource::<core::Node>(Kind::Nodes, Reach::Cluster),
    resource::<core::Pod>(Kind::Pods, Reach::Namespace),
    resource::<apps::StatefulSet>(Kind::Workloads, Reach::Namespace),
    resource::<apps::Deployment>(Kind::Deployments, Reach::Namespace),
    resource::<apps::ReplicaSet>(Kind::ReplicaSets, Reach::Namespace),
    resource::<core::ReplicationController>(Kind::ReplicationControllers, Reach::Namespace),
    resource::<apps::DaemonSet>(Kind::DaemonSets, Reach::Namespace),
    resource::<batch::Job>(Kind::Jobs, Reach::Namespace),
    resource::<batch::CronJob>(Kind::CronJobs, Reach::Namespace),
];

/// Who deletes and empties volumes, and is at it.
const RECLAIMERS: [Resource; 5] = [
    resource::<core::Pod>(Kind::Pods, Reach::Widest),
    resource::<storage::CSIDriver>(Kind::CsiDrivers, Reach::Cluster),
    resource::<storage::CSINode>(Kind::CsiNodes, Reach::Cluster),
    events("fieldSelector=involvedObject.kind%3DPersistentVolumeClaim"),
    events("fieldSelector=involvedObject.kind%3DPersistentVolume"),
];

/// Sets of volumes. They are listed before their members: whatever a set says its members show already, or show soon.
const SETS: Resource = Resource {
    kind: Kind::VolumeSets,
    api_version: "kubectl-pv.dev/v1alpha1",
    object: "PersistentVolumeSet",
    query: "",
    reach: Reach::Cluster,
};

/// Who else makes volumes, and who has them; listed after the volumes, so that whoever has come meanwhile is seen.
const AROUND_SETS: [Resource; 8] = [
    CLAIMS,
    CLASSES,
    ATTACHMENTS,
    resource::<core::Node>(Kind::Nodes, Reach::Cluster),
    resource::<storage::CSIDriver>(Kind::CsiDrivers, Reach::Cluster),
    resource::<storage::CSINode>(Kind::CsiNodes, Reach::Cluster),
    events("fieldSelector=involvedObject.kind%3DPersistentVolumeClaim"),
    events("fieldSelector=involvedObject.kind%3DPersistentVolume"),
];

/// Classes, which may be asked for by name by somebody who may not list them.
const CLASSES: Resource = resource::<storage::StorageClass>(Kind::Classes, Reach::Cluster);

const fn events(query: &'static str) -> Resource {
    Resource {
        query,
        ..resource::<core::Event>(Kind::Events, Reach::Widest)
    }
}

/// Volumes, which may be asked for by name once more.
const VOLUMES: Resource = resource::<core::PersistentVolume>(Kind::Volumes, Reach::Cluster);

/// Claims, which are listed after all else.
const CLAIMS: Resource = resource::<core::PersistentVolumeClaim>(Kind::Claims, Reach::Widest);

const fn resource<R: k8s_openapi::Resource>(kind: Kind, reach: Reach) -> Resource {
    Resource {
        kind,
        api_version: R::API_VERSION,
        object: R::KIND,
        query: "",
        reach,
    }
}

impl Resource {
    /// Where its objects are.
    fn collection(&self, namespace: Option<&str>) -> String {
        collection_path(self.api_version, namespace, self.kind.resource())
    }
}

/// Lists what the engine needs for the claims of a scope, and for those of a what-if.
///
/// Lists are not taken at one moment. Claims come after volumes: a volume whose claim is not among them then really has none,
/// and a claim whose volume is not among them may have a newer one, which is asked for by name before anybody calls it lost.
pub(crate) async fn load_live(
    connection: &Connection,
    scope: &Scope,
    subject: Subject<'_>,
    now: Time,
    overlay: &Overlay,
) -> Result<ClusterState, ApiError> {
    let mut decoder = Decoder {
        default_namespace: connection.namespace.clone(),
        ..Decoder::default()
    };
    let mut gaps = Vec::new();
    if let Subject::Classes(names) | Subject::ClassesAlone(names) = subject {
        load_classes(connection, names, &mut decoder, &mut gaps, overlay).await?;
        if let Subject::Classes(_) = subject {
            load_around_classes(connection, scope, &mut decoder, &mut gaps).await?;
        }
        return Ok(state_of_cluster(decoder, gaps, time_of(connection, now)));
    }
    if matches!(subject, Subject::Cleanup | Subject::Reclamation) {
        load_leftovers(connection, scope, subject, &mut decoder, &mut gaps).await?;
        return Ok(state_of_cluster(decoder, gaps, time_of(connection, now)));
    }
    if subject == Subject::VolumesAndClaims {
        for resource in [&VOLUMES, &CLAIMS] {
            load_lists(connection, scope, &[resource], &mut decoder, &mut gaps).await?;
        }
        return Ok(state_of_cluster(decoder, gaps, time_of(connection, now)));
    }
    if matches!(subject, Subject::Sets | Subject::SetsAndAnything) || overlay.asks_for_sets() {
        load_lists(connection, scope, &[&SETS], &mut decoder, &mut gaps).await?;
    }
    if subject == Subject::Sets {
        load_lists(connection, scope, &[&VOLUMES], &mut decoder, &mut gaps).await?;
        let around: Vec<&Resource> = AROUND_SETS.iter().collect();
        load_lists(connection, scope, &around, &mut decoder, &mut gaps).await?;
        return Ok(state_of_cluster(decoder, gaps, time_of(connection, now)));
    }
    let wide = matches!(subject, Subject::Anything | Subject::SetsAndAnything);
    // Pods are then read from everywhere at once, instead of from the namespace alone.
    let narrow = RESOURCES
        .iter()
        .filter(|resource| !wide || resource.kind != Kind::Pods);
    let around: &[Resource] = if wide { &AROUND_PODS } else { &[] };
    let all: Vec<&Resource> = narrow.chain(around).collect();
    load_lists(connection, scope, &all, &mut decoder, &mut gaps).await?;
    // StatefulSets tell who would use a claim; the claims they made are there already.
    decoder.template_claims.clear();
    let claims = list_widest(connection, &CLAIMS, scope).await?;
    take(&mut decoder, &mut gaps, &CLAIMS, claims)?;
    if !wide && waits_for_scheduler(&decoder) {
        gaps.retain(|gap| gap.kind != Kind::Pods);
        let around: Vec<&Resource> = AROUND_PODS.iter().collect();
        load_lists(connection, scope, &around, &mut decoder, &mut gaps).await?;
    }
    load_newer_volumes(connection, &mut decoder, &gaps).await?;
    load_what_claims_name(connection, &mut decoder, overlay).await;
    Ok(state_of_cluster(decoder, gaps, time_of(connection, now)))
}

/// What may be left over, and after it whoever may need it: what comes into use while we read is then seen in use.
async fn load_leftovers(
    connection: &Connection,
    scope: &Scope,
    subject: Subject<'_>,
    decoder: &mut Decoder,
    gaps: &mut Vec<Gap>,
) -> Result<(), ApiError> {
    for resource in [&ATTACHMENTS, &VOLUMES, &CLAIMS] {
        load_lists(connection, scope, &[resource], decoder, gaps).await?;
    }
    load_newer_volumes(connection, decoder, gaps).await?;
    let is_earnest = subject == Subject::Reclamation;
    // Recyclers of the controller are pods of whichever namespace.
    let holders = HOLDERS
        .iter()
        .filter(|resource| !is_earnest || resource.kind != Kind::Pods);
    let reclaimers: &[Resource] = if is_earnest { &RECLAIMERS } else { &[] };
    let all: Vec<&Resource> = holders.chain(reclaimers).collect();
    load_lists(connection, scope, &all, decoder, gaps).await?;
    if is_earnest {
        // Not needed unless a backend keeps records; whether it is missed is decided there.
        decoder.objects.cluster_uid = load_cluster_uid(connection).await.ok();
    }
    // What templates would create is not there yet.
    decoder.template_claims.clear();
    Ok(())
}

/// The classes; of somebody who may not list them, those that were named and that a what-if does not bring along.
async fn load_classes(
    connection: &Connection,
    names: &[String],
    decoder: &mut Decoder,
    gaps: &mut Vec<Gap>,
    overlay: &Overlay,
) -> Result<(), ApiError> {
    let listed = list(connection, &CLASSES, None).await?;
    let is_forbidden = matches!(listed, Listed::Missing(GapReason::Forbidden));
    take(decoder, gaps, &CLASSES, listed)?;
    let brought = &overlay.objects().classes;
    let is_brought = |name: &str| brought.iter().any(|class| class.name == name);
    for name in names.iter().filter(|name| !is_brought(name)) {
        if !is_forbidden {
            break;
        }
        // What cannot exist is absent.
        let Some(path) = object_path(&CLASSES.collection(None), name) else {
            continue;
        };
        if !load_one(connection, decoder, &CLASSES, &path).await? {
            let message = format!("you may neither list storageclasses nor get \"{name}\"");
            return Err(ApiError::new(
                "get storageclasses",
                ApiErrorKind::Forbidden { message },
            ));
        }
    }
    Ok(())
}

/// What tells of the classes. Claims come after volumes, as in [`load_live`].
async fn load_around_classes(
    connection: &Connection,
    scope: &Scope,
    decoder: &mut Decoder,
    gaps: &mut Vec<Gap>,
) -> Result<(), ApiError> {
    let around: Vec<&Resource> = AROUND_CLASSES.iter().collect();
    load_lists(connection, scope, &around, decoder, gaps).await?;
    let claims = list_widest(connection, &CLAIMS, scope).await?;
    take(decoder, gaps, &CLAIMS, claims)?;
    load_newer_volumes(connection, decoder, gaps).await
}

/// Lists side by side, taken in one after the other.
async fn load_lists(
    connection: &Connection,
    scope: &Scope,
    resources: &[&Resource],
    decoder: &mut Decoder,
    gaps: &mut Vec<Gap>,
) -> Result<(), ApiError> {
    let lists = resources
        .iter()
        .map(|resource| list_widest(connection, resource, scope));
    for (resource, result) in resources.iter().zip(join_all(lists).await) {
        take(decoder, gaps, resource, result?)?;
    }
    Ok(())
}

/// Whether any unbound claim has a class that leaves the choice to the scheduler.
fn waits_for_scheduler(decoder: &Decoder) -> bool {
    let objects = &decoder.objects;
    let delayed: HashSet<&str> = objects
        .classes
        .iter()
        .filter(|class| class.binding_mode == BindingMode::WaitForFirstConsumer)
        .map(|class| class.name.as_str())
        .collect();
    // A claim without a class may yet get the default one, which may be delayed.
    let may_be_delayed =
        |claim: &Claim| !claim.class.is_set() || delayed.contains(claim.class.resolved());
    !delayed.is_empty()
        && objects
            .claims
            .iter()
            .any(|claim| !claim.is_bind_completed() && may_be_delayed(claim))
}

/// Volumes that claims name and that were made after the volumes were listed.
async fn load_newer_volumes(
    connection: &Connection,
    decoder: &mut Decoder,
    gaps: &[Gap],
) -> Result<(), ApiError> {
    if gaps.iter().any(|gap| gap.kind == Kind::Volumes) {
        return Ok(());
    }
    let known: HashSet<&str> = decoder
        .objects
        .volumes
        .iter()
        .map(|volume| volume.name.as_str())
        .collect();
    let named = decoder.objects.claims.iter();
    let named = named.filter_map(|claim| claim.volume_name.as_deref());
    let missing: BTreeSet<String> = named
        .filter(|name| !known.contains(name))
        .map(str::to_owned)
        .collect();
    let volumes = VOLUMES.collection(None);
    let paths: Vec<String> = missing
        .iter()
        .filter_map(|name| list_of_one(&volumes, name))
        .collect();
    let one_by_one = if paths.len() > MOST_ASKED_FOR {
        None
    } else {
        let pages = paths.iter().map(|path| connection.get_text(path));
        let pages = join_all(pages).await.into_iter();
        pages.collect::<Result<Vec<String>, ApiError>>().ok()
    };
    // Many names, and trouble with one of them, cost one more list: it does not matter who wrote the names.
    let listed = match one_by_one {
        Some(pages) => Listed::Pages(pages),
        None => list(connection, &VOLUMES, None).await?,
    };
    let mut newer = Decoder::default();
    take(&mut newer, &mut vec![], &VOLUMES, listed)?;
    let newer = newer.objects.volumes.into_iter();
    let newer = newer.filter(|volume| missing.contains(&volume.name));
    decoder.objects.volumes.extend(newer);
    Ok(())
}

/// Reads one object by its path. Answers whether we may read it; what is not there is simply not there.
async fn load_one(
    connection: &Connection,
    decoder: &mut Decoder,
    resource: &Resource,
    path: &str,
) -> Result<bool, ApiError> {
    match connection.get_text(path).await {
        Ok(body) => add_one(decoder, resource, &body).map(|()| true),
        Err(error) => match error.kind {
            ApiErrorKind::NotFound { .. } => Ok(true),
            ApiErrorKind::Forbidden { .. } => Ok(false),
            _ => Err(error.while_doing(&act(resource))),
        },
    }
}

fn add_one(decoder: &mut Decoder, resource: &Resource, body: &str) -> Result<(), ApiError> {
    let one = ItemList {
        api_version: resource.api_version,
        kind: resource.object,
    };
    let malformed = |error: DecodeError| {
        let reason = format!("{}: {}", error.field, error.message);
        ApiError::new(&act(resource), ApiErrorKind::Malformed { reason })
    };
    one.add(decoder, body).map_err(malformed)
}

/// What came of a list.
enum Listed {
    Pages(Vec<String>),
    /// Seen in one namespace only.
    Partly(Vec<String>, String),
    Missing(GapReason),
}

fn take(
    decoder: &mut Decoder,
    gaps: &mut Vec<Gap>,
    resource: &Resource,
    listed: Listed,
) -> Result<(), ApiError> {
    let kind = resource.kind;
    let pages = match listed {
        Listed::Pages(pages) => pages,
        Listed::Partly(pages, namespace) => {
            gaps.push(Gap {
                kind,
                why: GapReason::Forbidden,
                seen_only_in: Some(namespace),
            });
            pages
        }
        Listed::Missing(why) => {
            gaps.push(Gap {
                kind,
                why,
                seen_only_in: None,
            });
            vec![]
        }
    };
    for page in &pages {
        decode_page(decoder, resource, page)?;
    }
    Ok(())
}

fn decode_page(decoder: &mut Decoder, resource: &Resource, page: &str) -> Result<(), ApiError> {
    let malformed =
        |reason: String| ApiError::new(&act(resource), ApiErrorKind::Malformed { reason });
    let envelope: wire::Envelope<'_> =
        serde_json::from_str(page).map_err(|error| malformed(error.to_string()))?;
    let list = ItemList {
        api_version: resource.api_version,
        kind: resource.object,
    };
    let told = |error: DecodeError| malformed(format!("{}: {}", error.field, error.message));
    list.add_all(decoder, &envelope.items.unwrap_or_default())
        .map_err(|(_, error)| told(error))
}

fn act(resource: &Resource) -> String {
    format!("list {}", resource.kind.resource())
}

async fn list_widest(
    connection: &Connection,
    resource: &Resource,
    scope: &Scope,
) -> Result<Listed, ApiError> {
    let own = match scope {
        Scope::Namespace(namespace) | Scope::Around(namespace) => Some(namespace.as_str()),
        Scope::All => None,
    };
    let is_wide = match resource.reach {
        Reach::Cluster => false,
        Reach::Widest => true,
        Reach::Namespace => matches!(scope, Scope::Around(_)),
    };
    let first = match resource.reach {
        Reach::Namespace if !is_wide => own,
        _ => None,
    };
    match (list(connection, resource, first).await?, own) {
        (Listed::Missing(GapReason::Forbidden), Some(namespace)) if is_wide => {
            Ok(match list(connection, resource, Some(namespace)).await? {
                Listed::Pages(pages) => Listed::Partly(pages, namespace.to_owned()),
                other => other,
            })
        }
        (listed, _) => Ok(listed),
    }
}

/// All pages of a list. One that changes too fast to be paged through is read in one go.
async fn list(
    connection: &Connection,
    resource: &Resource,
    namespace: Option<&str>,
) -> Result<Listed, ApiError> {
    let mut pages = Vec::new();
    let mut next: Option<String> = None;
    let mut limit = Some(PAGE);
    loop {
        let path = path(resource, namespace, limit, next.as_deref());
        match connection.get_text(&path).await {
            Ok(page) => {
                next = continuation(&page);
                pages.push(page);
                if next.is_none() {
                    return Ok(Listed::Pages(pages));
                }
            }
            Err(error) => match error.kind {
                ApiErrorKind::Forbidden { .. } => return Ok(Listed::Missing(GapReason::Forbidden)),
                ApiErrorKind::NotFound { .. } => return Ok(Listed::Missing(GapReason::NotServed)),
                ApiErrorKind::Server { code: 410, .. } if limit.is_some() => {
                    pages.clear();
                    (limit, next) = (None, None);
                }
                _ => return Err(error.while_doing(&act(resource))),
            },
        }
    }
}

fn path(
    resource: &Resource,
    namespace: Option<&str>,
    limit: Option<usize>,
    next: Option<&str>,
) -> String {
    let mut path = format!("{}?{}", resource.collection(namespace), resource.query);
    if let Some(limit) = limit {
        let _ = write!(path, "&limit={limit}");
    }
    if let Some(next) = next {
        let _ = write!(path, "&continue={}", escape(next));
    }
    path
}

/// The token of the next page. Read without the items, which are most of the page.
fn continuation(page: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Head {
        metadata: Option<wire::ListMeta>,
    }
    let head: Head = serde_json::from_str(page).ok()?;
    head.metadata?.next.filter(|token| !token.is_empty())
}

/// Snapshots are an add-on, and not among the published types.
const SNAPSHOTS: Resource = Resource {
    kind: Kind::Snapshots,
    api_version: "snapshot.storage.k8s.io/v1",
    object: "VolumeSnapshot",
    query: "",
    reach: Reach::Namespace,
};

/// ConfigMaps and snapshots: only those that a claim names, so that nothing else is ever read. What a what-if brings along
/// need not be read.
async fn load_what_claims_name(connection: &Connection, decoder: &mut Decoder, overlay: &Overlay) {
    let asked_for = overlay.asked_for().iter().cloned();
    let mut wanted: BTreeSet<(Kind, ObjectKey)> =
        asked_for.map(|key| (Kind::ConfigMaps, key)).collect();
    let claims = decoder.objects.claims.iter().chain(overlay.claims());
    for claim in claims.filter(|claim| !claim.is_bind_completed()) {
        let here = |name: &str| ObjectKey::new(&*claim.key.namespace, name);
        wanted.extend(
            claim
                .options
                .as_deref()
                .map(|name| (Kind::ConfigMaps, here(name))),
        );
        let source = claim
            .data_source_ref
            .as_ref()
            .or(claim.data_source.as_ref());
        let snapshot = source.filter(|source| source.kind == "VolumeSnapshot");
        wanted.extend(snapshot.map(|source| (Kind::Snapshots, here(&source.name))));
    }
    let brought = overlay.objects();
    wanted.retain(|(kind, key)| match kind {
        Kind::Snapshots => brought
            .snapshots
            .iter()
            .all(|snapshot| snapshot.key != *key),
        _ => brought.config_maps.iter().all(|map| map.key != *key),
    });
    let wanted: Vec<(Kind, ObjectKey)> = wanted.into_iter().collect();
    for some in wanted.chunks(AT_ONCE) {
        let answers = some
            .iter()
            .map(|(kind, key)| read_one(connection, *kind, key));
        for ((kind, key), answer) in some.iter().zip(join_all(answers).await) {
            let added = match answer {
                Ok(Some(body)) => add_one(decoder, &resource_of(*kind), &body),
                Ok(None) => Ok(()),
                Err(error) => Err(error),
            };
            if let Err(error) = added {
                decoder.objects.unread.push(UnreadObject {
                    kind: *kind,
                    key: key.clone(),
                    why: why_unread(&error),
                });
            }
        }
    }
}

/// Trouble with one object is an unknown of the claims that name it.
fn why_unread(error: &ApiError) -> UnreadReason {
    match error.kind {
        ApiErrorKind::Forbidden { .. } => UnreadReason::Forbidden,
        _ => UnreadReason::Answered(error.to_string()),
    }
}

/// ConfigMaps and snapshots, which are read one by one.
fn resource_of(kind: Kind) -> Resource {
    match kind {
        Kind::Snapshots => SNAPSHOTS,
        _ => resource::<core::ConfigMap>(kind, Reach::Namespace),
    }
}

/// One object, as the server prints it; `None` if it does not exist.
async fn read_one(
    connection: &Connection,
    kind: Kind,
    key: &ObjectKey,
) -> Result<Option<String>, ApiError> {
    let collection = resource_of(kind).collection(Some(&key.namespace));
    let Some(path) = object_path(&collection, &key.name) else {
        return Ok(None);
    };
    match connection.get_text(&path).await {
        Ok(body) => Ok(Some(body)),
        Err(error) if matches!(error.kind, ApiErrorKind::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The time of the server; the time of this machine where the server states none.
fn time_of(connection: &Connection, local: Time) -> Time {
    let server = connection.clock.now();
    server.map_or(local, |server| Time(server.as_second()))
}
