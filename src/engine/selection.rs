//! Which volumes, claims and assets `reclaim` and `cleanup` are about: by namespace, class and labels. One rule for both.

use crate::conventions::selector::{LabelSelector, Labels};
use crate::model::{Claim, ClusterState, Volume};
use crate::report::join_or;

/// What the flags select. Without any, everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Selection<'a> {
    /// The one namespace of `-n`.
    pub namespace: Option<&'a str>,
    /// The namespaces of `--exclude-namespace`.
    pub excluded: &'a [String],
    /// Any of these classes.
    pub classes: &'a [String],
    /// All of these selectors.
    pub selectors: &'a [LabelSelector],
}

/// Whose labels count when a selection is checked for being empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Labelled {
    /// Volumes.
    Volumes,
    /// Volumes and claims.
    VolumesAndClaims,
}

impl Selection<'_> {
    /// Whether an object of this namespace is meant. A volume belongs to the namespace of its claimRef; without one it is in no
    /// namespace, so `-n` leaves it out and `--exclude-namespace` keeps it.
    pub fn is_within(&self, namespace: Option<&str>) -> bool {
        let is_excluded = namespace.is_some_and(|name| self.excluded.iter().any(|it| it == name));
        !is_excluded && self.namespace.is_none_or(|own| namespace == Some(own))
    }

    /// Whether the labels are all that is asked for.
    pub fn has_labels(&self, labels: Option<&Labels>) -> bool {
        let mut selectors = self.selectors.iter();
        selectors.all(|selector| labels.is_some_and(|labels| selector.matches(labels)))
    }

    /// Whether the class is one of those asked for.
    pub fn has_class(&self, class: Option<&str>) -> bool {
        let is_it = |asked: &String| Some(asked.as_str()) == class;
        self.classes.is_empty() || self.classes.iter().any(is_it)
    }

    /// Whether a volume is meant.
    pub fn takes(&self, volume: &Volume) -> bool {
        self.is_within(volume.claim_namespace())
            && self.has_labels(Some(&volume.labels))
            && self.has_class(Some(volume.class()))
    }

    /// Why the selection cannot be what was meant. A protective command that did nothing must not look like success.
    pub fn find_emptiness(&self, state: &ClusterState, labelled: Labelled) -> Option<String> {
        let volumes = || {
            let all = state.volumes().iter();
            all.filter(|volume| self.is_within(volume.claim_namespace()))
        };
        let claims = || {
            let all = state.claims().iter();
            all.filter(|claim: &&Claim| self.is_within(Some(&claim.key.namespace)))
        };
        let wherein = self.wherein();
        let mut classes = self.classes.iter();
        let is_class_used = volumes().any(|volume| self.has_class(Some(volume.class())))
            || claims().any(|claim| self.has_class(Some(claim.class.resolved())))
            || classes.any(|class| state.find_class(class).is_some());
        if !is_class_used && !self.classes.is_empty() {
            let classes = join_or(self.classes);
            return Some(format!(
                "no volume and no claim{wherein} has class {classes}, and no such class exists"
            ));
        }
        let is_labelled = volumes().any(|volume| self.has_labels(Some(&volume.labels)));
        let claims_count = labelled == Labelled::VolumesAndClaims;
        let is_claim = claims_count && claims().any(|claim| self.has_labels(Some(&claim.labels)));
        if self.selectors.is_empty() || is_labelled || is_claim {
            return None;
        }
        let what = if claims_count {
            "no volume and no claim"
        } else {
            "no volume"
        };
        Some(format!("{what}{wherein} has these labels"))
    }

    fn wherein(&self) -> String {
        self.namespace
            .map_or(String::new(), |name| format!(" of namespace {name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{claim, state, volume};

    fn labels(text: &str) -> Vec<LabelSelector> {
        vec![LabelSelector::parse(text).unwrap()]
    }

    #[test]
    fn a_volume_belongs_to_the_namespace_of_its_claim() {
        let excluded = ["a".to_owned()];
        let only = Selection {
            namespace: Some("a"),
            ..Selection::default()
        };
        let without = Selection {
            excluded: &excluded,
            ..Selection::default()
        };
        let within = |selection: Selection<'_>| {
            [Some("a"), Some("b"), None].map(|name| selection.is_within(name))
        };
        assert_eq!(within(only), [true, false, false]);
        assert_eq!(within(without), [false, true, true]);
        assert_eq!(within(Selection::default()), [true; 3]);
    }

    #[test]
    fn any_class_and_all_labels() {
        let classes = ["fast".to_owned(), "slow".to_owned()];
        let selectors = [labels("tier=a"), labels("disk=ssd")].concat();
        let selection = Selection {
            classes: &classes,
            selectors: &selectors,
            ..Selection::default()
        };
        let of = |class: &str, labels: &[(&str, &str)]| {
            let mut volume = volume("v").of_class(class);
            let labels = labels.iter();
            volume.labels = labels
                .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
                .collect();
            selection.takes(&volume)
        };
        assert!(of("slow", &[("tier", "a"), ("disk", "ssd")]));
        assert!(!of("slow", &[("tier", "a")]));
        assert!(!of("other", &[("tier", "a"), ("disk", "ssd")]));
    }

    #[test]
    fn a_selection_that_matches_nothing_is_told() {
        let state = state(vec![claim("a")], vec![volume("v")]);
        let classes = ["typo".to_owned()];
        let typo = Selection {
            classes: &classes,
            ..Selection::default()
        };
        let told = typo.find_emptiness(&state, Labelled::Volumes).unwrap();
        assert_eq!(
            told,
            "no volume and no claim has class typo, and no such class exists"
        );
        let selectors = labels("tier=a");
        let unlabelled = Selection {
            selectors: &selectors,
            ..Selection::default()
        };
        let told = unlabelled.find_emptiness(&state, Labelled::Volumes);
        assert_eq!(told.unwrap(), "no volume has these labels");
        let everything = Selection::default();
        assert_eq!(everything.find_emptiness(&state, Labelled::Volumes), None);
    }
}
