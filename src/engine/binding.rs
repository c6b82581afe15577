//! Which volume the controller's search gives a claim, and why not each of the others (R23–R30).

use super::Rules;
use super::checks::{Candidate, Question, search_failures};
use super::classes::is_delayed;
use super::phases::{Phases, view};
use crate::conventions::access_mode::AccessModes;
use crate::model::{ClusterState, Volume, VolumePhase};
use crate::report::{Result, VolumeReason};
use std::collections::{BTreeMap, HashSet};

/// The result of one search.
#[derive(Debug, Clone)]
pub(crate) struct Search<'a> {
    /// Every volume, judged, in the state's order.
    pub(crate) judged: Vec<Judged<'a>>,
}

/// One volume, judged.
#[derive(Debug, Clone)]
pub(crate) struct Judged<'a> {
    pub(crate) volume: &'a Volume,
    pub(crate) phase: VolumePhase,
    pub(crate) is_reserved: bool,
    pub(crate) result: Result,
    pub(crate) reasons: Vec<VolumeReason>,
}

/// Whether volumes that are not reserved may be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timing {
    /// Any volume that passes.
    Now,
    /// Only reserved ones: the scheduler takes the others when a pod comes (R26.8).
    WithPod,
}

impl Timing {
    /// When a claim of this class takes volumes that are not reserved (R17).
    pub(crate) fn of(state: &ClusterState, class: &str) -> Self {
        if is_delayed(state, class) {
            Self::WithPod
        } else {
            Self::Now
        }
    }
}

impl<'a> Search<'a> {
    /// Searches all volumes for the claim of the question.
    pub(crate) fn run(
        state: &'a ClusterState,
        question: &Question<'_>,
        phases: Phases,
        timing: Timing,
    ) -> Self {
        Self::over(state, state.volumes().iter(), question, phases, timing)
    }

    /// Searches these volumes, which are in the state's order.
    pub(crate) fn over(
        state: &'a ClusterState,
        volumes: impl Iterator<Item = &'a Volume>,
        question: &Question<'_>,
        phases: Phases,
        timing: Timing,
    ) -> Self {
        let mut judged: Vec<Judged<'a>> = volumes
            .map(|volume| {
                let settled = view(state, volume, phases);
                let candidate = Candidate::new(state, &settled, question.claim);
                let reasons = search_failures(question, &candidate);
                let result = if reasons.is_empty() {
                    Result::Fits
                } else {
                    Result::Rejected
                };
                Judged {
                    volume,
                    phase: settled.phase,
                    is_reserved: candidate.is_reserved(),
                    result,
                    reasons,
                }
            })
            .collect();
        match question.rules {
            Rules::V1_36 => choose_by_groups(&mut judged, timing),
            Rules::V1_4 => choose_smallest(&mut judged, timing),
        }
        Self { judged }
    }

    /// The volumes that may be bound, sorted by name.
    pub(crate) fn outcomes(&self) -> Vec<String> {
        let taken =
            |judged: &&Judged<'_>| matches!(judged.result, Result::Chosen | Result::Possible);
        self.judged
            .iter()
            .filter(taken)
            .map(|judged| judged.volume.name.clone())
            .collect()
    }
}

