//! `plan --diff` as text: only the claims a what-if changes, now and then.

use crate::render::page::{Page, Tone};
use crate::render::table::Table;
use crate::report::{Forecast, ForecastChange, ForecastEnd, Verdict, join_or, plural};

/// The changes as a table.
pub(super) fn page(forecast: &Forecast, what_if: &str) -> Page {
    let mut page = Page::default();
    let changes: Vec<&ForecastChange> = forecast.changes.iter().flatten().collect();
    if changes.is_empty() {
        let nothing = format!("Nothing changes for any claim {}.", what_if.to_lowercase());
        page.line(vec![(Tone::Plain, nothing)], 2);
        return page;
    }
    page.line(vec![(Tone::Plain, answer(&changes, what_if))], 2);
    page.blank();
    let mut table = Table::with_heads(vec![
        "CLAIM".to_owned(),
        "NOW".to_owned(),
        what_if.to_uppercase_first(),
    ]);
    for change in changes {
        table.row(vec![
            (Tone::Plain, format!("{}/{}", change.namespace, change.name)),
            (
                Tone::Plain,
                in_words(change.before.as_ref(), &change.namespace),
            ),
            (
                tone(change.after.as_ref()),
                in_words(change.after.as_ref(), &change.namespace),
            ),
        ]);
    }
    page.table(table);
    page
}

/// The whole answer in one sentence.
fn answer(changes: &[&ForecastChange], what_if: &str) -> String {
    let all = changes.len();
    let gains = changes.iter().filter(|change| gains(change)).count();
    let get = |claims: usize| if claims == 1 { "gets" } else { "get" };
    if gains == all {
        return format!(
            "{} {} a volume {what_if}, or may.",
            plural(all, "claim"),
            get(all)
        );
    }
    let end = if all == 1 { "ends" } else { "end" };
    let of_them = match gains {
        0 => "none of them gains a volume".to_owned(),
        _ => format!("{gains} of them {} a volume by it, or may", get(gains)),
    };
    format!(
        "{} {end} otherwise {what_if}; {of_them}.",
        plural(all, "claim")
    )
}

trait Heading {
    fn to_uppercase_first(&self) -> String;
}

impl Heading for str {
    /// `with new-pv.yaml` as a head: the word is shouted, names are left as they are.
    fn to_uppercase_first(&self) -> String {
        match self.split_once(' ') {
            Some((word, rest)) => format!("{} {rest}", word.to_uppercase()),
            None => self.to_uppercase(),
        }
    }
}

fn gains(change: &ForecastChange) -> bool {
    let has = |end: Option<&ForecastEnd>| {
        end.is_some_and(|end| {
            matches!(
                end.verdict,
                Verdict::Bound | Verdict::WillBind | Verdict::WillProvision
            )
        })
    };
    has(change.after.as_ref()) && !has(change.before.as_ref())
}

fn tone(end: Option<&ForecastEnd>) -> Tone {
    match end.map(|end| end.verdict) {
        Some(Verdict::Bound | Verdict::WillBind | Verdict::WillProvision) => Tone::Good,
        Some(Verdict::Waiting | Verdict::Unknown) | None => Tone::Wait,
        Some(Verdict::Blocked | Verdict::Lost | Verdict::Rejected) => Tone::Bad,
    }
}

fn in_words(end: Option<&ForecastEnd>, namespace: &str) -> String {
    let Some(end) = end else {
        return "not there".to_owned();
    };
    match end.verdict {
        Verdict::WillBind => {
            let volumes = match end.outcomes.len() + end.outcomes_omitted {
                0..=3 => join_or(&end.outcomes),
                many => format!("one of {many} volumes"),
            };
            format!("binds {volumes}{}", unless(end, namespace))
        }
        Verdict::Bound => format!("bound to {}", join_or(&end.outcomes)),
        Verdict::WillProvision => "a new volume is made".to_owned(),
        other => other.name().to_owned(),
    }
}

fn unless(end: &ForecastEnd, namespace: &str) -> String {
    if !end.may_stay_unbound && !end.may_be_provisioned {
        return String::new();
    }
    let own = format!("{namespace}/");
    let named: Vec<&str> = end
        .competitors
        .iter()
        .map(|rival| rival.strip_prefix(&own).unwrap_or(rival))
        .collect();
    match &named[..] {
        [] => ", or none".to_owned(),
        [one] => format!(", unless {one} is first"),
        [_, ..] if end.competitors_omitted == 0 && named.len() <= 3 => {
            format!(", unless {} is first", join_or(&named))
        }
        many => format!(
            ", unless others are first ({} compete)",
            many.len() + end.competitors_omitted
        ),
    }
}
