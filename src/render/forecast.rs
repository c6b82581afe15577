//! `plan` as text: the answer as a sentence, then every claim with what it ends with and why.

mod diff;

use super::page::{Page, Screen, Tone};
use super::table::Table;
use super::{Format, machine, safe};
use crate::report::{ClaimForecast, Code, Forecast, Verdict, join_and, join_or, plural};
use std::io::{self, Write};

/// Prints a forecast.
pub(crate) fn write_forecast(
    to: &mut dyn Write,
    forecast: &Forecast,
    what_if: &str,
    format: Format,
    screen: &Screen,
) -> io::Result<()> {
    match format {
        Format::Json | Format::Yaml => machine::write(to, forecast, format),
        Format::Name if forecast.changes.is_some() => forecast
            .changes
            .iter()
            .flatten()
            .try_for_each(|change| writeln!(to, "persistentvolumeclaim/{}", safe(&change.name))),
        Format::Name => forecast
            .claims
            .iter()
            .try_for_each(|claim| writeln!(to, "persistentvolumeclaim/{}", safe(&claim.name))),
        Format::Text | Format::Wide if forecast.changes.is_some() => {
            diff::page(forecast, what_if).write(to, screen)
        }
        Format::Text | Format::Wide => {
            page(forecast, screen.all || format == Format::Wide).write(to, screen)
        }
    }
}

fn page(forecast: &Forecast, in_full: bool) -> Page {
    let mut page = Page::default();
    page.line(vec![(Tone::Plain, answer(forecast))], 2);
    if !forecast.claims.is_empty() {
        page.blank();
        let mut table = Table::new(&["CLAIM", "ENDS WITH", "WHY"]);
        for claim in &forecast.claims {
            table.row(vec![
                (Tone::Plain, format!("{}/{}", claim.namespace, claim.name)),
                (tone(claim), ends_with(claim, in_full)),
                (Tone::Plain, why(claim)),
            ]);
        }
        page.table(table);
    }
    if !forecast.unknowns.is_empty() {
        page.blank();
    }
    for unknown in &forecast.unknowns {
        let words = vec![
            (Tone::Label, "Not seen  ".to_owned()),
            (Tone::Plain, format!("{}: {}", unknown.what, unknown.why)),
        ];
        page.line(words, 10);
    }
    page
}

/// The whole answer in one sentence.
fn answer(forecast: &Forecast) -> String {
    let settled = &forecast.settled;
    let unbound = forecast.claims.len();
    let ended = settled.provisioned + settled.waiting + settled.blocked + settled.undecided;
    let all = settled.bound + ended;
    if unbound == 0 {
        return match all {
            0 => "There are no claims.".to_owned(),
            1 => "The only claim is bound.".to_owned(),
            _ => format!("All {all} claims are bound."),
        };
    }
    let of = |verdict: Verdict| {
        let claims = forecast.claims.iter();
        claims.filter(|claim| claim.verdict == verdict).count()
    };
    let (lost, rejected, unknown) = (
        of(Verdict::Lost),
        of(Verdict::Rejected),
        of(Verdict::Unknown),
    );
    let parts = [
        (unbound.saturating_sub(ended), "will bind", "will bind"),
        (
            settled.provisioned,
            "will have a volume made",
            "will have a volume made",
        ),
        (settled.waiting, "waits for a pod", "wait for a pod"),
        (
            settled.blocked.saturating_sub(lost + rejected + unknown),
            "stays Pending",
            "stay Pending",
        ),
        (lost, "has lost its volume", "have lost their volumes"),
        (rejected, "would be refused", "would be refused"),
        (unknown, "cannot be told", "cannot be told"),
        (
            settled.undecided,
            "depends on who is first",
            "depend on who is first",
        ),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _, _)| *count > 0)
        .map(|(count, one, several)| {
            let what = if count == 1 { one } else { several };
            format!("{count} {what}")
        })
        .collect();
    let verb = if unbound == 1 { "is" } else { "are" };
    format!(
        "{} {verb} unbound: {}.",
        plural(unbound, "claim"),
        parts.join(", ")
    )
}

