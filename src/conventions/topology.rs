//! Where a volume may be used: node affinity (Q6) and the allowed topologies of classes (Q7).

use super::selector::{Labels, Operator, Requirement};
use std::fmt;

/// The required node affinity of a volume: terms of which one must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NodeSelector {
    /// The terms. No term at all matches no node.
    pub terms: Vec<NodeSelectorTerm>,
}

/// Expressions that must all hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NodeSelectorTerm {
    /// Over the node's labels.
    pub match_expressions: Vec<Requirement>,
    /// Over the node's fields. They are parsed and never restrict: upstream asks an object that has labels only.
    pub match_fields: Vec<Requirement>,
}

impl NodeSelector {
    /// Whether some term holds for a node with these labels.
    pub fn matches(&self, node_labels: &Labels) -> bool {
        self.terms.iter().any(|term| term.matches(node_labels))
    }

    /// The hostnames that the terms name.
    pub fn hostnames(&self) -> impl Iterator<Item = &str> {
        let expressions = self.terms.iter().flat_map(|term| &term.match_expressions);
        let hosts = expressions
            .filter(|it| it.key == "kubernetes.io/hostname" && it.operator == Operator::In);
        hosts.flat_map(|it| it.values.iter().map(String::as_str))
    }

    /// The one hostname that it allows.
    pub fn only_hostname(&self) -> Option<&str> {
        let mut hosts = self.hostnames();
        let host = hosts.next()?;
        hosts.all(|other| other == host).then_some(host)
    }

    /// Whether some term holds for a node with these labels and this name: for pods, whose fields do restrict.
    pub fn matches_node(&self, node_labels: &Labels, node_name: &str) -> bool {
        self.terms
            .iter()
            .any(|term| term.matches(node_labels) && term.fields_match(node_name))
    }
}

impl fmt::Display for NodeSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return f.write_str("what no node has (no term)");
        }
        for (index, term) in self.terms.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", or " };
            write!(f, "{separator}{term}")?;
        }
        Ok(())
    }
}

impl fmt::Display for NodeSelectorTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self
            .match_expressions
            .iter()
            .map(ToString::to_string)
            .collect();
        if all.is_empty() {
            return f.write_str("what no node has (an empty term)");
        }
        f.write_str(&all.join(" and "))
    }
}

impl NodeSelectorTerm {
    fn matches(&self, node_labels: &Labels) -> bool {
        let empty = self.match_expressions.is_empty() && self.match_fields.is_empty();
        !empty
            && self.is_valid()
            && self
                .match_expressions
                .iter()
                .all(|requirement| requirement.matches(node_labels))
    }

    fn fields_match(&self, node_name: &str) -> bool {
        self.match_fields.iter().all(|requirement| {
            let named = requirement.values.iter().any(|value| value == node_name);
            requirement.key == "metadata.name" && named == (requirement.operator == Operator::In)
        })
    }

    /// A term that does not parse never matches; the other terms still count.
    fn is_valid(&self) -> bool {
        let expressions =
            self.match_expressions
                .iter()
                .all(|requirement| match requirement.operator {
                    Operator::In | Operator::NotIn => !requirement.values.is_empty(),
                    Operator::Exists | Operator::DoesNotExist => requirement.values.is_empty(),
                    Operator::Gt | Operator::Lt => {
                        matches!(&requirement.values[..], [value] if value.parse::<i64>().is_ok())
                    }
                    Operator::Other(_) => false,
                });
        let fields = self.match_fields.iter().all(|requirement| {
            matches!(requirement.operator, Operator::In | Operator::NotIn)
                && requirement.values.len() == 1
        });
        expressions && fields
    }
}

/// One allowed topology of a class: labels a node must have, each with one of the values.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TopologyTerm {
    /// Key and allowed values; all must hold, and an empty term matches nothing.
    pub expressions: Vec<(String, Vec<String>)>,
}

/// Whether a class with these topologies may provision for a node; no topologies at all allow every node.
pub fn topologies_allow(terms: &[TopologyTerm], node_labels: &Labels) -> bool {
    let holds = |(key, values): &(String, Vec<String>)| {
        node_labels
            .get(key)
            .is_some_and(|value| values.contains(value))
    };
    terms.is_empty()
        || terms
            .iter()
            .any(|term| !term.expressions.is_empty() && term.expressions.iter().all(holds))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requirement(key: &str, operator: Operator, values: &[&str]) -> Requirement {
        Requirement {
            key: key.into(),
            operator,
            values: values.iter().map(|v| (*v).to_owned()).collect(),
        }
    }

    fn node() -> Labels {
        [
            ("zone".to_owned(), "a".to_owned()),
            ("disks".to_owned(), "4".to_owned()),
        ]
        .into()
    }

    fn selector(
        match_expressions: Vec<Requirement>,
        match_fields: Vec<Requirement>,
    ) -> NodeSelector {
        NodeSelector {
            terms: vec![NodeSelectorTerm {
                match_expressions,
                match_fields,
            }],
        }
    }

    #[test]
    fn empty_terms_match_nothing() {
        assert!(!NodeSelector::default().matches(&node()));
        assert!(!selector(vec![], vec![]).matches(&node()));
    }

    #[test]
    fn fields_never_restrict_but_must_parse() {
        let name = requirement("metadata.name", Operator::In, &["elsewhere"]);
        assert!(selector(vec![], vec![name]).matches(&node()));
        let broken = requirement("metadata.name", Operator::Exists, &[]);
        assert!(!selector(vec![], vec![broken]).matches(&node()));
    }

    #[test]
    fn integers_compare_strictly() {
        assert!(
            selector(vec![requirement("disks", Operator::Gt, &["3"])], vec![]).matches(&node())
        );
        assert!(
            !selector(vec![requirement("disks", Operator::Gt, &["4"])], vec![]).matches(&node())
        );
        assert!(
            !selector(vec![requirement("zone", Operator::Lt, &["4"])], vec![]).matches(&node())
        );
        assert!(
            !selector(vec![requirement("disks", Operator::Gt, &["x"])], vec![]).matches(&node())
        );
    }

    #[test]
    fn topologies() {
        let term = |key: &str, value: &str| TopologyTerm {
            expressions: vec![(key.into(), vec![value.into()])],
        };
        assert!(topologies_allow(&[], &node()));
        assert!(topologies_allow(
            &[term("zone", "b"), term("zone", "a")],
            &node()
        ));
        assert!(!topologies_allow(&[TopologyTerm::default()], &node()));
    }
}
