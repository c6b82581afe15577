//! The forecast against the oracle: claim by claim, group by group, and the groups against each
//! other, which must be independent of one another.

use std::collections::BTreeSet;

use super::forecast::{Choice, Claim, Forecast, Group};
use super::oracle::{End, Ending, Explored, Oracle};

/// So many assignments of a group are listed in full.
const MOST_LISTED: usize = 1_000;

/// Everything on which the two differ, in words.
pub(super) fn differences(
    oracle: &Oracle,
    explored: &Explored,
    forecast: &Forecast,
) -> Vec<String> {
    let keys: Vec<&str> = oracle.claims().collect();
    let mut found = Vec::new();
    for (place, key) in keys.iter().enumerate() {
        let ends: BTreeSet<&End> = explored
            .endings
            .keys()
            .map(|ending| &ending[place])
            .collect();
        match forecast.claims.get(*key) {
            None => found.push(format!("{key} is not in the forecast")),
            Some(claim) => found.extend(claim_differences(key, claim, &ends)),
        }
    }
    for (key, claim) in &forecast.claims {
        let is_bound = !keys.contains(&key.as_str());
        // Bound, or about to be so again: the phase may lag behind.
        let says_so = ["Bound", "WillBind"].contains(&claim.verdict.as_str())
            && claim.outcomes.len() == 1
            && !claim.may_stay_unbound;
        if is_bound && !says_so {
            found.push(format!(
                "{key} is bound, and is said to be {} with {:?}",
                claim.verdict, claim.outcomes
            ));
        }
    }
    for group in &forecast.groups {
        found.extend(group_differences(oracle, explored, group));
    }
    if found.is_empty() {
        found.extend(dependence(explored, &keys, forecast));
    }
    found.extend(missing_contention(explored, &keys, forecast));
    found
}

fn claim_differences(key: &str, claim: &Claim, ends: &BTreeSet<&End>) -> Vec<String> {
    let mut found = Vec::new();
    let volumes: BTreeSet<String> = ends.iter().filter_map(|end| volume_of(end)).collect();
    if claim.outcomes != volumes {
        let said = &claim.outcomes;
        found.push(format!(
            "{key} may end with {volumes:?}, outcomes are {said:?}"
        ));
    }
    let may_stay_unbound = ends.contains(&End::Nothing);
    if claim.may_stay_unbound != may_stay_unbound {
        found.push(format!(
            "{key}: mayStayUnbound should be {may_stay_unbound}"
        ));
    }
    if !claim.exact {
        found.push(format!("{key} is not exact"));
    }
    let verdict = if !ends.contains(&End::Nothing) && !ends.contains(&End::New) {
        Some("WillBind")
    } else if ends.len() == 1 && ends.contains(&End::New) {
        Some("WillProvision")
    } else {
        None
    };
    if verdict.is_some_and(|verdict| claim.verdict != verdict) {
        found.push(format!(
            "{key} is {}, and ends with {ends:?}",
            claim.verdict
        ));
    }
    if ends.len() == 1
        && may_stay_unbound
        && ["Bound", "WillBind", "WillProvision"].contains(&claim.verdict.as_str())
    {
        found.push(format!(
            "{key} is {}, and never gets anything",
            claim.verdict
        ));
    }
    found
}

fn group_differences(oracle: &Oracle, explored: &Explored, group: &Group) -> Vec<String> {
    let keys: Vec<&str> = oracle.claims().collect();
    let place = |claim: &String| keys.iter().position(|key| key == claim);
    let Some(places) = group
        .claims
        .iter()
        .map(place)
        .collect::<Option<Vec<usize>>>()
    else {
        return vec![format!(
            "a group of claims that are bound: {:?}",
            group.claims
        )];
    };
    let mut found = Vec::new();
    if !group.exact {
        found.push(format!("the group of {:?} is not exact", group.claims));
    }
    let reached = project(explored, &places);
    if !group.is_complete() {
        if reached.len() <= MOST_LISTED {
            found.push(format!(
                "the {} assignments of {:?} are not listed",
                reached.len(),
                group.claims
            ));
        }
        return found;
    }
    for missing in reached.difference(&group.assignments) {
        let is_it = |ending: &&Ending| choices(ending, &places) == *missing;
        let ending = explored.endings.keys().find(is_it).expect("it was reached");
        let path = oracle.path(explored, ending).expect("it was reached");
        found.push(format!(
            "MISSING {missing:?} of {:?}, reached by: {path}",
            group.claims
        ));
    }
    for extra in group.assignments.difference(&reached) {
        found.push(format!(
            "TOO MUCH {extra:?} of {:?}: no order leads there",
            group.claims
        ));
    }
    let used = group.assignments.iter().flatten().flatten();
    let unnamed: BTreeSet<&String> = used.filter(|name| !group.volumes.contains(*name)).collect();
    if !unnamed.is_empty() {
        found.push(format!("volumes of a group are not named: {unnamed:?}"));
    }
    found
}

