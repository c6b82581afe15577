//! Label selectors (Q5): those of claims, and the `-l` of the command line.

use super::field_error::{FieldErrorKind, ForbiddenRule};
use super::foreign::{quoted, quoted_each};
use super::names::{NameProblem, label_key_problems, label_value_problems};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// The labels of an object.
pub type Labels = BTreeMap<String, String>;

/// A label selector. All its requirements must hold; an empty one matches everything.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct LabelSelector {
    /// `matchLabels`.
    pub match_labels: Labels,
    /// `matchExpressions`.
    pub match_expressions: Vec<Requirement>,
}

/// How many requirements, and how many values of one, a reason shows.
const MOST_SHOWN: usize = 20;

/// The requirements that do not hold for some labels.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unmet {
    /// The keys.
    pub keys: Vec<String>,
    /// The requirements, as `-l` spells them.
    pub texts: Vec<String>,
}

/// One expression over one label.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Requirement {
    /// The label's key.
    pub key: String,
    /// What is asked of it.
    pub operator: Operator,
    /// The values it is compared with.
    pub values: Vec<String>,
}

/// The operators of label and node selectors.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Operator {
    /// Present and one of the values.
    In,
    /// Absent, or none of the values.
    NotIn,
    /// Present.
    Exists,
    /// Absent.
    DoesNotExist,
    /// Present, an integer, and greater (node selectors only).
    Gt,
    /// Present, an integer, and smaller (node selectors only).
    Lt,
    /// Not an operator at all; kept so that the error can show it.
    Other(String),
}

impl Operator {
    /// The operator of that name.
    pub fn of_name(name: &str) -> Self {
        match name {
            "In" => Self::In,
            "NotIn" => Self::NotIn,
            "Exists" => Self::Exists,
            "DoesNotExist" => Self::DoesNotExist,
            "Gt" => Self::Gt,
            "Lt" => Self::Lt,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The name in manifests.
    pub fn name(&self) -> &str {
        match self {
            Self::In => "In",
            Self::NotIn => "NotIn",
            Self::Exists => "Exists",
            Self::DoesNotExist => "DoesNotExist",
            Self::Gt => "Gt",
            Self::Lt => "Lt",
            Self::Other(name) => name,
        }
    }
}

/// A problem in a selector: where, below the selector's own path, and what kind of field error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectorProblem {
    /// Path below the selector, e.g. `matchExpressions[0].values`.
    pub path: String,
    /// What is wrong.
    pub kind: FieldErrorKind,
}

impl LabelSelector {
    /// Whether it asks for nothing.
    pub fn is_empty(&self) -> bool {
        self.match_labels.is_empty() && self.match_expressions.is_empty()
    }

    /// All requirements, `matchLabels` as equality first.
    pub fn requirements(&self) -> impl Iterator<Item = Requirement> {
        let equal = self.match_labels.iter().map(|(key, value)| Requirement {
            key: key.clone(),
            operator: Operator::In,
            values: vec![value.clone()],
        });
        equal.chain(self.match_expressions.iter().cloned())
    }

    /// Whether all requirements hold.
    pub fn matches(&self, labels: &Labels) -> bool {
        self.match_labels
            .iter()
            .all(|(key, value)| labels.get(key) == Some(value))
            && self
                .match_expressions
                .iter()
                .all(|requirement| requirement.matches(labels))
    }

    /// The requirements that do not hold.
    pub fn unmet(&self, labels: &Labels) -> Vec<Requirement> {
        self.requirements()
            .filter(|requirement| !requirement.matches(labels))
            .collect()
    }

    /// The requirements that do not hold: the first of them, shortened, and how many more. A reason is kept for each volume, so
    /// its size is bounded whatever the selector's is.
    pub fn describe_unmet(&self, labels: &Labels) -> Unmet {
        let equal = self.match_labels.iter();
        let equal = equal.filter(|(key, value)| labels.get(*key) != Some(value));
        let equal = equal.map(|(key, value)| (key, format!("{key}={value}")));
        let expressions = self.match_expressions.iter();
        let expressions = expressions.filter(|requirement| !requirement.matches(labels));
        let expressions =
            expressions.map(|requirement| (&requirement.key, requirement.shortened()));
        let mut unmet = Unmet::default();
        let mut all = equal.chain(expressions);
        for (key, text) in all.by_ref().take(MOST_SHOWN) {
            unmet.keys.push(key.clone());
            unmet.texts.push(text);
        }
        let more = all.count();
        if more > 0 {
            unmet.texts.push(format!("{more} more"));
        }
        unmet
    }

