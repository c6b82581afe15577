//! Plans and their outcomes: what is done for which claim or volume, and what is left alone.

mod headline;

use self::headline::Count;
use super::page::{Page, Screen, Tone, Word, plain};
use super::table::Table;
use super::{Format, machine, safe};
use crate::actions::cleanup::COMMAND as CLEANUP;
use crate::actions::details::Concern;
use crate::actions::operation::Action;
use crate::actions::outcome::{ChangeResult, Made, Outcome};
use crate::actions::plan::{Change, Deed, Errand, MadeBy, Plan, Skipped, Target, Warning};
use crate::actions::volume_set::COMMAND as SETS;
use crate::conventions::object_kind::ObjectKind;
use crate::report::{Code, few_of, join_and, plural};
use std::collections::HashMap;
use std::io::{self, Write};

/// Prints what would be done.
pub(crate) fn write_plan(
    to: &mut dyn Write,
    plan: &Plan,
    ending: &str,
    format: Format,
    screen: &Screen,
) -> io::Result<()> {
    match format {
        Format::Json | Format::Yaml => machine::write(to, plan, format),
        Format::Name => write_names(to, plan.errands.iter()),
        Format::Text | Format::Wide => {
            let mut page = Page::default();
            let mut count = Count::default();
            plan.errands
                .iter()
                .for_each(|errand| count.add(&errand.deed, false));
            page.line(count.headline("would be", &plan.skipped, screen), 0);
            let table = table_of(plan, format);
            if !table.is_empty() {
                page.table(table);
            }
            show_warnings(&mut page, plan);
            show_coded_warnings(&mut page, &plan.warnings);
            show_skipped(&mut page, &plan.skipped, screen);
            // Notes of how something stands go with what is done, and are nothing by themselves.
            let is_aside = |change: &Change| {
                let errand = plan.errands.get(change.errand);
                errand.is_some_and(|errand| errand.deed.is_aside())
            };
            let changes = plan.changes.iter();
            let changes = changes
                .filter(|change| !change.is_optional() && !is_aside(change))
                .count();
            if changes > 0 {
                let count = plural(changes, "change");
                page.line(vec![(Tone::Plain, format!("{count}. {ending}"))], 0);
            }
            page.write(to, screen)
        }
    }
}

/// Prints what was done.
pub(crate) fn write_outcome(
    to: &mut dyn Write,
    outcome: &Outcome,
    format: Format,
    screen: &Screen,
) -> io::Result<()> {
    match format {
        Format::Json | Format::Yaml => machine::write(to, outcome, format),
        Format::Name => {
            write_names(to, outcome.finished().iter())?;
            write_bound_names(to, &outcome.skipped)
        }
        Format::Text | Format::Wide => {
            let mut page = Page::default();
            page.line(headline_of(outcome, screen), 0);
            let named = Named::of(outcome.command, &outcome.errands);
            let mut table = Table::new(&named.columns("RESULT"));
            for (index, (errand, changes)) in
                outcome.errands.iter().zip(by_errand(outcome)).enumerate()
            {
                if changes.is_empty() || errand.deed.is_aside() {
                    continue;
                }
                let (tone, result) = if outcome.given_up.contains(&index) {
                    (
                        Tone::Wait,
                        "not done: a later plan does not contain it".to_owned(),
                    )
                } else {
                    result_of(errand, &changes)
                };
                let mut cells = named.cells(errand);
                cells.push((tone, result));
                table.row(cells);
            }
            if !table.is_empty() {
                page.table(table);
            }
            show_coded_warnings(&mut page, &outcome.warnings);
            show_skipped(&mut page, &outcome.skipped, screen);
            page.write(to, screen)
        }
    }
}

