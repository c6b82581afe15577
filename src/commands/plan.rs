//! `plan`: the whole cluster settled in memory: what every unbound claim ends with.

use super::readable::check_listed;
use crate::engine::{Ask, Foreseen, Rules, compare, forecast_for};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::{ConnectionFlags, OutputFlags, SourceFlags};
use crate::load::Subject;
use crate::model::Kind;
use crate::render::write_forecast;
use crate::session::{ScopeAsked, Session};

/// Foresee what every unbound claim ends with, and who competes for what
///
/// Settles the whole cluster in memory: every claim and volume is processed until nothing changes, in every order
/// Kubernetes might take. Where the order decides, all possible ends are given and the competing claims named.
/// Nothing is changed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  kubectl pv plan -A
  kubectl pv plan -n prod -o json
  kubectl pv plan -f chart.yaml -f volumes.yaml
  kubectl pv plan --with new-pv.yaml --diff")]
pub(crate) struct Args {
    /// Show the claims of all namespaces; all of them are settled either way
    #[arg(short = 'A', long)]
    all_namespaces: bool,

    /// Show only what --with and --without change
    #[arg(long)]
    diff: bool,

    /// Leave nothing out of long lists
    #[arg(long)]
    all: bool,

    /// Answer by the rules of this Kubernetes: v1.36 or v1.4 (the design documents' algorithm) [default: v1.36]
    #[arg(long, value_name = "RULES")]
    rules: Option<Rules>,

    #[command(flatten)]
    source: SourceFlags,

    #[command(flatten)]
    output: OutputFlags,
}

pub(crate) fn run(
    args: &Args,
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let scope = if args.all_namespaces {
        ScopeAsked::AllNamespaces
    } else {
        ScopeAsked::Around
    };
    if args.diff && !args.source.has_what_if() {
        return Err(CommandError::usage(
            "--diff compares with and without a what-if: give --with or --without",
        ));
    }
    let (before, loaded) = if args.diff {
        let (before, after) = session.load_before_and_after(&args.source, connection, scope)?;
        (Some(before), after)
    } else {
        let loaded = session.load(&args.source, connection, scope, Subject::Anything)?;
        (None, loaded)
    };
    let from_files = !args.source.filename.is_empty();
    let everywhere = args.all_namespaces || (from_files && connection.namespace().is_none());
    let namespace = (!everywhere).then(|| loaded.namespace.clone());
    check_listed(&loaded.state, Kind::Claims, namespace.as_deref())?;
    let ask = Ask {
        namespace,
        all: args.all,
    };
    let rules = args.rules.unwrap_or_default();
    let mut forecast = forecast_for(&loaded.state, rules, &ask);
    if let Some(before) = &before {
        let as_it_is = forecast_for(&before.state, rules, &ask);
        forecast.changes = Some(compare(
            Foreseen {
                state: &before.state,
                forecast: &as_it_is,
            },
            Foreseen {
                state: &loaded.state,
                forecast: &forecast,
            },
            ask.namespace.as_deref(),
        ));
    }
    let screen = session.screen(&args.output, args.all);
    write_forecast(
        session.stdout,
        &forecast,
        &args.source.what_if_in_words(),
        Session::format(&args.output),
        &screen,
    )?;
    // The process ends here: returning the memory of a large state piece by piece would only take time.
    std::mem::forget((before, loaded));
    Ok(Exit::Yes)
}