    /// What the API server would refuse in it (R7); a stored selector with problems makes every sync fail (Q5).
    pub fn problems(&self) -> Vec<SelectorProblem> {
        let mut problems = Vec::new();
        for (key, value) in &self.match_labels {
            problems.extend(invalid("matchLabels", key, label_key_problems(key)));
            problems.extend(invalid("matchLabels", value, label_value_problems(value)));
        }
        for (index, requirement) in self.match_expressions.iter().enumerate() {
            problems.extend(requirement.problems(&format!("matchExpressions[{index}]")));
        }
        problems
    }

    /// Parses the command line's form: `a=b,c!=d,e in (x,y),f notin (z),g,!h`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut selector = Self::default();
        for term in split_terms(text) {
            let term = term.trim();
            if term.is_empty() {
                continue;
            }
            selector.match_expressions.push(parse_term(term)?);
        }
        match selector.problems().first() {
            Some(problem) => Err(problem.kind.to_string()),
            None => Ok(selector),
        }
    }
}

impl Requirement {
    /// Whether the requirement holds for these labels.
    pub fn matches(&self, labels: &Labels) -> bool {
        let value = labels.get(&self.key);
        let listed = |value: &String| self.values.contains(value);
        match self.operator {
            Operator::In => value.is_some_and(listed),
            Operator::NotIn => !value.is_some_and(listed),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::Gt => self.compare(value).is_some_and(std::cmp::Ordering::is_gt),
            Operator::Lt => self.compare(value).is_some_and(std::cmp::Ordering::is_lt),
            Operator::Other(_) => false,
        }
    }

    /// As `-l` spells it, with the first values and how many more there are.
    fn shortened(&self) -> String {
        let more = self.values.len().saturating_sub(MOST_SHOWN);
        let shown = self.values.len().min(MOST_SHOWN);
        let mut values = quoted_each(&self.values[..shown]);
        values.extend((more > 0).then(|| format!("{more} more").into()));
        self.spelled(&values)
    }

    /// As `-l` spells it, with these values.
    fn spelled(&self, values: &[Cow<'_, str>]) -> String {
        let key = quoted(&self.key);
        let all = values.join(",");
        match (&self.operator, values) {
            (Operator::In, [value]) => format!("{key}={value}"),
            (Operator::NotIn, [value]) => format!("{key}!={value}"),
            (Operator::In, _) => format!("{key} in ({all})"),
            (Operator::NotIn, _) => format!("{key} notin ({all})"),
            (Operator::Exists, _) => key.into_owned(),
            (Operator::DoesNotExist, _) => format!("!{key}"),
            (Operator::Gt, _) => format!("{key}>{all}"),
            (Operator::Lt, _) => format!("{key}<{all}"),
            (Operator::Other(name), _) => format!("{key} {} ({all})", quoted(name)),
        }
    }

    /// The label against the one integer of `Gt` and `Lt`.
    fn compare(&self, value: Option<&String>) -> Option<std::cmp::Ordering> {
        let [bound] = &self.values[..] else {
            return None;
        };
        Some(value?.parse::<i64>().ok()?.cmp(&bound.parse::<i64>().ok()?))
    }

    fn problems(&self, path: &str) -> Vec<SelectorProblem> {
        let mut problems = Vec::new();
        let at = |field: &str, kind: FieldErrorKind| SelectorProblem {
            path: format!("{path}.{field}"),
            kind,
        };
        match &self.operator {
            Operator::In | Operator::NotIn if self.values.is_empty() => {
                let detail = "must be specified when `operator` is 'In' or 'NotIn'";
                problems.push(at("values", FieldErrorKind::Required(detail)));
            }
            Operator::Exists | Operator::DoesNotExist if !self.values.is_empty() => {
                let rule = ForbiddenRule::Other(
                    "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
                );
                problems.push(at("values", FieldErrorKind::Forbidden(rule)));
            }
            Operator::In | Operator::NotIn | Operator::Exists | Operator::DoesNotExist => {}
            other => {
                problems.push(at(
                    "operator",
                    FieldErrorKind::invalid(other.name(), "not a valid selector operator"),
                ));
            }
        }
        problems.extend(invalid(
            &format!("{path}.key"),
            &self.key,
            label_key_problems(&self.key),
        ));
        for (index, value) in self.values.iter().enumerate() {
            problems.extend(invalid(
                &format!("{path}.values[{index}]"),
                value,
                label_value_problems(value),
            ));
        }
        problems
    }
}

impl fmt::Display for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelled(&quoted_each(&self.values)))
    }
}

impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            &self
                .requirements()
                .map(|requirement| requirement.to_string())
                .collect::<Vec<_>>()
                .join(","),
        )
    }
}

fn invalid(
    path: &str,
    value: &str,
    problems: Vec<NameProblem>,
) -> impl Iterator<Item = SelectorProblem> {
    problems.into_iter().map(move |problem| SelectorProblem {
        path: path.to_owned(),
        kind: FieldErrorKind::invalid(value, problem),
    })
}

/// Splits at commas that are not inside parentheses.
fn split_terms(text: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    let (mut start, mut depth) = (0, 0);
    for (index, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                terms.push(&text[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    terms.push(&text[start..]);
    terms
}

fn parse_term(term: &str) -> Result<Requirement, String> {
    let requirement = |key: &str, operator, values: Vec<&str>| Requirement {
        key: key.trim().to_owned(),
        operator,
        values: values
            .into_iter()
            .map(|value| value.trim().to_owned())
            .collect(),
    };
    if let Some(key) = term.strip_prefix('!') {
        return Ok(requirement(key, Operator::DoesNotExist, vec![]));
    }
    if let Some((head, values)) = term.split_once('(') {
        let values = values
            .strip_suffix(')')
            .ok_or_else(|| format!("`{term}` lacks a closing parenthesis"))?;
        let (key, operator) = head
            .trim()
            .rsplit_once(char::is_whitespace)
            .ok_or_else(|| format!("`{term}` lacks an operator"))?;
        let operator = match operator {
            "in" => Operator::In,
            "notin" => Operator::NotIn,
            other => return Err(format!("`{other}` is not an operator (in, notin)")),
        };
        return Ok(requirement(key, operator, values.split(',').collect()));
    }
    if let Some((key, value)) = term.split_once("!=") {
        return Ok(requirement(key, Operator::NotIn, vec![value]));
    }
    if let Some((key, value)) = term.split_once('=') {
        return Ok(requirement(
            key,
            Operator::In,
            vec![value.strip_prefix('=').unwrap_or(value)],
        ));
    }
    Ok(requirement(term, Operator::Exists, vec![]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(pairs: &[(&str, &str)]) -> Labels {
        pairs
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn absent_keys_satisfy_not_in() {
        let selector = LabelSelector::parse("zone notin (a,b)").expect("valid");
        assert!(selector.matches(&labels(&[])));
        assert!(selector.matches(&labels(&[("zone", "c")])));
        assert!(!selector.matches(&labels(&[("zone", "a")])));
    }

    #[test]
    fn the_command_line_form_parses_back() {
        for text in [
            "a=b",
            "a!=b",
            "a in (b,c)",
            "a notin (b,c)",
            "a",
            "!a",
            "a=b,!c,d in (e,f)",
        ] {
            assert_eq!(LabelSelector::parse(text).expect(text).to_string(), text);
        }
        assert_eq!(
            LabelSelector::parse("a==b").expect("valid").to_string(),
            "a=b"
        );
        assert!(LabelSelector::parse("a in (b").is_err());
        assert!(LabelSelector::parse("a b").is_err());
    }

    #[test]
    fn an_empty_selector_matches_everything() {
        assert!(LabelSelector::default().matches(&labels(&[("x", "y")])));
    }

    #[test]
    fn what_does_not_hold_is_shown_in_part() {
        let list: Vec<String> = (0..60_000).map(|number| format!("v{number}")).collect();
        let text = format!("tier in ({})", list.join(","));
        let selector = LabelSelector::parse(&text).expect("valid");
        let unmet = selector.describe_unmet(&labels(&[("tier", "gold")]));
        assert_eq!(unmet.keys, ["tier"]);
        assert!(unmet.texts[0].ends_with("v18,v19,59980 more)"));
        let selector = LabelSelector::parse(&list.join(",")).expect("valid");
        let unmet = selector.describe_unmet(&labels(&[]));
        assert_eq!((unmet.keys.len(), unmet.texts.len()), (20, 21));
        assert_eq!(unmet.texts[20], "59980 more");
    }

    #[test]
    fn problems_name_the_place() {
        let selector = LabelSelector {
            match_labels: labels(&[]),
            match_expressions: vec![Requirement {
                key: "a".into(),
                operator: Operator::In,
                values: vec![],
            }],
        };
        assert_eq!(selector.problems()[0].path, "matchExpressions[0].values");
    }
}
