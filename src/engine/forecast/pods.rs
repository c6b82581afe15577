//! Pods that wait for a node compete for volumes, too: whichever the scheduler takes first gets its choice (N12).
//!
//! Pods that cannot get in each other's way are as `explain` says. Of the others every order is tried, at every node and
//! by every choice left to chance; where that is too much, all they could ever reach is told, and that it may be less.

mod explore;
mod symmetry;

use self::explore::{explore, least, open};
use self::symmetry::{Summary, summarize};
use super::super::Rules;
use super::super::scheduling::{Meanwhile, is_waiting, reach};
use super::actors::Role;
use super::settled::uncount;
use super::{Ask, ByController};
use crate::conventions::object_ref::ObjectKey;
use crate::model::{ClusterState, Pod};
use crate::report::{ClaimCause, ClaimForecast, Contention, Forecast, Group, Verdict};
use std::collections::{BTreeMap, BTreeSet};

/// So many assignments are listed.
const MOST_LISTED: usize = 1_000;

/// What a claim ends with: a volume that is there, one that is made, or none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Takes(String),
    Made,
    Nothing,
}

type Ends = BTreeMap<ObjectKey, End>;

/// Pods that may get in each other's way, and what their claims could ever get.
pub(super) struct Rivals<'a> {
    pods: Vec<&'a Pod>,
    reach: BTreeMap<ObjectKey, BTreeSet<String>>,
    /// The volumes among these that a claim names: the controller may bind that claim first, or after the pods.
    named: BTreeMap<String, BTreeSet<ObjectKey>>,
    has_shared_claims: bool,
}

/// The claims that may take a volume, by its name.
type Takers = BTreeMap<String, BTreeSet<ObjectKey>>;

impl Rivals<'_> {
    /// Whether the claim takes part.
    pub(super) fn has(&self, claim: &ObjectKey) -> bool {
        let mut named = self.named.values();
        self.reach.contains_key(claim) || named.any(|claims| claims.contains(claim))
    }

    /// The claims that may take each volume.
    pub(super) fn find_takers(&self, state: &ClusterState, rules: Rules) -> Takers {
        self.takers(&Explored::of(state, rules, self))
    }

    fn takers(&self, explored: &Explored) -> Takers {
        let mut takers = Takers::new();
        for (claim, volumes) in self.claims() {
            for end in explored.ends_of(&claim, &volumes) {
                if let End::Takes(volume) = end
                    && volumes.contains(&volume)
                {
                    takers.entry(volume).or_default().insert(claim.clone());
                }
            }
        }
        takers
    }

    /// All claims that take part, with the volumes they could ever get.
    fn claims(&self) -> BTreeMap<ObjectKey, BTreeSet<String>> {
        let mut claims = self.reach.clone();
        for (volume, named) in &self.named {
            for claim in named {
                let volumes = claims.entry(claim.clone()).or_default();
                volumes.insert(volume.clone());
            }
        }
        claims
    }
}

/// How many claims end how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Tally {
    bound: usize,
    provisioned: usize,
    without: usize,
}

impl Tally {
    /// Of each number the least.
    fn least(self, other: Self) -> Self {
        Self {
            bound: self.bound.min(other.bound),
            provisioned: self.provisioned.min(other.provisioned),
            without: self.without.min(other.without),
        }
    }
}

/// Lets the waiting pods compete, and corrects what is told of their claims.
pub(super) fn compete(
    state: &ClusterState,
    rules: Rules,
    ask: &Ask,
    groups: &[Rivals<'_>],
    forecast: &mut Forecast,
) {
    for group in groups {
        tell(forecast, group, &Explored::of(state, rules, group), ask);
    }
    forecast.contention.sort_by(|a, b| a.volume.cmp(&b.volume));
    forecast.groups.sort_by(|a, b| a.claims.cmp(&b.claims));
}

fn key_of(claim: &ClaimForecast) -> ObjectKey {
    ObjectKey::new(&*claim.namespace, &*claim.name)
}

/// The pods that compete with each other, or with a claim that names its volume.
pub(super) fn find_groups<'a>(
    state: &'a ClusterState,
    rules: Rules,
    by_controller: &ByController<'a>,
) -> Vec<Rivals<'a>> {
    let mut named: Takers = Takers::new();
    for actor in &by_controller.cast {
        if let Role::Takes(volume) = &actor.role {
            let volume = by_controller.index.volume(*volume).name.clone();
            let claims = named.entry(volume).or_default();
            claims.insert(actor.subject.key.clone());
        }
    }
    let mut groups = groups(state, rules);
    for group in &mut groups {
        let reach: BTreeSet<&String> = group.reach.values().flatten().collect();
        let met = named.iter().filter(|(volume, _)| reach.contains(volume));
        group.named = met
            .map(|(volume, claims)| (volume.clone(), claims.clone()))
            .collect();
    }
    groups.retain(|group| group.pods.len() > 1 || !group.named.is_empty());
    groups
}