fn tone(claim: &ClaimForecast) -> Tone {
    match claim.verdict {
        Verdict::Bound | Verdict::WillBind | Verdict::WillProvision => Tone::Good,
        Verdict::Waiting | Verdict::Unknown => Tone::Wait,
        Verdict::Blocked | Verdict::Lost | Verdict::Rejected => Tone::Bad,
    }
}

/// What a claim ends with.
fn ends_with(claim: &ClaimForecast, in_full: bool) -> String {
    match claim.verdict {
        Verdict::Bound | Verdict::WillBind => volumes(claim, in_full),
        Verdict::WillProvision => "a new volume".to_owned(),
        Verdict::Waiting => "nothing yet".to_owned(),
        Verdict::Blocked | Verdict::Lost | Verdict::Rejected => "nothing".to_owned(),
        Verdict::Unknown => "not known".to_owned(),
    }
}

fn volumes(claim: &ClaimForecast, in_full: bool) -> String {
    const FEW: usize = 3;
    let count = claim.outcomes.len() + claim.outcomes_omitted;
    if count <= FEW || in_full && claim.outcomes_omitted == 0 {
        return join_or(&claim.outcomes);
    }
    let first = claim.outcomes.iter().take(2).map(String::as_str);
    let first: Vec<&str> = first.collect();
    format!("one of {count} ({}, …)", first.join(", "))
}

/// Under which condition the claim does not get one of these.
pub(super) fn unless(claim: &ClaimForecast) -> Option<String> {
    if !claim.may_stay_unbound && !claim.may_be_provisioned || claim.competitors.is_empty() {
        return None;
    }
    let rivals = claim.competitors.len() + claim.competitors_omitted;
    let volumes = claim.outcomes.len() + claim.outcomes_omitted;
    // Whoever is in the same namespace is known by name.
    let own = format!("{}/", claim.namespace);
    let named: Vec<&str> = claim
        .competitors
        .iter()
        .map(|rival| rival.strip_prefix(&own).unwrap_or(rival))
        .collect();
    Some(match (rivals, volumes) {
        (1, _) => format!("unless {} is first", named[0]),
        (2, 1) => format!("unless {} is first", join_or(&named)),
        (_, 1) => format!("unless one of {rivals} others is first"),
        (2, 2) => format!("unless {} are first", join_and(&named)),
        _ => format!("unless enough of {rivals} others are first"),
    })
}

fn why(claim: &ClaimForecast) -> String {
    let mut parts: Vec<String> = Vec::new();
    if claim.verdict == Verdict::WillBind {
        parts.extend(condition(claim));
        let others = claim.causes.iter().filter(|code| **code != Code::Contended);
        parts.extend(others.map(ToString::to_string));
    } else if let Some(message) = &claim.message {
        parts.push(match claim.causes.first() {
            Some(code) => format!("{code}: {message}"),
            None => message.clone(),
        });
    }
    if !claim.exact {
        parts.push("at most these: too many orders to try".to_owned());
    }
    parts.join("; ")
}

/// What it depends on which volume a claim gets, and whether any.
fn condition(claim: &ClaimForecast) -> Option<String> {
    let otherwise = match (claim.may_stay_unbound, claim.may_be_provisioned) {
        (true, true) => "one is made, or it stays Pending",
        (true, false) => "it stays Pending",
        (false, true) => "one is made for it",
        (false, false) if claim.causes.contains(&Code::Contended) => {
            return Some(format!("{}: who is first decides which", Code::Contended));
        }
        (false, false) if claim.outcomes.len() > 1 => {
            return Some("equal: Kubernetes takes any of them".to_owned());
        }
        (false, false) => return None,
    };
    Some(match unless(claim) {
        Some(unless) => format!("{}: {unless}; then {otherwise}", Code::Contended),
        None => format!("or {otherwise}"),
    })
}
