//! Which values a parameter takes. What is said here is what provisioners do: a value is refused only where the
//! provisioner would refuse it, or take it for something that nobody who wrote it can have meant.

use crate::conventions::quantity::Quantity;

/// Which values a parameter takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueKind {
    /// Any text.
    Text,
    /// Yes or no.
    Bool {
        /// Whether `1`, `t` and their like will do, as Go's ParseBool has it; otherwise only `true` and `false`.
        short_forms: bool,
    },
    /// A whole number.
    Integer {
        /// The least.
        min: Option<i64>,
        /// The most.
        max: Option<i64>,
    },
    /// A number in base eight, as `chmod` takes it.
    Octal,
    /// One of these.
    Choice(Choice),
    /// Several of these, or several of anything, between commas.
    List(Choice),
    /// `key=value`, several between commas.
    Pairs,
    /// A size as Kubernetes writes it.
    Quantity,
    /// JSON.
    Json,
}

/// Values to choose from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    /// The values worth showing.
    pub values: Vec<String>,
    /// Whether the provisioner takes no others.
    pub complete: bool,
    /// Whether it is known not to take them in another case.
    pub exact_case: bool,
}

impl Choice {
    fn takes(&self, value: &str) -> bool {
        let listed = || self.values.iter();
        let in_any_case = listed().any(|listed| listed.eq_ignore_ascii_case(value));
        let as_written = listed().any(|listed| listed == value);
        match (self.exact_case, self.complete) {
            (true, true) => as_written,
            // Whatever may not be listed yet, it does not differ from something listed by nothing but case.
            (true, false) => as_written || !in_any_case,
            (false, true) => in_any_case,
            (false, false) => true,
        }
    }
}

impl ValueKind {
    /// Whether the provisioner takes the value. An empty one mostly means "not set", and is never called wrong.
    pub fn takes(&self, value: &str) -> bool {
        if value.is_empty() {
            return true;
        }
        let in_items = |takes: &dyn Fn(&str) -> bool| {
            let mut items = value.split(',').map(str::trim);
            items.all(|item| item.is_empty() || takes(item))
        };
        match self {
            Self::Text => true,
            Self::Bool { short_forms } => {
                let words = ["true", "false"];
                let short = ["1", "0", "t", "f"];
                let is = |word: &&str| word.eq_ignore_ascii_case(value);
                words.iter().any(is) || *short_forms && short.iter().any(is)
            }
            Self::Integer { min, max } => value.parse::<i64>().is_ok_and(|number| {
                min.is_none_or(|min| min <= number) && max.is_none_or(|max| number <= max)
            }),
            Self::Octal => u32::from_str_radix(value, 8).is_ok(),
            Self::Choice(choice) => choice.takes(value),
            Self::List(choice) => in_items(&|item| choice.takes(item)),
            Self::Pairs => in_items(&|item| item.contains('=')),
            Self::Quantity => Quantity::parse(value).is_ok(),
            Self::Json => serde_json::from_str::<serde::de::IgnoredAny>(value).is_ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(values: &[&str], complete: bool, exact_case: bool) -> Choice {
        Choice {
            values: values.iter().map(|value| (*value).to_owned()).collect(),
            complete,
            exact_case,
        }
    }

    #[test]
    fn values_are_read_as_provisioners_read_them() {
        let plain = ValueKind::Bool { short_forms: false };
        let short = ValueKind::Bool { short_forms: true };
        let number = ValueKind::Integer {
            min: Some(1),
            max: Some(10),
        };
        let open = ValueKind::Choice(choice(&["a"], false, false));
        let any_case = ValueKind::Choice(choice(&["None"], true, false));
        let exact = ValueKind::Choice(choice(&["None"], true, true));
        let open_exact = ValueKind::Choice(choice(&["None"], false, true));
        let list = ValueKind::List(choice(&["a", "b"], true, false));
        let cases: [(&ValueKind, &[&str], &[&str]); 12] = [
            (&ValueKind::Text, &["", "anything"], &[]),
            (&plain, &["true", "False", ""], &["1", "yes"]),
            (&short, &["T", "0", "true"], &["yes", "2"]),
            (&number, &["1", "10"], &["0", "11", "1.5", "ten"]),
            (&ValueKind::Octal, &["0777", "0"], &["0888", "rwx"]),
            (&open, &["a", "z"], &[]),
            (&any_case, &["none"], &["nothing"]),
            (&exact, &["None"], &["none"]),
            (&open_exact, &["None", "Other"], &["NONE"]),
            (&list, &["a", "b, a"], &["a,c"]),
            (&ValueKind::Quantity, &["10Gi", "1e3"], &["10GB"]),
            (&ValueKind::Json, &["[{}]"], &["[{]"]),
        ];
        for (kind, taken, refused) in cases {
            for value in taken {
                assert!(kind.takes(value), "{kind:?} {value}");
            }
            for value in refused {
                assert!(!kind.takes(value), "{kind:?} {value}");
            }
        }
        assert!(ValueKind::Pairs.takes("a=b,c=d"));
        assert!(!ValueKind::Pairs.takes("a=b,c"));
    }
}