/// The pods that wait and could be placed, put together where they reach for the same volume.
fn groups(state: &ClusterState, rules: Rules) -> Vec<Rivals<'_>> {
    let mut groups: Vec<Rivals<'_>> = Vec::new();
    for pod in state.objects().pods.iter().filter(|pod| is_waiting(pod)) {
        let reach = reach(state, pod, rules);
        if reach.values().all(BTreeSet::is_empty)
            || open(state, pod, rules, &Meanwhile::default()).is_empty()
        {
            continue;
        }
        let meets = |group: &Rivals<'_>| {
            let mut volumes = group.reach.values().flatten();
            volumes.any(|volume| reach.values().any(|own| own.contains(volume)))
                || reach.keys().any(|claim| group.reach.contains_key(claim))
        };
        let mut joined = Rivals {
            pods: vec![pod],
            reach: reach.clone(),
            named: BTreeMap::new(),
            has_shared_claims: false,
        };
        for group in groups.extract_if(.., |group| meets(group)) {
            joined.pods.extend(group.pods);
            joined.reach.extend(group.reach);
        }
        groups.push(joined);
    }
    for group in &mut groups {
        group.has_shared_claims = share_claims(&group.pods);
    }
    groups
}

/// Whether a claim is used by several of the pods.
fn share_claims(pods: &[&Pod]) -> bool {
    let mut seen = BTreeSet::new();
    pods.iter().any(|pod| {
        let claims: BTreeSet<(&str, &str)> = pod
            .volumes
            .iter()
            .map(|volume| (pod.key.namespace.as_str(), volume.claim.claim_name()))
            .collect();
        claims.into_iter().any(|claim| !seen.insert(claim))
    })
}

/// What was found out about a group.
enum Explored {
    /// Every end that some order reaches.
    Listed(BTreeSet<Ends>),
    /// Too many to list.
    Counted(Summary),
    /// Too many to visit: all that the claims could ever reach is reported.
    Not,
}

impl Explored {
    fn of(state: &ClusterState, rules: Rules, group: &Rivals<'_>) -> Self {
        match explore(state, rules, group) {
            Some(ends) => Self::Listed(ends),
            None => summarize(state, rules, group).map_or(Self::Not, Self::Counted),
        }
    }

    fn is_exact(&self) -> bool {
        !matches!(self, Self::Not)
    }

    /// What a claim may end with.
    fn ends_of(&self, claim: &ObjectKey, reach: &BTreeSet<String>) -> BTreeSet<End> {
        match self {
            Self::Listed(all) => {
                let ends = all.iter().filter_map(|ends| ends.get(claim).cloned());
                ends.collect()
            }
            Self::Counted(summary) => summary.ends.get(claim).cloned().unwrap_or_default(),
            Self::Not => {
                let volumes = reach.iter().cloned().map(End::Takes);
                volumes.chain([End::Nothing, End::Made]).collect()
            }
        }
    }

    /// How many of these claims end how, at least.
    fn least(&self, group: &Rivals<'_>, counted: &BTreeSet<ObjectKey>) -> Tally {
        let is_counted = |claim: &ObjectKey| counted.contains(claim);
        match self {
            Self::Listed(all) => least(all, is_counted),
            Self::Counted(summary) if group.reach.keys().all(is_counted) => summary.least,
            _ => Tally::default(),
        }
    }
}

