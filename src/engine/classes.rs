//! Which class a claim has, which is the default, and whether it delays binding (R11–R18).

use super::Rules;
use crate::model::{BindingMode, Claim, Class, ClusterState};
use crate::report::join_and;
use std::cmp::Reverse;

/// The default class: of those marked, the newest, then the first by name (R16).
pub fn find_default(state: &ClusterState) -> Option<&Class> {
    marked_default(state).into_iter().next()
}

/// All classes that are marked as the default, the one that counts first.
pub(crate) fn marked_default(state: &ClusterState) -> Vec<&Class> {
    let classes = state.classes().iter();
    let mut marked: Vec<&Class> = classes.filter(|class| class.marked_default).collect();
    marked.sort_by_key(|class| (Reverse(class.created), &class.name));
    marked
}

/// By what one marked class wins over another.
pub(crate) fn by_what(winner: &Class, other: &Class) -> String {
    match (winner.created, other.created) {
        (Some(created), Some(earlier)) if created == earlier => {
            "comes first by name among those created in that second".to_owned()
        }
        (Some(created), Some(_)) => format!("was created last ({created})"),
        (Some(_), None) => "is the newest whose age is known".to_owned(),
        (None, _) => {
            "comes first by name, as nothing says when they were created (the newest wins)"
                .to_owned()
        }
    }
}

/// That several classes are marked as the default, and which of them counts; nothing if one is.
pub(crate) fn several_defaults(state: &ClusterState) -> Option<String> {
    let marked = marked_default(state);
    let [winner, next, ..] = marked[..] else {
        return None;
    };
    let mut names: Vec<&str> = marked.iter().map(|class| class.name.as_str()).collect();
    names.sort_unstable();
    Some(format!(
        "{} are marked as the default class; a claim that names none gets {}, which {}",
        join_and(&names),
        winner.name,
        by_what(winner, next)
    ))
}

/// Whether the claim says nothing about its class, so that a default applies (R13).
pub fn lacks_class(claim: &Claim, rules: Rules) -> bool {
    if rules.empty_class_is_a_choice() {
        !claim.class.is_set()
    } else {
        claim.class.resolved().is_empty()
    }
}

/// Whether a claim of this class waits for a pod (R17). A class that is not there delays nothing.
pub fn is_delayed(state: &ClusterState, class: &str) -> bool {
    state
        .find_class(class)
        .is_some_and(|class| class.binding_mode == BindingMode::WaitForFirstConsumer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{claim, class, state_with};

    #[test]
    fn the_newest_default_wins_then_the_first_by_name() {
        let find = |classes: Vec<Class>| {
            let state = state_with(vec![], vec![], |objects| objects.classes = classes);
            find_default(&state).map(|class| class.name.clone())
        };
        let marked = |name: &str, since: i64| class(name, "x").default_since(since);
        assert_eq!(
            find(vec![
                marked("old", 1),
                marked("new", 2),
                class("other", "x")
            ])
            .as_deref(),
            Some("new")
        );
        assert_eq!(
            find(vec![marked("b", 1), marked("a", 1)]).as_deref(),
            Some("a")
        );
        assert_eq!(find(vec![class("other", "x")]), None);
    }

    #[test]
    fn an_empty_class_is_a_choice_today_and_was_none_in_1_4() {
        let empty = claim("c").of_class(Some(""));
        assert!(!lacks_class(&empty, Rules::V1_36));
        assert!(lacks_class(&empty, Rules::V1_4));
        assert!(lacks_class(&claim("c").of_class(None), Rules::V1_36));
    }
}