/// What is done for which claim. Where something is made, who makes what is worth a column each.
fn table_of(plan: &Plan, format: Format) -> Table {
    let is_told = |errand: &&Errand| !errand.deed.is_aside();
    let errands = plan.errands.iter().filter(is_told);
    let makes = |errand: &Errand| matches!(errand.deed, Deed::Make(_));
    let named = Named::of(plan.command, &plan.errands);
    if named == Named::Claims && !plan.errands.iter().any(makes) {
        let mut table = Table::new(&named.columns("WHAT"));
        for errand in errands {
            let mut cells = named.cells(errand);
            if let Some((tone, _)) = cells.last_mut() {
                *tone = Tone::Good;
            }
            cells.push(plain(errand.what.clone()));
            table.row(cells);
        }
        return table;
    }
    if !plan.errands.iter().any(makes) {
        return review_table(plan, named);
    }
    let mut table = Table::new(&["CLAIM", "CLASS", "VOLUME", "SIZE", "HOW"]);
    for errand in errands {
        let (class, size) = match &errand.deed {
            Deed::Make(product) => (product.class.clone(), product.size.clone()),
            _ => (String::new(), String::new()),
        };
        table.row(vec![
            plain(claim_of(errand)),
            plain(class),
            (Tone::Good, short_name(&errand.volume, format)),
            plain(size),
            plain(errand.what.clone()),
        ]);
    }
    table
}

/// What is done to which object, with everything that a person needs to review it.
fn review_table(plan: &Plan, named: Named) -> Table {
    let mut heads = named.columns("CLAIM");
    heads.push("SIZE");
    heads.extend(["POLICY", "NODE"]);
    let mut concerns: HashMap<usize, &Concern> = HashMap::new();
    for change in &plan.changes {
        concerns.entry(change.errand).or_insert(&change.concern);
    }
    let none = Concern::default();
    let mut table = Table::new(&heads);
    for (index, errand) in plan.errands.iter().enumerate() {
        if errand.deed.is_aside() {
            continue;
        }
        let concern = concerns.get(&index).copied().unwrap_or(&none);
        let text = |value: &Option<String>| plain(value.clone().unwrap_or_default());
        let mut cells = named.cells(errand);
        if let Some((tone, _)) = cells.last_mut() {
            *tone = Tone::Good;
        }
        cells.extend([
            text(&concern.claim),
            text(&concern.size),
            text(&concern.policy),
            text(&concern.node),
        ]);
        let path = concern.path.as_ref().map(|path| format!("path {path}"));
        let under = [errand.what.clone()].into_iter().chain(path).collect();
        table.row_with_note(cells, under);
    }
    table
}

/// By what the things in a table are called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    /// Claims, and the volumes they get.
    Claims,
    /// Volumes alone.
    Volumes,
    /// Whatever was found.
    Objects,
    /// Volumes, and the sets they are for.
    Sets,
}

impl Named {
    fn of(command: &str, errands: &[Errand]) -> Self {
        let is_for_claim = |errand: &Errand| errand.claim.is_some();
        if command == CLEANUP {
            Self::Objects
        } else if command == SETS {
            Self::Sets
        } else if errands.is_empty() || errands.iter().any(is_for_claim) {
            Self::Claims
        } else {
            Self::Volumes
        }
    }

    fn columns(self, last: &'static str) -> Vec<&'static str> {
        match self {
            Self::Claims => vec!["CLAIM", "VOLUME", last],
            Self::Volumes => vec!["VOLUME", last],
            Self::Objects => vec!["OBJECT", last],
            Self::Sets => vec!["SET", "VOLUME", last],
        }
    }

    /// The cells under all but the last.
    fn cells(self, errand: &Errand) -> Vec<Word> {
        let volume = plain(errand.volume.clone());
        match self {
            Self::Claims => vec![plain(claim_of(errand)), volume],
            Self::Volumes => vec![volume],
            Self::Objects => vec![plain(errand.object())],
            Self::Sets => vec![plain(errand.deed.set().unwrap_or_default()), volume],
        }
    }

    /// One of them.
    fn thing(self) -> &'static str {
        match self {
            Self::Claims => "claim",
            Self::Volumes | Self::Sets => "volume",
            Self::Objects => "object",
        }
    }
}

fn claim_of(errand: &Errand) -> String {
    let claim = errand.claim.as_ref();
    claim.map(ToString::to_string).unwrap_or_default()
}

/// Names made from uids are long, and their beginnings tell them apart; `-o wide` has them whole.
fn short_name(name: &str, format: Format) -> String {
    match name.get(..8) {
        Some(start) if format == Format::Text && name.starts_with("pvc-") && name.len() == 40 => {
            format!("{start}…")
        }
        _ => name.to_owned(),
    }
}

