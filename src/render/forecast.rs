//! `plan` as text: the answer as a sentence, then every claim with what it ends with and why.

use super::page::{Page, Screen, Tone};
use super::table::Table;
use super::{Format, machine, safe};
use crate::report::{ClaimForecast, Forecast, Verdict, join_and, join_or};
use std::io::{self, Write};

/// Prints a forecast.
pub(crate) fn write_forecast(
    to: &mut dyn Write,
    forecast: &Forecast,
    format: Format,
    screen: &Screen,
) -> io::Result<()> {
    match format {
        Format::Json | Format::Yaml => machine::write(to, forecast, format),
        Format::Name => forecast
            .claims
            .iter()
            .try_for_each(|claim| writeln!(to, "persistentvolumeclaim/{}", safe(&claim.name))),
        Format::Text | Format::Wide => page(forecast).write(to, screen),
    }
}

fn page(forecast: &Forecast) -> Page {
    let mut page = Page::default();
    page.line(vec![(Tone::Plain, answer(forecast))], 2);
    if forecast.claims.is_empty() {
        return page;
    }
    page.blank();
    let mut table = Table::new(&["CLAIM", "ENDS WITH", "WHY"]);
    for claim in &forecast.claims {
        table.row(vec![
            (Tone::Plain, format!("{}/{}", claim.namespace, claim.name)),
            (tone(claim), ends_with(claim)),
            (Tone::Plain, why(claim)),
        ]);
    }
    page.table(table);
    page
}

fn answer(forecast: &Forecast) -> String {
    let claims = forecast.claims.len();
    if claims == 0 {
        return "Every claim is bound.".to_owned();
    }
    let of = |verdict: Verdict| {
        forecast
            .claims
            .iter()
            .filter(|claim| claim.verdict == verdict)
            .count()
    };
    let parts: Vec<String> = [
        (of(Verdict::WillBind), "will bind"),
        (of(Verdict::WillProvision), "will have a volume made"),
        (of(Verdict::Waiting), "waiting for a pod"),
        (of(Verdict::Blocked), "stay Pending"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{count} {what}"))
    .collect();
    format!("{claims} claims are unbound: {}.", join_and(&parts))
}

fn tone(claim: &ClaimForecast) -> Tone {
    match claim.verdict {
        Verdict::Bound | Verdict::WillBind | Verdict::WillProvision => Tone::Good,
        Verdict::Waiting | Verdict::Unknown => Tone::Wait,
        Verdict::Blocked | Verdict::Lost | Verdict::Rejected => Tone::Bad,
    }
}

fn ends_with(claim: &ClaimForecast) -> String {
    join_or(&claim.outcomes)
}

fn why(claim: &ClaimForecast) -> String {
    let code = claim.causes.first().copied().unwrap_or_default();
    claim
        .message
        .as_ref()
        .map(|message| format!("{code}: {message}"))
        .unwrap_or_default()
}