/// Corrects what is told of the claims of a group, and adds the group.
fn tell(forecast: &mut Forecast, group: &Rivals<'_>, explored: &Explored, ask: &Ask) {
    let is_shown = |claim: &ObjectKey| {
        ask.namespace
            .as_ref()
            .is_none_or(|own| *own == claim.namespace)
    };
    if !group.reach.keys().any(is_shown) {
        return;
    }
    let takers = group.takers(explored);
    let mut counted = BTreeSet::new();
    for (claim, volumes) in group.claims() {
        let ends = explored.ends_of(&claim, &volumes);
        let told = forecast
            .claims
            .iter_mut()
            .find(|told| key_of(told) == claim);
        if let Some(told) = told.filter(|told| !is_stuck(told)) {
            uncount(&mut forecast.settled, told.verdict);
            correct(told, &ends, explored.is_exact());
            counted.insert(claim);
        }
    }
    let least = explored.least(group, &counted);
    let settled = &mut forecast.settled;
    settled.bound += least.bound;
    settled.provisioned += least.provisioned;
    settled.blocked += least.without;
    settled.undecided += counted.len() - least.bound - least.provisioned - least.without;
    let contended = takers.iter().filter(|(_, claims)| claims.len() > 1);
    for (volume, claims) in contended {
        forecast.contention.push(Contention {
            volume: volume.clone(),
            claims: claims.iter().map(ToString::to_string).collect(),
            claims_omitted: 0,
        });
        for told in &mut forecast.claims {
            let own = key_of(told);
            if claims.contains(&own) && told.verdict == Verdict::WillBind {
                let others = claims.iter().filter(|claim| **claim != own);
                told.competitors.extend(others.map(ToString::to_string));
                told.competitors.sort();
                told.competitors.dedup();
                note_contended(told);
            }
        }
    }
    let ends = match explored {
        Explored::Listed(ends) => Some(ends),
        Explored::Counted(_) | Explored::Not => None,
    };
    let listed = ends.filter(|ends| ends.len() <= MOST_LISTED);
    forecast.groups.push(Group {
        claims: group.claims().keys().map(ToString::to_string).collect(),
        volumes: takers.keys().cloned().collect(),
        volumes_omitted: 0,
        exact: explored.is_exact(),
        assignments: listed
            .map(|ends| ends.iter().map(assignment).collect())
            .unwrap_or_default(),
        assignments_omitted: ends
            .filter(|ends| ends.len() > MOST_LISTED)
            .map(|ends| u64::try_from(ends.len()).unwrap_or(u64::MAX)),
        assignments_unlisted: listed.is_none(),
    });
}

/// Whether the claim is never bound, although its pod may be placed and take a volume for it.
fn is_stuck(told: &ClaimForecast) -> bool {
    matches!(
        told.verdict,
        Verdict::Blocked | Verdict::Lost | Verdict::Rejected
    )
}

/// A claim that others may be placed before is contended, also where `explain` found no competitor next to it.
fn note_contended(told: &mut ClaimForecast) {
    let claims = told.competitors.iter();
    let claims = claims.filter_map(|name| name.split_once('/'));
    let cause = ClaimCause::Contended {
        claims: claims
            .map(|(namespace, name)| ObjectKey::new(namespace, name))
            .collect(),
        volumes: told.outcomes.clone(),
    };
    if !told.causes.contains(&cause.code()) {
        told.causes.push(cause.code());
    }
    if told.causes.first() == Some(&cause.code()) {
        told.message = Some(cause.message());
    }
}

fn assignment(ends: &Ends) -> BTreeMap<String, Option<String>> {
    let volume = |end: &End| match end {
        End::Takes(volume) => Some(volume.clone()),
        End::Made | End::Nothing => None,
    };
    ends.iter()
        .map(|(claim, end)| (claim.to_string(), volume(end)))
        .collect()
}

fn correct(told: &mut ClaimForecast, ends: &BTreeSet<End>, exact: bool) {
    let could_be_made = told.verdict == Verdict::WillProvision || told.may_be_provisioned;
    told.outcomes = ends
        .iter()
        .filter_map(|end| match end {
            End::Takes(volume) => Some(volume.clone()),
            End::Made | End::Nothing => None,
        })
        .collect();
    told.exact = exact;
    told.may_stay_unbound = ends.contains(&End::Nothing);
    told.may_be_provisioned =
        !told.outcomes.is_empty() && ends.contains(&End::Made) && (exact || could_be_made);
    if !told.outcomes.is_empty() {
        told.verdict = Verdict::WillBind;
    }
}