/// Says of everything that was not done to its end what was done of it, and what was not.
pub(crate) fn write_unfinished(to: &mut dyn Write, outcome: &Outcome) -> io::Result<()> {
    let mut finished = 0;
    let mut not_begun = Vec::new();
    for (errand, changes) in outcome.errands.iter().zip(by_errand(outcome)) {
        if !changes.iter().any(|made| made.is_open()) {
            finished += usize::from(!changes.is_empty() && !errand.deed.is_aside());
            continue;
        }
        let is_begun =
            |made: &&Made| made.result != ChangeResult::NotReached || made.error.is_some();
        if !changes.iter().any(is_begun) {
            not_begun.push(errand.about());
            continue;
        }
        let (about, volume) = (errand.about(), &errand.volume);
        let done = count_done(&changes);
        let told = if volume.is_empty() || errand.claim.is_none() {
            format!("{about}: {done}")
        } else {
            format!("{about} and {volume}: {done}")
        };
        writeln!(to, "{}", safe(&told))?;
        for made in changes {
            let result = match made.result {
                ChangeResult::Done => "done",
                ChangeResult::AlreadyDone => "done by another run",
                ChangeResult::Failed => "failed",
                ChangeResult::NotReached => "not tried",
            };
            let target = made.change.target.spelled();
            let target = match made.change.action() {
                Action::Wait => format!("waiting for {target}"),
                _ => target,
            };
            let part = made.change.subresource().map(|part| format!(" ({part})"));
            let error = made.error.as_ref().map(|error| match made.code {
                Some(code) => format!(": {code}: {error}"),
                None => format!(": {error}"),
            });
            let (part, error) = (part.unwrap_or_default(), error.unwrap_or_default());
            let told = format!("  {target}{part}: {result}{error}");
            writeln!(to, "{}", safe(&told))?;
        }
    }
    if !not_begun.is_empty() {
        writeln!(to, "not begun: {}", safe(&join_and(&not_begun)))?;
    }
    if finished > 0 {
        writeln!(to, "finished: {}", plural(finished, "other"))?;
    }
    Ok(())
}

/// Whether a change is a write: waits and events are not counted.
fn is_write(made: &Made) -> bool {
    !matches!(made.change.action(), Action::Wait | Action::Event)
}

/// `2 of 4 changes done`: only what this run itself did.
fn count_done(changes: &[&Made]) -> String {
    let writes = || changes.iter().filter(|made| is_write(made));
    let done = writes().filter(|made| made.result == ChangeResult::Done);
    let of = plural(writes().count(), "change");
    format!("{} of {of} done", done.count())
}

/// Whether this run did it, and not another one: the object that was created, the asset that was deleted or emptied, or else the
/// last object that was written decides.
fn is_own(changes: &[&Made]) -> bool {
    let rank = |made: &Made| match made.change.action() {
        Action::Create => 3,
        Action::DeleteAsset | Action::ScrubAsset => 2,
        _ if made.change.subresource().is_none() => 1,
        _ => 0,
    };
    let writes = || changes.iter().filter(|made| is_write(made));
    let Some(highest) = writes().map(|made| rank(made)).max() else {
        return true;
    };
    let mut decisive = writes().filter(|made| rank(made) == highest);
    decisive
        .next_back()
        .is_some_and(|made| made.result == ChangeResult::Done)
}

/// The changes of each errand.
fn by_errand(outcome: &Outcome) -> Vec<Vec<&Made>> {
    let mut changes = vec![vec![]; outcome.errands.len()];
    for made in &outcome.changes {
        if let Some(of_it) = changes.get_mut(made.change.errand) {
            of_it.push(made);
        }
    }
    changes
}

fn headline_of(outcome: &Outcome, screen: &Screen) -> Vec<Word> {
    let mut count = Count::default();
    for (index, (errand, changes)) in outcome.errands.iter().zip(by_errand(outcome)).enumerate() {
        if outcome.given_up.contains(&index) {
            continue;
        }
        if changes.iter().any(|made| made.is_open()) {
            count.add_open(errand);
        } else if !changes.is_empty() && is_own(&changes) {
            count.add(&errand.deed, true);
        }
    }
    count.headline("were", &outcome.skipped, screen)
}

