//! What `plan` says, read back from its JSON: what each claim may end with, and what the claims of
//! each group may end with together.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// What one claim may end with; `None` is no existing volume.
pub(crate) type Choice = Option<String>;

/// A prediction, as the JSON has it.
pub(crate) struct Forecast {
    pub(crate) claims: BTreeMap<String, Claim>,
    pub(crate) groups: Vec<Group>,
    /// By volume, the claims that compete for it.
    pub(crate) contention: BTreeMap<String, BTreeSet<String>>,
}

/// The entry of one claim.
pub(crate) struct Claim {
    pub(crate) verdict: String,
    pub(crate) outcomes: BTreeSet<String>,
    pub(crate) may_stay_unbound: bool,
    pub(crate) exact: bool,
}

/// The entry of claims that compete.
pub(crate) struct Group {
    pub(crate) claims: Vec<String>,
    pub(crate) volumes: BTreeSet<String>,
    pub(crate) exact: bool,
    /// Each by the place of the claim in [`Self::claims`].
    pub(crate) assignments: BTreeSet<Vec<Choice>>,
    /// Some or all are not listed.
    is_cut: bool,
}

impl Forecast {
    /// Reads the JSON; what does not look like the contract is a panic that shows it.
    pub(crate) fn read(json: &Value) -> Self {
        assert_eq!(json["kind"], "Forecast", "{json:#}");
        let claims = items(json, "claims").map(|entry| {
            let name = format!("{}/{}", text(entry, "namespace"), text(entry, "name"));
            (name, Claim::read(entry))
        });
        let contention = items(json, "contention").map(|entry| {
            let claims = items(entry, "claims").map(claim_name);
            (text(entry, "volume").to_owned(), claims.collect())
        });
        Self {
            claims: claims.collect(),
            groups: items(json, "groups").map(Group::read).collect(),
            contention: contention.collect(),
        }
    }

    /// The group of a claim, if it competes with anybody.
    pub(crate) fn group_of(&self, claim: &str) -> Option<&Group> {
        let is_in = |group: &&Group| group.claims.iter().any(|member| member == claim);
        self.groups.iter().find(is_in)
    }
}

impl Claim {
    fn read(entry: &Value) -> Self {
        Self {
            verdict: text(entry, "verdict").to_owned(),
            outcomes: items(entry, "outcomes").map(as_text).collect(),
            may_stay_unbound: flag(entry, "mayStayUnbound", false),
            exact: flag(entry, "exact", true),
        }
    }
}

impl Group {
    fn read(entry: &Value) -> Self {
        let claims: Vec<String> = items(entry, "claims").map(as_text).collect();
        let assignment = |assignment: &Value| -> Vec<Choice> {
            let pairs = assignment.as_object().expect("an assignment is an object");
            assert_eq!(pairs.len(), claims.len(), "{entry:#}");
            claims
                .iter()
                .map(|claim| {
                    let volume = pairs.get(claim);
                    let volume = volume.unwrap_or_else(|| panic!("no {claim} in {entry:#}"));
                    volume.as_str().map(str::to_owned)
                })
                .collect()
        };
        let listed = items(entry, "assignments");
        let assignments: BTreeSet<Vec<Choice>> = listed.map(assignment).collect();
        assert_eq!(
            assignments.len(),
            items(entry, "assignments").count(),
            "an assignment is listed twice: {entry:#}"
        );
        Self {
            volumes: items(entry, "volumes").map(as_text).collect(),
            exact: flag(entry, "exact", true),
            is_cut: entry["assignmentsOmitted"].as_u64().unwrap_or(0) > 0
                || flag(entry, "assignmentsUnlisted", false),
            claims,
            assignments,
        }
    }

    /// Whether every assignment is there to be seen.
    pub(crate) fn is_complete(&self) -> bool {
        self.exact && !self.is_cut
    }
}

fn items<'a>(entry: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    let items = entry[key].as_array();
    let items = items.unwrap_or_else(|| panic!("no list {key} in {entry:#}"));
    items.iter()
}

fn text<'a>(entry: &'a Value, key: &str) -> &'a str {
    let text = entry[key].as_str();
    text.unwrap_or_else(|| panic!("no text {key} in {entry:#}"))
}

fn as_text(value: &Value) -> String {
    value.as_str().expect("a list of names").to_owned()
}

/// As `namespace/name`, or as an object with both.
fn claim_name(value: &Value) -> String {
    let name = value.as_str().map(str::to_owned);
    name.unwrap_or_else(|| format!("{}/{}", text(value, "namespace"), text(value, "name")))
}

fn flag(entry: &Value, key: &str, absent: bool) -> bool {
    entry[key].as_bool().unwrap_or(absent)
}
