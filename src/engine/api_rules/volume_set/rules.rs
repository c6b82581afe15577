//! The rules of a set that a schema cannot say: each once in CEL, for the API server, and once in Rust, for `validate`.

use super::super::sources;
use super::super::values::{as_text, child, number, pairs, quantity, text};
use super::schema::QUANTITY;
use super::structure::is_quantity;
use crate::conventions::annotations::PROVISIONED_BY;
use crate::conventions::class_name::IN_TREE_PREFIX;
use crate::conventions::names::{label_key_problems, name_problems};
use crate::model::manifest::{Content, Node};
use crate::model::{ORDINAL_PLACEHOLDER, SET_PLACEHOLDER};
use serde_json::{Value, json};

/// A rule about one part of a set.
pub(super) struct Rule {
    /// The part: it is looked at only if it is there.
    pub(super) at: &'static str,
    /// The field of the part that is named when the rule is broken; empty for the part itself.
    names: &'static str,
    /// For people; it tells what to do as well.
    pub(super) message: &'static str,
    /// The rule in CEL. `SOURCES` stands for a list of booleans, one for each kind of source; `LABEL_KEY` and `QUANTITY` for
    /// what such a text looks like.
    cel: &'static str,
    /// The same, the other way round.
    pub(super) is_broken: fn(&Node) -> bool,
}

impl Rule {
    /// The field that is named, as the server spells it.
    pub(super) fn field(&self) -> String {
        format!("{}{}", self.at, self.names.replace('\'', ""))
    }
}

const LABEL_KEY: &str = "size(k) <= 317 && k.matches('^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?\
                         [A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$')";

pub(super) const RULES: [Rule; 15] = [
    Rule {
        at: "spec",
        names: ".minimumReplicas",
        message: "minimumReplicas must not be above maximumReplicas",
        cel: "self.minimumReplicas <= self.maximumReplicas",
        is_broken: |spec| {
            let bound = |key| number(spec, key);
            matches!((bound("minimumReplicas"), bound("maximumReplicas")), (Some(low), Some(high)) if low > high)
        },
    },
    Rule {
        at: "spec",
        names: ".template.metadata.labels",
        message: "the template must have every label of the selector: new volumes would not be members otherwise",
        cel: "self.selector.all(k, has(self.template.metadata) && has(self.template.metadata.labels) && \
              k in self.template.metadata.labels && self.template.metadata.labels[k] == self.selector[k])",
        is_broken: lacks_a_label,
    },
    Rule {
        at: "spec.selector",
        names: "",
        message: "a key must be a label key: letters, digits, '-', '_' and '.', at most 63, and before them perhaps a domain and '/'",
        cel: "self.all(k, LABEL_KEY)",
        is_broken: has_bad_key,
    },
    Rule {
        at: "spec.template.metadata.labels",
        names: "",
        message: "a key must be a label key: letters, digits, '-', '_' and '.', at most 63, and before them perhaps a domain and '/'",
        cel: "self.all(k, LABEL_KEY)",
        is_broken: has_bad_key,
    },
    Rule {
        at: "spec.template.metadata",
        names: ".name",
        message: "the name must have {ordinal} in it: no two volumes may have the same name",
        cel: "!has(self.name) || self.name.contains('{ordinal}')",
        is_broken: |metadata| {
            metadata
                .get("name")
                .is_some_and(|name| !as_text(name).contains(ORDINAL_PLACEHOLDER))
        },
    },
    Rule {
        at: "spec.template.metadata",
        names: ".name",
        message: "the name, with {set} and {ordinal} filled in, must be a volume's: lower-case letters, digits, '-' and '.'",
        cel: "!has(self.name) || self.name.replace('{set}', 'x').replace('{ordinal}', '0')\
              .matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$')",
        is_broken: |metadata| {
            let filled = |name: &str| {
                let name = name.replace(SET_PLACEHOLDER, "x");
                name.replace(ORDINAL_PLACEHOLDER, "0")
            };
            let name = metadata.get("name").map(as_text);
            name.is_some_and(|name| !name_problems(&filled(name)).is_empty())
        },
    },
    Rule {
        at: "spec.template.metadata",
        names: ".annotations['pv.kubernetes.io/provisioned-by']",
        message: "pv.kubernetes.io/provisioned-by is empty: name the backend that makes the volumes, or leave it out",
        cel: "!has(self.annotations) || !('pv.kubernetes.io/provisioned-by' in self.annotations) || \
              self.annotations['pv.kubernetes.io/provisioned-by'] != ''",
        is_broken: |metadata| provisioner(metadata) == Some(""),
    },
    Rule {
        at: "spec.template.metadata",
        names: ".annotations['pv.kubernetes.io/provisioned-by']",
        message: "pv.kubernetes.io/provisioned-by must not begin with kubernetes.io/: Kubernetes itself would try to delete such volumes, and never succeed",
        cel: "!has(self.annotations) || !('pv.kubernetes.io/provisioned-by' in self.annotations) || \
              !self.annotations['pv.kubernetes.io/provisioned-by'].startsWith('kubernetes.io/')",
        is_broken: |metadata| {
            provisioner(metadata).is_some_and(|name| name.starts_with(IN_TREE_PREFIX))
        },
    },
    Rule {
        at: "spec.template",
        names: ".spec",
        message: "a source is missing: say where the storage is (csi, nfs, hostPath, local, ...), or name the backend that makes it in the annotation pv.kubernetes.io/provisioned-by",
        cel: "has(self.metadata) && has(self.metadata.annotations) && \
              'pv.kubernetes.io/provisioned-by' in self.metadata.annotations || SOURCES.exists(given, given)",
        is_broken: |template| template_provisioner(template).is_none() && sources_of(template) == 0,
    },
    Rule {
        at: "spec.template",
        names: ".spec",
        message: "there must be one source, not several",
        cel: "SOURCES.filter(given, given).size() <= 1",
        is_broken: |template| sources_of(template) > 1,
    },
    Rule {
        at: "spec.template",
        names: ".spec",
        message: "the backend of the annotation pv.kubernetes.io/provisioned-by makes the source: leave out either the source or the annotation",
        cel: "!has(self.metadata) || !has(self.metadata.annotations) || \
              !('pv.kubernetes.io/provisioned-by' in self.metadata.annotations) || !SOURCES.exists(given, given)",
        is_broken: |template| template_provisioner(template).is_some() && sources_of(template) > 0,
    },
    Rule {
        at: "spec.template.spec",
        names: ".claimRef",
        message: "a template must not have a claimRef: whoever claims a new volume has it",
        cel: "!has(self.claimRef)",
        is_broken: |spec| spec.get("claimRef").is_some(),
    },
    Rule {
        at: "spec.template.spec.accessModes",
        names: "",
        message: "ReadWriteOncePod must stand alone",
        cel: "!('ReadWriteOncePod' in self) || self.all(mode, mode == 'ReadWriteOncePod')",
        is_broken: |modes| {
            let alone = |mode: &Node| mode.as_text() == Some("ReadWriteOncePod");
            modes.items().iter().any(alone) && !modes.items().iter().all(alone)
        },
    },
    Rule {
        at: "spec.template.spec.capacity",
        names: "",
        message: "a volume has one capacity: storage",
        cel: "self.all(k, k == 'storage')",
        is_broken: |capacity| {
            capacity
                .entries()
                .iter()
                .any(|entry| entry.key != "storage")
        },
    },
    Rule {
        at: "spec.template.spec",
        names: ".capacity['storage']",
        message: "the size must be above zero, such as 10Gi",
        // The pattern comes first: of a text that does not fit it, the server had better not ask what it is worth.
        cel: "!has(self.capacity) || !('storage' in self.capacity) || (type(self.capacity['storage']) == int ? \
              self.capacity['storage'] > 0 : !self.capacity['storage'].matches('QUANTITY') || \
              quantity(self.capacity['storage']).isGreaterThan(quantity('0')))",
        is_broken: |spec| {
            let storage = child(spec, "capacity").get("storage");
            storage.is_some_and(|storage| is_readable(storage) && !quantity(storage).is_positive())
        },
    },
];