#[cfg(test)]
mod tests {
    use super::super::forecast;
    use super::*;
    use crate::conventions::selector::{Operator, Requirement};
    use crate::conventions::topology::{NodeSelector, NodeSelectorTerm};
    use crate::model::{Claim, Node, Volume};
    use crate::report::Code;
    use crate::testing::{assert_order, claim, class, pod, state_with, volume};

    /// Ends are listed in this order, volumes by name first.
    #[test]
    fn the_order_of_ends() {
        assert_order!(End: Takes(String::new()), Made, Nothing);
        assert!(End::Takes("a".to_owned()) < End::Takes("b".to_owned()));
    }

    fn node(name: &str) -> Node {
        Node {
            name: name.to_owned(),
            labels: [("host".to_owned(), name.to_owned())].into(),
            ..Node::default()
        }
    }

    fn on(node: &str, volume: Volume) -> Volume {
        let requirement = Requirement {
            key: "host".to_owned(),
            operator: Operator::In,
            values: vec![node.to_owned()],
        };
        let term = NodeSelectorTerm {
            match_expressions: vec![requirement],
            match_fields: vec![],
        };
        Volume {
            node_affinity: Some(NodeSelector { terms: vec![term] }),
            ..volume
        }
    }

    fn settle(pods: &[&str], volumes: Vec<Volume>, provisioner: &str) -> Forecast {
        let nodes = vec![node("n1"), node("n2")];
        let claims = pods.iter().map(|name| claim(name)).collect();
        forecast(&waiting(claims, volumes, nodes, provisioner), Rules::V1_36)
    }

    /// Each claim with a pod of its own name.
    fn waiting(
        claims: Vec<Claim>,
        volumes: Vec<Volume>,
        nodes: Vec<Node>,
        provisioner: &str,
    ) -> ClusterState {
        let pods = claims
            .iter()
            .map(|claim| pod(&claim.key.name, &claim.key.name));
        let pods: Vec<Pod> = pods.collect();
        state_with(claims, volumes, |objects| {
            objects.classes.push(class("any", provisioner).delayed());
            (objects.nodes, objects.pods) = (nodes, pods);
        })
    }

    /// So many pods, and so many equal volumes, each on a node of its own.
    fn local_disks(pods: usize, volumes: usize) -> Forecast {
        let nodes: Vec<Node> = (0..volumes + 4)
            .map(|index| node(&format!("n{index}")))
            .collect();
        let local = |index: usize| on(&format!("n{index}"), volume(&format!("v{index}")));
        let claims = (0..pods).map(|index| claim(&format!("c{index}"))).collect();
        let volumes = (0..volumes).map(local).collect();
        forecast(&waiting(claims, volumes, nodes, STATIC), Rules::V1_36)
    }

    #[test]
    fn equal_pods_on_equal_local_disks_are_counted() {
        for disks in [6, 30] {
            let enough = local_disks(disks, disks);
            assert_eq!(enough.settled.bound, disks);
            assert_eq!(enough.settled.undecided + enough.settled.blocked, 0);
            for claim in &enough.claims {
                assert!(claim.exact && !claim.may_stay_unbound, "{claim:?}");
                assert_eq!(claim.outcomes.len(), disks);
                assert_eq!(claim.causes, [Code::Contended]);
                let message = claim.message.as_deref().unwrap_or_default();
                assert!(message.starts_with("ns/c"), "{message}");
            }
            let too_few = local_disks(disks + 1, disks);
            assert_eq!((too_few.settled.bound, too_few.settled.blocked), (disks, 1));
            assert!(
                too_few
                    .claims
                    .iter()
                    .all(|it| it.exact && it.may_stay_unbound)
            );
        }
    }

    #[test]
    fn pods_that_share_a_claim_bind_it_once() {
        let claims = vec![claim("a"), claim("b")];
        let volumes = vec![on("n1", volume("v1")), on("n2", volume("v2"))];
        let state = state_with(claims, volumes, |objects| {
            objects.classes.push(class("any", STATIC).delayed());
            objects.nodes = vec![node("n1"), node("n2")];
            objects.pods = vec![pod("one", "a"), pod("two", "a"), pod("three", "b")];
        });
        let told = forecast(&state, Rules::V1_36);
        assert_eq!((told.settled.bound, told.settled.undecided), (2, 0));
        for claim in &told.claims {
            assert!(claim.exact && !claim.may_stay_unbound, "{claim:?}");
            assert_eq!(claim.outcomes, ["v1", "v2"]);
        }
    }

