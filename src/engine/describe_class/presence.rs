//! Whether the provisioner of a class is there, and what shows it.

use super::super::provisioning::{Maker, Reports, Signs, registered_like, reports_of, signs_of};
use super::usage::Survey;
use crate::conventions::class_name::HOST_PATH;
use crate::model::{Class, ClusterState, Event, Kind};
use crate::report::{ClassDriver, Presence, ProvisionedBy, join_or, plural, served};

pub(super) fn describe(
    state: &ClusterState,
    class: &Class,
    maker: &Maker,
    survey: &Survey<'_>,
    served_here: Option<&str>,
) -> ClassDriver {
    match maker {
        Maker::External { name, by } => {
            let driver = ClassDriver {
                migrated_from: (*by == ProvisionedBy::Migrated).then(|| class.provisioner.clone()),
                checks_capacity: checks_capacity(state, class),
                ..external(state, name, survey)
            };
            match served_here {
                None => driver,
                Some(target) => here(driver, target),
            }
        }
        Maker::Internal => inside(
            HOST_PATH,
            Presence::Internal,
            "inside the controller, for tests on one node, and only if that runs with --enable-hostpath-provisioner",
        ),
        Maker::Nobody => inside(
            &class.provisioner,
            Presence::None,
            "volumes of this class are made by hand",
        ),
        Maker::Unimplemented(_) => inside(
            &class.provisioner,
            Presence::NotSeen,
            "only Kubernetes itself may implement such a name, and it does not: no volume is ever made",
        ),
    }
}

fn inside(name: &str, presence: Presence, note: &str) -> ClassDriver {
    ClassDriver {
        name: name.to_owned(),
        migrated_from: None,
        presence,
        checks_capacity: false,
        evidence: vec![],
        served_here: None,
        note: Some(note.to_owned()),
    }
}

/// This machine serves it: that it registers nowhere means nothing, and that somebody else registered it means much.
fn here(mut driver: ClassDriver, target: &str) -> ClassDriver {
    driver.served_here = Some(target.to_owned());
    driver.evidence.push(served(target));
    driver.note = (driver.presence == Presence::Registered).then(|| {
        "somebody in the cluster serves that name, too, so this machine makes nothing under it"
            .to_owned()
    });
    driver
}

fn external(state: &ClusterState, name: &str, survey: &Survey<'_>) -> ClassDriver {
    let registered = registrations(state, name);
    let presence = match signs_of(state, name, Reports::All) {
        _ if !registered.is_empty() => Presence::Registered,
        Signs::Seen => Presence::Seen,
        Signs::None => Presence::NotSeen,
        Signs::NotSeen(_) => Presence::Unknown,
    };
    let deeds = [made(survey.volumes_made_by(name)), said(state, name)];
    ClassDriver {
        name: name.to_owned(),
        migrated_from: None,
        presence,
        checks_capacity: false,
        evidence: registered
            .into_iter()
            .chain(deeds.into_iter().flatten())
            .collect(),
        served_here: None,
        note: (presence == Presence::NotSeen).then(|| absence(state, name)),
    }
}

/// Whether the scheduler asks the room that the driver publishes; it looks for the driver under the class's own name (R115).
fn checks_capacity(state: &ClusterState, class: &Class) -> bool {
    let mut drivers = state.objects().csi_drivers.iter();
    drivers.any(|driver| driver.name == class.provisioner && driver.checks_capacity)
}

fn registrations(state: &ClusterState, name: &str) -> Vec<String> {
    let objects = state.objects();
    let is_driver = objects.csi_drivers.iter().any(|driver| driver.name == name);
    let all = objects.csi_nodes.len();
    let nodes = objects
        .csi_nodes
        .iter()
        .filter(|node| node.drivers.iter().any(|driver| driver == name))
        .count();
    let mut found = Vec::new();
    if is_driver {
        found.push(format!("CSIDriver {name}"));
    }
    if nodes > 0 {
        found.push(format!(
            "CSINode entries on {nodes} of {}",
            plural(all, "node")
        ));
    }
    found
}

fn made(count: usize) -> Option<String> {
    let carry = if count == 1 { "names" } else { "name" };
    (count > 0).then(|| format!("{} {carry} it in provisioned-by", plural(count, "volume")))
}

fn said(state: &ClusterState, name: &str) -> Option<String> {
    let own: Vec<&Event> = reports_of(state, name).collect();
    let last = own
        .iter()
        .max_by_key(|event| (event.last_seen, &event.reason, &event.about))?;
    let when = last
        .last_seen
        .map(|time| format!(" at {time}"))
        .unwrap_or_default();
    Some(format!(
        "{} of its own, the last {}{when} on {}",
        plural(own.len(), "event"),
        last.reason,
        last.about
    ))
}

/// What it means that nothing of a provisioner was seen. A CSI driver registers itself; others cannot be seen from outside.
fn absence(state: &ClusterState, name: &str) -> String {
    if state.is_absent(Kind::CsiDrivers) && state.is_absent(Kind::CsiNodes) {
        return "the files hold nothing that could show it (CSIDriver, CSINode)".to_owned();
    }
    if name.contains('/') {
        return "a provisioner of such a name registers nowhere: it may run and not have made anything yet".to_owned();
    }
    let nearest = registered_like(state, name);
    let known = if nearest.is_empty() {
        String::new()
    } else {
        format!("; registered: {}", join_or(&nearest))
    };
    format!(
        "a CSI driver registers itself, and this one has not: no volume is made until it runs{known}"
    )
}
