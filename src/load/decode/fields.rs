//! Single fields: times, quantities, selectors, topologies.

use super::super::wire;
use super::DecodeError;
use crate::conventions::quantity::Quantity;
use crate::conventions::selector::{LabelSelector, Operator, Requirement};
use crate::conventions::topology::{NodeSelector, NodeSelectorTerm, TopologyTerm};
use crate::model::{Condition, DataSource, Time};
use std::collections::BTreeMap;

pub(in crate::load) fn time(text: Option<&str>, field: &str) -> Result<Option<Time>, DecodeError> {
    let Some(text) = text else { return Ok(None) };
    match text.parse::<jiff::Timestamp>() {
        Ok(timestamp) => Ok(Some(Time(timestamp.as_second()))),
        Err(_) => Err(DecodeError {
            field: field.to_owned(),
            message: format!("`{text}` is not a time"),
        }),
    }
}

pub(super) fn storage(
    amounts: Option<&wire::Amounts>,
    field: &str,
) -> Result<Option<Quantity>, DecodeError> {
    match amounts.and_then(|amounts| amounts.get("storage")) {
        Some(amount) => quantity(amount, &format!("{field}.storage")).map(Some),
        None => Ok(None),
    }
}

pub(super) fn quantities(
    amounts: Option<&wire::Amounts>,
    field: &str,
) -> Result<BTreeMap<String, Quantity>, DecodeError> {
    let amounts = amounts.into_iter().flatten();
    amounts
        .map(|(key, amount)| Ok((key.clone(), quantity(amount, &format!("{field}.{key}"))?)))
        .collect()
}

pub(super) fn quantity(amount: &wire::Amount, field: &str) -> Result<Quantity, DecodeError> {
    let Some(text) = &amount.0 else {
        return Ok(Quantity::zero());
    };
    Quantity::parse(text).map_err(|error| DecodeError {
        field: field.to_owned(),
        message: format!("`{text}`: {error}"),
    })
}

pub(super) fn label_selector(wire: wire::LabelSelector) -> LabelSelector {
    LabelSelector {
        match_labels: wire.match_labels.unwrap_or_default(),
        match_expressions: wire
            .match_expressions
            .unwrap_or_default()
            .into_iter()
            .map(requirement)
            .collect(),
    }
}

pub(super) fn requirement(wire: wire::Expression) -> Requirement {
    Requirement {
        key: wire.key.unwrap_or_default(),
        operator: Operator::of_name(&wire.operator.unwrap_or_default()),
        values: wire.values.unwrap_or_default(),
    }
}

pub(in crate::load) fn node_selector(wire: wire::NodeSelector) -> NodeSelector {
    let term = |term: wire::NodeSelectorTerm| NodeSelectorTerm {
        match_expressions: term
            .match_expressions
            .unwrap_or_default()
            .into_iter()
            .map(requirement)
            .collect(),
        match_fields: term
            .match_fields
            .unwrap_or_default()
            .into_iter()
            .map(requirement)
            .collect(),
    };
    NodeSelector {
        terms: wire
            .node_selector_terms
            .unwrap_or_default()
            .into_iter()
            .map(term)
            .collect(),
    }
}

pub(super) fn topology(wire: wire::TopologyTerm) -> TopologyTerm {
    let expressions = wire.match_label_expressions.unwrap_or_default();
    TopologyTerm {
        expressions: expressions
            .into_iter()
            .map(|expression| {
                (
                    expression.key.unwrap_or_default(),
                    expression.values.unwrap_or_default(),
                )
            })
            .collect(),
    }
}

pub(super) fn data_source(wire: wire::DataSource) -> DataSource {
    DataSource {
        group: wire.api_group,
        kind: wire.kind.unwrap_or_default(),
        name: wire.name.unwrap_or_default(),
        namespace: wire.namespace.filter(|namespace| !namespace.is_empty()),
    }
}

pub(super) fn condition(wire: wire::Condition) -> Result<Condition, DecodeError> {
    Ok(Condition {
        kind: wire.kind.unwrap_or_default(),
        status: wire.status.unwrap_or_default(),
        message: wire.message.unwrap_or_default(),
        since: time(
            wire.last_transition_time.as_deref(),
            "status.conditions.lastTransitionTime",
        )?,
    })
}
