//! A base directory in which no member can be created, or a member's directory that cannot be deleted: refused before anything is
//! written, and again if that is so only since the question was asked. The members stay as they were.

use serde_json::json;

use super::stage::{Stage, open};
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::cluster::needs_provision::scene::Kind;
use crate::cluster::needs_provision::unready::FULL;
use crate::cluster::obstacle::{LINK, Moment, NO_RIGHTS, Obstacle, READ_ONLY, UNMOUNTED};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    /// From none to one.
    Make,
    /// From three to two.
    Delete,
}

fn refuse(obstacle: Obstacle, wish: Wish, moment: Moment) {
    let (_cluster, upstream) = open();
    let proxy = Proxy::start(upstream.address, Pass);
    let size = if wish == Wish::Make { 1 } else { 3 };
    let stage = Stage::create(upstream.api(), "unready", Some(Kind::Nfs), (size, size));
    if wish == Wish::Delete {
        stage.fill(proxy.kubeconfig());
        stage.resize(2, 2);
    }
    let (set, members) = (stage.found_set(), stage.members());
    let flags = ["-o", "json", "--timeout", "6s"];
    let command = stage.ask(proxy.kubeconfig(), "reconcile", &flags).command();
    let ended = obstacle.hinder(moment, &command, &stage.yard, &stage.asset(0));
    let what = format!("{obstacle:?} {wish:?} {moment:?}: {ended:?}");
    assert_eq!(stage.members(), members, "{what}");
    assert_eq!(stage.asset(0).exists(), wish == Wish::Delete, "{what}");
    let is_unmounted = obstacle.code == UNMOUNTED.code && moment == Moment::Planning;
    if is_unmounted && wish == Wish::Delete {
        assert_eq!(ended.status, Some(2), "{what}");
        assert!(ended.stderr.contains("is the disk mounted?"), "{what}");
    } else {
        // A member that stays is no refusal of the set, and the plan says so.
        let is_fine = wish == Wish::Delete && moment == Moment::Planning;
        assert_eq!(ended.status, Some(i32::from(!is_fine)), "{what}");
        obstacle.assert_refused(moment, &ended, &what);
    }
    if moment == Moment::Prompt {
        assert_eq!(stage.found_set(), set, "{what}");
    }
    stage.clear();
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn no_member_is_created() {
    for obstacle in [FULL, READ_ONLY, NO_RIGHTS] {
        refuse(obstacle, Wish::Make, Moment::Planning);
        refuse(obstacle, Wish::Make, Moment::Prompt);
    }
    // An empty directory is as good as a new one.
    refuse(UNMOUNTED, Wish::Make, Moment::Prompt);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn no_member_is_deleted() {
    for obstacle in [UNMOUNTED, READ_ONLY, NO_RIGHTS] {
        refuse(obstacle, Wish::Delete, Moment::Planning);
        refuse(obstacle, Wish::Delete, Moment::Prompt);
    }
    // While planning another member would be deleted instead.
    refuse(LINK, Wish::Delete, Moment::Prompt);
}

/// The second directory is replaced by a link while the first member is deleted.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn a_change_after_the_first_write() {
    let (_cluster, upstream) = open();
    let proxy = Proxy::start(upstream.address, Pass);
    let stage = Stage::create(upstream.api(), "unready", Some(Kind::Nfs), (4, 4));
    stage.fill(proxy.kubeconfig());
    stage.resize(2, 2);
    let mut kept = stage.members();
    kept.retain(|member| member["metadata"]["name"] == stage.member_name(1));
    let (asset, away) = (stage.asset(1), stage.yard.root().join("away"));
    let ended = LINK.hinder_at_first_write(&upstream, (&asset, &away), |kubeconfig| {
        stage.reconcile(kubeconfig).command()
    });
    let mut left = stage.members();
    left.retain(|member| member["metadata"]["name"] == stage.member_name(1));
    assert_eq!(json!(left), json!(kept), "{ended:?}");
    assert!(away.exists() && !stage.asset(0).exists(), "{ended:?}");
    LINK.assert_refused_late(&ended);
    stage.clear();
}