/// v1.36: by sets of access modes, fewest modes first (R24); in a set a reserved volume at once (R26.7), else the
/// smallest (R27). Sets of equal length, equal sizes and several reservations are settled by nobody (R25, R28, R29).
fn choose_by_groups(judged: &mut [Judged<'_>], timing: Timing) {
    let mut winners: BTreeMap<u32, BTreeMap<AccessModes, Vec<usize>>> = BTreeMap::new();
    for (index, candidate) in judged.iter().enumerate() {
        if candidate.result == Result::Fits && (candidate.is_reserved || timing == Timing::Now) {
            let modes = candidate.volume.access_modes;
            winners
                .entry(modes.len())
                .or_default()
                .entry(modes)
                .or_default()
                .push(index);
        }
    }
    let Some((_, groups)) = winners.into_iter().next() else {
        explain_fits(judged, &[], timing, why_not_in_groups);
        return;
    };
    let taken: Vec<usize> = groups
        .values()
        .flat_map(|members| group_winners(judged, members))
        .collect();
    explain_fits(judged, &taken, timing, why_not_in_groups);
}

fn group_winners(judged: &[Judged<'_>], members: &[usize]) -> Vec<usize> {
    let reserved: Vec<usize> = members
        .iter()
        .copied()
        .filter(|index| judged[*index].is_reserved)
        .collect();
    if !reserved.is_empty() {
        return reserved;
    }
    let capacity = |index: &usize| &judged[*index].volume.capacity;
    let smallest = members.iter().map(capacity).min();
    members
        .iter()
        .copied()
        .filter(|index| Some(capacity(index)) == smallest)
        .collect()
}

/// v1.4: a reserved volume first; else the smallest of all, then the fewest modes, then the name. Nothing is left open.
fn choose_smallest(judged: &mut [Judged<'_>], timing: Timing) {
    let fits = |judged: &Judged<'_>| judged.result == Result::Fits;
    let all = || {
        judged
            .iter()
            .enumerate()
            .filter(|(_, candidate)| fits(candidate))
    };
    let reserved = all().filter(|(_, candidate)| candidate.is_reserved);
    let by_modes = |(_, candidate): &(usize, &Judged<'_>)| {
        (
            candidate.volume.access_modes.len(),
            candidate.volume.name.clone(),
        )
    };
    let winner = reserved
        .min_by_key(by_modes)
        .map(|(index, _)| index)
        .or_else(|| {
            let free = all().filter(|_| timing == Timing::Now);
            free.min_by_key(|(_, candidate)| {
                let volume = candidate.volume;
                (
                    volume.capacity.clone(),
                    volume.access_modes.len(),
                    volume.name.clone(),
                )
            })
            .map(|(index, _)| index)
        });
    let taken: Vec<usize> = winner.into_iter().collect();
    explain_fits(judged, &taken, timing, why_not_smallest);
}

/// Says of every volume that fits whether it is taken, and if not, why not.
fn explain_fits(
    judged: &mut [Judged<'_>],
    taken: &[usize],
    timing: Timing,
    why_not: fn(&Judged<'_>, &[Winner]) -> Option<VolumeReason>,
) {
    let winners: Vec<Winner> = taken
        .iter()
        .map(|index| Winner::of(&judged[*index]))
        .collect();
    let places: HashSet<usize> = taken.iter().copied().collect();
    for (index, candidate) in judged.iter_mut().enumerate() {
        if candidate.result != Result::Fits {
            continue;
        }
        if places.contains(&index) {
            candidate.result = if taken.len() == 1 {
                Result::Chosen
            } else {
                Result::Possible
            };
        } else if timing == Timing::WithPod && !candidate.is_reserved {
            candidate.reasons.push(VolumeReason::WaitsForScheduler);
        } else if let Some(reason) = why_not(candidate, &winners) {
            candidate.reasons.push(reason);
        }
    }
}

struct Winner {
    name: String,
    capacity: crate::conventions::quantity::Quantity,
    modes: AccessModes,
    is_reserved: bool,
}

impl Winner {
    fn of(judged: &Judged<'_>) -> Self {
        Self {
            name: judged.volume.name.clone(),
            capacity: judged.volume.capacity.clone(),
            modes: judged.volume.access_modes,
            is_reserved: judged.is_reserved,
        }
    }
}

/// A volume that fits is either in a group that has a winner, or in a longer one.
fn why_not_in_groups(candidate: &Judged<'_>, winners: &[Winner]) -> Option<VolumeReason> {
    let volume = candidate.volume;
    let in_group: Vec<&Winner> = winners
        .iter()
        .filter(|winner| winner.modes == volume.access_modes)
        .collect();
    let Some(rival) = in_group.first() else {
        return winners
            .first()
            .map(|winner| VolumeReason::MoreModesThanChosen {
                chosen: winner.modes,
            });
    };
    if rival.is_reserved {
        let reserved = in_group.iter().map(|winner| winner.name.clone()).collect();
        return Some(VolumeReason::ReservedVolumePreferred { reserved });
    }
    Some(VolumeReason::LargerThanChosen {
        chosen: rival.capacity.clone(),
    })
}

fn why_not_smallest(candidate: &Judged<'_>, winners: &[Winner]) -> Option<VolumeReason> {
    let volume = candidate.volume;
    let winner = winners.first()?;
    Some(if winner.is_reserved && !candidate.is_reserved {
        VolumeReason::ReservedVolumePreferred {
            reserved: vec![winner.name.clone()],
        }
    } else if volume.capacity > winner.capacity && !winner.is_reserved {
        VolumeReason::LargerThanChosen {
            chosen: winner.capacity.clone(),
        }
    } else if volume.access_modes.len() > winner.modes.len() {
        VolumeReason::MoreModesThanChosen {
            chosen: winner.modes,
        }
    } else {
        VolumeReason::LaterNameThanChosen {
            chosen: winner.name.clone(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Claim;
    use crate::testing::{claim, state, volume};

    const RWO: &str = "ReadWriteOnce";
    const ROX: &str = "ReadOnlyMany";
    const RWX: &str = "ReadWriteMany";

    fn search(
        claim: Claim,
        volumes: Vec<Volume>,
        rules: Rules,
    ) -> Vec<(String, Result, Vec<&'static str>)> {
        let state = state(vec![claim], volumes);
        let claim = &state.claims()[0];
        let question = Question::new(claim, claim.class.resolved(), rules);
        let search = Search::run(&state, &question, Phases::Settled, Timing::Now);
        let told = |judged: &Judged<'_>| {
            (
                judged.volume.name.clone(),
                judged.result,
                judged
                    .reasons
                    .iter()
                    .map(|reason: &VolumeReason| reason.code().name())
                    .collect(),
            )
        };
        search.judged.iter().map(told).collect()
    }

    fn taken(claim: Claim, volumes: Vec<Volume>) -> Vec<String> {
        let taken = |(_, result, _): &(String, Result, Vec<&str>)| {
            matches!(result, Result::Chosen | Result::Possible)
        };
        search(claim, volumes, Rules::V1_36)
            .into_iter()
            .filter(taken)
            .map(|(name, _, _)| name)
            .collect()
    }

    #[test]
    fn the_smallest_of_the_first_group_wins() {
        let volumes = vec![
            volume("large").holds("100Gi"),
            volume("larger").holds("200Gi"),
            volume("small-with-more-modes")
                .holds("1Gi")
                .offers(&[RWO, RWX]),
        ];
        let told = search(claim("c"), volumes, Rules::V1_36);
        assert_eq!(told[0], ("large".to_owned(), Result::Chosen, vec![]));
        assert_eq!(
            told[1],
            ("larger".to_owned(), Result::Fits, vec!["LargerThanChosen"])
        );
        assert_eq!(told[2].2, ["MoreModesThanChosen"]);
    }

    #[test]
    fn equal_sizes_are_a_draw_however_they_are_written() {
        let volumes = vec![
            volume("a"),
            volume("b").holds("1024Mi"),
            volume("c").holds("1073741824"),
            volume("d").holds("2Gi"),
        ];
        assert_eq!(taken(claim("c"), volumes), ["a", "b", "c"]);
    }

    #[test]
    fn groups_of_equal_length_are_a_draw_whatever_the_sizes() {
        let volumes = vec![
            volume("a").holds("100Gi").offers(&[RWO, ROX]),
            volume("b").offers(&[RWO, RWX]),
        ];
        assert_eq!(taken(claim("c"), volumes), ["a", "b"]);
    }

    #[test]
    fn a_reserved_volume_wins_in_its_group_and_loses_in_a_later_one() {
        let reserved = volume("reserved").holds("9Gi").reserved_for("c", None);
        assert_eq!(
            taken(claim("c"), vec![volume("exact"), reserved.clone()]),
            ["reserved"]
        );
        let later = reserved.offers(&[RWO, RWX]);
        assert_eq!(taken(claim("c"), vec![volume("exact"), later]), ["exact"]);
    }

    #[test]
    fn several_reserved_volumes_are_a_draw_and_size_does_not_count() {
        let volumes = vec![
            volume("a").holds("9Gi").reserved_for("c", None),
            volume("b").reserved_for("c", Some("uid-c")),
        ];
        assert_eq!(taken(claim("c"), volumes), ["a", "b"]);
    }

    #[test]
    fn a_reservation_skips_class_selector_and_phase_but_nothing_else() {
        let reserved = || {
            volume("v")
                .of_class("other")
                .in_phase(VolumePhase::Failed)
                .reserved_for("c", None)
        };
        assert_eq!(
            taken(claim("c").selecting("tier=gold"), vec![reserved()]),
            ["v"]
        );
        for unfit in [
            reserved().holds("1Mi"),
            reserved().deleted(),
            reserved().offers(&[RWX]),
        ] {
            assert!(taken(claim("c"), vec![unfit]).is_empty());
        }
    }

    #[test]
    fn a_volume_tells_every_check_it_fails_in_order() {
        let mut wrong = volume("v")
            .holds("1Mi")
            .of_class("slow")
            .offers(&[ROX])
            .deleted();
        wrong.volume_mode = crate::conventions::volume_mode::VolumeMode::Block;
        wrong.attributes_class = Some("gold".to_owned());
        let told = search(claim("c").selecting("tier=gold"), vec![wrong], Rules::V1_36);
        assert_eq!(
            told[0].2,
            [
                "TooSmall",
                "VolumeModeMismatch",
                "AttributesClassMismatch",
                "BeingDeleted",
                "SelectorMismatch",
                "ClassMismatch",
                "AccessModesMissing"
            ]
        );
    }

    #[test]
    fn rules_v1_4_leave_nothing_open() {
        let volumes = vec![
            volume("b"),
            volume("a"),
            volume("many").offers(&[RWO, RWX]),
            volume("large").holds("2Gi"),
        ];
        let told = search(claim("c"), volumes, Rules::V1_4);
        let results: Vec<(&str, &[&str])> = told
            .iter()
            .map(|(name, _, codes)| (name.as_str(), codes.as_slice()))
            .collect();
        assert_eq!(
            results,
            [
                ("a", &[][..]),
                ("b", &["LaterNameThanChosen"]),
                ("large", &["LargerThanChosen"]),
                ("many", &["MoreModesThanChosen"])
            ]
        );
    }
}