/// The rules of one part, as the API server wants them.
pub(super) fn spelled(at: &str) -> Vec<Value> {
    let own = RULES.iter().filter(|rule| rule.at == at);
    own.map(|rule| {
        let keys = sources::keys().map(|key| format!("has(self.spec.{key})"));
        let sources = format!("[{}]", keys.collect::<Vec<_>>().join(", "));
        let cel = rule.cel.replace("SOURCES", &sources);
        let cel = cel.replace("LABEL_KEY", LABEL_KEY);
        // In a text of CEL a backslash is written twice.
        let cel = cel.replace("QUANTITY", &QUANTITY.replace('\\', "\\\\"));
        let mut spelled = json!({"rule": cel, "message": rule.message});
        if !rule.names.is_empty() {
            spelled["fieldPath"] = json!(rule.names);
        }
        spelled
    })
    .collect()
}

/// Whether it is a quantity that the schema lets pass.
fn is_readable(node: &Node) -> bool {
    match &node.content {
        Content::Number(_) => true,
        Content::Text(text) => is_quantity(text),
        _ => false,
    }
}

fn lacks_a_label(spec: &Node) -> bool {
    let metadata = child(child(spec, "template"), "metadata");
    let labels = pairs(metadata, "labels");
    // A value that is no text has been told so.
    let selector = child(spec, "selector").entries().iter();
    let mut wanted =
        selector.filter_map(|entry| Some((entry.key.as_str(), entry.value.as_text()?)));
    wanted.any(|pair| !labels.contains(&pair))
}

fn has_bad_key(map: &Node) -> bool {
    let mut keys = map.entries().iter().map(|entry| entry.key.as_str());
    keys.any(|key| !label_key_problems(key).is_empty())
}

/// Who makes and deletes the volumes of a template, by its metadata.
pub(super) fn provisioner(metadata: &Node) -> Option<&str> {
    let annotations = child(metadata, "annotations");
    Some(text(annotations, PROVISIONED_BY)).filter(|_| annotations.entry(PROVISIONED_BY).is_some())
}

pub(super) fn template_provisioner(template: &Node) -> Option<&str> {
    provisioner(child(template, "metadata"))
}

fn sources_of(template: &Node) -> usize {
    let spec = child(template, "spec");
    sources::keys()
        .filter(|key| spec.get(key).is_some())
        .count()
}