/// Groups that know nothing of each other allow every combination of theirs.
fn dependence(explored: &Explored, keys: &[&str], forecast: &Forecast) -> Option<String> {
    let everybody: Vec<usize> = (0..keys.len()).collect();
    let (grouped, alone): (Vec<usize>, Vec<usize>) = everybody
        .iter()
        .partition(|place| forecast.group_of(keys[**place]).is_some());
    let of_groups = forecast.groups.iter().map(|group| {
        let is_in = |place: &usize| group.claims.iter().any(|claim| claim == keys[*place]);
        let places: Vec<usize> = grouped.iter().copied().filter(is_in).collect();
        project(explored, &places).len()
    });
    let of_others = alone.iter().map(|place| project(explored, &[*place]).len());
    let product: usize = of_groups.chain(of_others).product();
    let together = project(explored, &everybody).len();
    (product != together).then(|| {
        format!(
            "{together} assignments in all, the groups allow {product}: they are not independent"
        )
    })
}

/// A volume that several claims may end with is contended, and they are named.
fn missing_contention(explored: &Explored, keys: &[&str], forecast: &Forecast) -> Vec<String> {
    let mut takers = std::collections::BTreeMap::<&str, BTreeSet<&str>>::new();
    for ending in explored.endings.keys() {
        for (key, end) in keys.iter().zip(ending) {
            if let End::Volume(volume) = end {
                takers.entry(volume).or_default().insert(key);
            }
        }
    }
    let contended = takers.into_iter().filter(|(_, claims)| claims.len() > 1);
    contended
        .filter(|(volume, claims)| {
            let named = forecast.contention.get(*volume);
            !named.is_some_and(|named| claims.iter().all(|claim| named.contains(*claim)))
        })
        .map(|(volume, claims)| format!("contention over {volume} by {claims:?} is not said"))
        .collect()
}

/// A single way in which claims may end must be allowed; used where not all ways can be tried.
pub(crate) fn refusals(oracle: &Oracle, ending: &Ending, forecast: &Forecast) -> Vec<String> {
    let keys: Vec<&str> = oracle.claims().collect();
    let mut found = Vec::new();
    for (key, end) in keys.iter().zip(ending) {
        let Some(claim) = forecast.claims.get(*key) else {
            found.push(format!("{key} is not in the forecast"));
            continue;
        };
        let is_allowed = match end {
            End::Volume(volume) => claim.outcomes.contains(volume),
            End::Nothing => claim.may_stay_unbound,
            End::New => claim.verdict == "WillProvision" || forecast.group_of(key).is_some(),
        };
        if !is_allowed {
            let said = &claim.outcomes;
            found.push(format!("{key} can end with {end:?}, outcomes are {said:?}"));
        }
    }
    // A forecast of a real cluster knows of other claims, too, that are nothing to these.
    let concerns = |group: &&Group| {
        group
            .claims
            .iter()
            .any(|claim| keys.contains(&claim.as_str()))
    };
    let listed = forecast.groups.iter().filter(|group| group.is_complete());
    for group in listed.filter(concerns) {
        let of_claim = |claim: &String| {
            let place = keys.iter().position(|key| key == claim)?;
            volume_of(&ending[place])
        };
        let together: Vec<Choice> = group.claims.iter().map(of_claim).collect();
        if !group.assignments.contains(&together) {
            found.push(format!(
                "{:?} can end with {together:?}, which is not among {} assignments",
                group.claims,
                group.assignments.len()
            ));
        }
    }
    found
}

/// What the claims at these places end with, in every way.
fn project(explored: &Explored, places: &[usize]) -> BTreeSet<Vec<Choice>> {
    let endings = explored.endings.keys();
    endings.map(|ending| choices(ending, places)).collect()
}

fn choices(ending: &Ending, places: &[usize]) -> Vec<Choice> {
    places
        .iter()
        .map(|place| volume_of(&ending[*place]))
        .collect()
}

fn volume_of(end: &End) -> Choice {
    match end {
        End::Volume(volume) => Some(volume.clone()),
        End::New | End::Nothing => None,
    }
}
