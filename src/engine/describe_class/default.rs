//! Whether claims that name no class get this one, and why (R16).

use super::super::classes::{by_what, marked_default};
use crate::model::{Class, ClusterState, Kind};
use crate::report::join_and;

/// How a class stands among the default classes.
pub(super) struct Standing {
    /// Nothing if that cannot be told.
    pub(super) is_default: Option<bool>,
    pub(super) why: Option<String>,
}

pub(super) fn standing(state: &ClusterState, class: &Class) -> Standing {
    if !class.marked_default {
        return Standing {
            is_default: Some(false),
            why: None,
        };
    }
    let marked = marked_default(state);
    let winner = marked.first().copied().unwrap_or(class);
    let wins = winner.name == class.name;
    if wins && !state.saw(Kind::Classes, None) {
        return Standing {
            is_default: None,
            why: Some("marked; whether a newer class is marked too could not be read".to_owned()),
        };
    }
    let why = match (wins, marked.get(1)) {
        (true, None) => "the only class that is marked".to_owned(),
        (true, Some(next)) => format!(
            "marked like {}, and {}",
            join_and(&others(&marked)),
            by_what(class, next)
        ),
        (false, _) => format!("marked, but {} {}", winner.name, by_what(winner, class)),
    };
    Standing {
        is_default: Some(wins),
        why: Some(why),
    }
}

fn others<'a>(marked: &[&'a Class]) -> Vec<&'a str> {
    marked
        .iter()
        .skip(1)
        .map(|class| class.name.as_str())
        .collect()
}
