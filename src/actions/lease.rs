//! Which of several watchers works: the one that holds the lease. It keeps them out of each other's way and nothing more; that two
//! that do not know of each other do no harm is seen to by the notes in the sets.

use super::draft::{Draft, Patched};
use super::operation::{Creation, Patch};
use super::plan::{Deed, Errand, Plan, Target};
use super::volume_set::COMMAND;
use crate::model::{ClusterState, Lease};
use serde_json::{Value, json};

/// What the lease is called.
pub(crate) const NAME: &str = "kubectl-pv-set-reconcile";
/// For how long it holds without being renewed.
pub(crate) const SECONDS: u64 = 15;

/// Plans to take the lease, or to renew it: nobody else may have written it meanwhile.
pub(crate) fn plan_lease(found: Option<&Lease>, namespace: &str, holder: &str) -> Plan {
    let mut draft = Draft::new(&ClusterState::default(), COMMAND);
    draft.begin(errand("the lease is taken"));
    let why = "only one watcher works at a time".to_owned();
    let Some(lease) = found else {
        let target = Target::lease(namespace, NAME, None);
        let body = json!({
            "apiVersion": target.kind.api_version(), "kind": target.kind,
            "metadata": { "name": NAME, "namespace": namespace },
            "spec": spec(holder, 0, true),
        });
        let creation = Creation {
            object: body,
            fills: vec![],
        };
        draft.create(target, creation, why);
        return draft.plan;
    };
    let is_ours = lease.holder.as_deref() == Some(holder);
    let transitions = lease.transitions + u64::from(!is_ours);
    let body = json!({ "spec": spec(holder, transitions, !is_ours) });
    draft.patch(patched(lease, namespace), Patch::object(body), why);
    draft.plan
}

/// Plans to give the lease back, so that nobody has to wait until it is over.
pub(crate) fn plan_release(lease: &Lease, namespace: &str) -> Plan {
    let mut draft = Draft::new(&ClusterState::default(), COMMAND);
    draft.begin(errand("the lease is given back"));
    let why = "whoever waits for it need not wait any longer".to_owned();
    let body = json!({ "spec": { "holderIdentity": "", "renewTime": null } });
    draft.patch(patched(lease, namespace), Patch::object(body), why);
    draft.plan
}

fn errand(what: &str) -> Errand {
    Errand {
        claim: None,
        volume: NAME.to_owned(),
        what: what.to_owned(),
        deed: Deed::Tell,
    }
}

fn patched(lease: &Lease, namespace: &str) -> Patched {
    let target = Target::lease(namespace, NAME, lease.uid.as_ref());
    Patched::new(target, lease.resource_version.clone())
}

/// Times are filled in when it is sent.
fn spec(holder: &str, transitions: u64, is_new: bool) -> Value {
    let mut spec = json!({
        "holderIdentity": holder, "leaseDurationSeconds": SECONDS, "leaseTransitions": transitions,
        "renewTime": null,
    });
    if is_new {
        spec["acquireTime"] = Value::Null;
    }
    spec
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::operation::Action;

    #[test]
    fn a_lease_is_created_taken_over_or_renewed() {
        let made = &plan_lease(None, "default", "me").changes[0];
        assert_eq!(made.action(), Action::Create);
        let lease = |holder: &str| Lease {
            uid: Some("u".to_owned()),
            resource_version: Some("7".to_owned()),
            holder: Some(holder.to_owned()),
            seconds: Some(SECONDS),
            transitions: 3,
        };
        let renewed = &plan_lease(Some(&lease("me")), "default", "me").changes[0];
        assert_eq!(renewed.body()["spec"]["leaseTransitions"], 3);
        assert!(renewed.body()["spec"].get("acquireTime").is_none());
        assert_eq!(renewed.body()["metadata"]["resourceVersion"], "7");
        let released = &plan_release(&lease("me"), "default").changes[0];
        assert_eq!(released.body()["spec"]["holderIdentity"], "");
        assert_eq!(released.body()["metadata"]["resourceVersion"], "7");
        let taken = &plan_lease(Some(&lease("other")), "default", "me").changes[0];
        assert_eq!(taken.body()["spec"]["leaseTransitions"], 4);
        assert_eq!(taken.body()["metadata"]["uid"], "u");
    }
}