/// What a server dry run found out: it tries what builds on no other write.
pub(crate) fn write_trial(
    to: &mut dyn Write,
    outcome: &Outcome,
    format: Format,
    screen: &Screen,
) -> io::Result<()> {
    match format {
        Format::Json | Format::Yaml => return machine::write(to, outcome, format),
        Format::Name => return write_names(to, outcome.accepted().into_iter()),
        Format::Text | Format::Wide => {}
    }
    let named = Named::of(outcome.command, &outcome.errands);
    let mut table = Table::new(&named.columns("THE SERVER SAYS"));
    let (mut taken, mut refused) = (0, 0);
    for (errand, changes) in outcome.errands.iter().zip(by_errand(outcome)) {
        if errand.deed.is_aside() {
            continue;
        }
        let tried = changes.iter().filter(|made| !made.is_open()).count();
        let error = changes.iter().find_map(|made| made.error.clone());
        let (count, said) = if let Some(error) = error {
            (&mut refused, (Tone::Bad, format!("no: {error}")))
        } else {
            let of = plural(changes.len(), "change");
            let said = format!("yes to {tried} of {of}; the others build on them");
            (&mut taken, (Tone::Good, said))
        };
        *count += 1;
        let mut cells = named.cells(errand);
        cells.push(said);
        table.row(cells);
    }
    let mut page = Page::default();
    let thing = named.thing();
    let mut line = match (taken, refused) {
        (0, 0) => vec![plain("Nothing to try")],
        (0, _) => vec![],
        _ => vec![(
            Tone::Good,
            format!("The server would take it for {}", plural(taken, thing)),
        )],
    };
    if refused > 0 {
        if !line.is_empty() {
            line.push(plain("; "));
        }
        line.push((Tone::Bad, format!("it refuses {}", plural(refused, thing))));
    }
    line.push(plain(". Nothing was changed."));
    page.line(line, 0);
    if !table.is_empty() {
        page.table(table);
    }
    show_skipped(&mut page, &outcome.skipped, screen);
    page.write(to, screen)
}

/// A plan's words, once it is done.
fn done(errand: &Errand) -> String {
    let asks = match &errand.deed {
        Deed::Make(product) if product.by == MadeBy::AskedAndAwaited => "made by",
        _ => "asked",
    };
    let past = [
        ("binds", "bound"),
        ("finishes its bind", "bound"),
        ("asks", asks),
    ];
    let told = past.iter().find_map(|(now, then)| {
        let rest = errand.what.strip_prefix(now)?;
        Some(format!("{then}{rest}"))
    });
    told.unwrap_or_else(|| errand.what.clone())
}

fn result_of(errand: &Errand, changes: &[&Made]) -> (Tone, String) {
    let refused = changes.iter().find(|made| made.is_refused());
    if let Some((code, made)) = refused.and_then(|made| Some((made.code?, made))) {
        let error = made.error.as_deref().unwrap_or_default();
        return (Tone::Bad, format!("not begun: {code}: {error}"));
    }
    if changes
        .iter()
        .any(|made| made.error.is_some() && made.is_open())
    {
        return (Tone::Bad, format!("unfinished: {}", count_done(changes)));
    }
    if changes.iter().any(|made| made.is_open()) {
        return (Tone::Wait, "not reached".to_owned());
    }
    if !is_own(changes) {
        return (Tone::Good, "done by another run".to_owned());
    }
    let told = format!("done: {}", done(errand));
    let mut held = changes.iter().flat_map(|made| &made.held_by);
    match held.next() {
        Some(finalizer) => {
            let told = format!("{told}; finalizer {finalizer} still keeps the object");
            (Tone::Wait, told)
        }
        None => (Tone::Good, told),
    }
}