    /// Over small clusters of all kinds of sizes and nodes: counting equal ones gives what telling them apart gives.
    #[test]
    fn counting_agrees_with_listing() {
        let mut agreed = 0;
        for seed in (0_usize..729).step_by(2) {
            let digit = |place: u32| seed / 3_usize.pow(place) % 3;
            let sizes = ["1Gi", "2Gi", "3Gi"];
            let claims: Vec<Claim> = (0..3)
                .map(|index| claim(&format!("c{index}")).requests(sizes[digit(index) % 2]))
                .collect();
            let nodes: Vec<Node> = ["n0", "n1", "n2"].map(node).into();
            let volumes: Vec<Volume> = (0..4)
                .map(|index| {
                    let held = volume(&format!("v{index}")).holds(sizes[digit(index + 2) % 3]);
                    match digit(index + 1) {
                        0 if index % 2 == 0 => held,
                        other => on(&format!("n{}", (other + index as usize) % 3), held),
                    }
                })
                .collect();
            let provisioner = if seed % 5 == 0 {
                "kubernetes.io/host-path"
            } else {
                STATIC
            };
            let state = waiting(claims, volumes, nodes, provisioner);
            for group in groups(&state, Rules::V1_36) {
                let listed = explore(&state, Rules::V1_36, &group).expect("few states");
                let counted = summarize(&state, Rules::V1_36, &group).expect("fewer states");
                let all = least(&listed, |_| true);
                assert_eq!(counted.least, all, "{seed}");
                let listed = Explored::Listed(listed);
                for (claim, reach) in &group.reach {
                    let ends = counted.ends.get(claim).cloned().unwrap_or_default();
                    assert_eq!(ends, listed.ends_of(claim, reach), "{seed} {claim}");
                    agreed += 1;
                }
            }
        }
        assert!(agreed > 500, "{agreed}");
    }

    const STATIC: &str = "kubernetes.io/no-provisioner";

    #[test]
    fn three_pods_and_two_volumes() {
        let volumes = vec![on("n1", volume("v1")), on("n2", volume("v2"))];
        let told = settle(&["a", "b", "c"], volumes, STATIC);
        for claim in &told.claims {
            assert_eq!(claim.outcomes, ["v1", "v2"]);
            assert!(claim.may_stay_unbound && claim.exact);
            assert_eq!(claim.competitors.len(), 2);
        }
        assert_eq!(told.groups[0].assignments.len(), 6);
        assert_eq!((told.settled.bound, told.settled.blocked), (2, 1));
        assert_eq!(told.settled.undecided, 0);
        assert_eq!(told.contention.len(), 2);
    }

    #[test]
    fn pods_that_reach_for_other_volumes_do_not_compete() {
        let small = volume("small").holds("1Gi").labelled("for", "a");
        let mut state_claims = vec![claim("a").selecting("for=a"), claim("b").requests("2Gi")];
        let state = state_with(
            std::mem::take(&mut state_claims),
            vec![small, volume("large").holds("3Gi")],
            |objects| {
                objects.classes.push(class("any", STATIC).delayed());
                objects.nodes = vec![node("n1")];
                objects.pods = vec![pod("a", "a"), pod("b", "b")];
            },
        );
        let told = forecast(&state, Rules::V1_36);
        assert!(told.groups.is_empty() && told.contention.is_empty());
        assert_eq!(told.claims[0].outcomes, ["small"]);
        assert_eq!(told.claims[1].outcomes, ["large"]);
        assert!(told.claims.iter().all(|claim| !claim.may_stay_unbound));
    }

    #[test]
    fn a_loser_gets_the_next_best_or_one_that_is_made() {
        let volumes = vec![volume("v1"), volume("v2").holds("2Gi")];
        let told = settle(&["a", "b"], volumes, STATIC);
        assert_eq!(told.claims[0].outcomes, ["v1", "v2"]);
        assert!(!told.claims[0].may_stay_unbound);
        let made = settle(&["a", "b"], vec![volume("v1")], "kubernetes.io/host-path");
        assert!(
            made.claims
                .iter()
                .all(|claim| claim.may_be_provisioned && !claim.may_stay_unbound)
        );
    }
}