/// What surprises, once, and of which claims.
fn show_warnings(page: &mut Page, plan: &Plan) {
    let mut warnings: Vec<(&str, Vec<String>)> = Vec::new();
    for errand in &plan.errands {
        for warning in errand.deed.warnings() {
            let claim = errand.about();
            match warnings.iter_mut().find(|(told, _)| told == warning) {
                Some((_, claims)) => claims.push(claim),
                None => warnings.push((warning, vec![claim])),
            }
        }
    }
    if warnings.is_empty() {
        return;
    }
    page.line(vec![(Tone::Label, "Warning:".to_owned())], 0);
    for (warning, claims) in warnings {
        let claims = join_and(&few_of(&claims, claims.len()));
        page.line(vec![plain(format!("  {claims}: {warning}"))], 4);
    }
}

/// Warnings with the same text are one line.
fn show_coded_warnings(page: &mut Page, warnings: &[Warning]) {
    let mut groups: Vec<(&Warning, Vec<String>)> = Vec::new();
    for warning in warnings {
        let is_same = |(first, _): &&mut (&Warning, Vec<String>)| {
            (first.code, &first.message) == (warning.code, &warning.message)
        };
        let target = warning.target.as_ref().map(Target::spelled);
        match groups.iter_mut().find(is_same) {
            Some((_, targets)) => targets.extend(target),
            None => groups.push((warning, target.into_iter().collect())),
        }
    }
    for (warning, targets) in groups {
        let about = match targets.len() {
            0 => String::new(),
            count => format!("{}: ", join_and(&few_of(&targets, count))),
        };
        let text = format!("{about}{} ({})", warning.message, warning.code);
        page.line(vec![(Tone::Wait, "Warning: ".to_owned()), plain(text)], 9);
    }
}

/// The skipped objects, where they were named or asked for; the first line counts them otherwise.
fn show_skipped(page: &mut Page, skipped: &[Skipped], screen: &Screen) {
    if skipped.is_empty() || !screen.all || find_empty_selection(skipped).is_some() {
        return;
    }
    let mut table = Table::new(&["SKIPPED", "WHY"]);
    for left in skipped {
        let why = format!("{}: {}", left.code(), left.message);
        table.row(vec![plain(left.target.spelled()), plain(why)]);
    }
    page.table(table);
}

/// The one entry that is about no object: nothing was selected. The first line says so.
fn find_empty_selection(skipped: &[Skipped]) -> Option<&Skipped> {
    skipped
        .iter()
        .find(|left| left.code() == Code::NothingSelected)
}

/// The claims that have their volume, and the volumes that nobody has any more.
fn write_names<'a>(
    to: &mut dyn Write,
    errands: impl Iterator<Item = &'a Errand>,
) -> io::Result<()> {
    for errand in errands {
        match errand.deed {
            Deed::Bind | Deed::Make(_) | Deed::DeleteClaim(_) => {
                if let Some(claim) = &errand.claim {
                    writeln!(to, "persistentvolumeclaim/{}", safe(&claim.name))?;
                }
            }
            Deed::Detach => {
                let name = safe(&errand.volume);
                writeln!(to, "volumeattachment.storage.k8s.io/{name}")?;
            }
            Deed::DeleteAsset(_) | Deed::TakeBackMember { .. } => {
                writeln!(to, "asset/{}", safe(&errand.volume))?;
            }
            Deed::DeleteObject
            | Deed::MakeMember { .. }
            | Deed::DeleteMember { .. }
            | Deed::GiveBack
            | Deed::TakeBack
            | Deed::Delete(_)
            | Deed::Recycle(_)
            | Deed::Reuse { .. }
            | Deed::SetPolicy { .. } => {
                writeln!(to, "persistentvolume/{}", safe(&errand.volume))?;
            }
            Deed::Record { .. } | Deed::Tell => {}
        }
    }
    Ok(())
}

/// The claims that had their volume before.
fn write_bound_names(to: &mut dyn Write, skipped: &[Skipped]) -> io::Result<()> {
    let is_bound = |left: &&Skipped| {
        left.is_bound_as_wanted() && left.target.kind == ObjectKind::PersistentVolumeClaim
    };
    for bound in skipped.iter().filter(is_bound) {
        writeln!(to, "persistentvolumeclaim/{}", safe(&bound.target.name))?;
    }
    Ok(())
}
