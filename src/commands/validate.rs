//! `validate`: what is wrong with manifests, classes, ConfigMaps, claims, volumes and sets of them, before anything is created.

mod subject;

use super::complete::Wanted;
use super::served_here::known_provisioners;
use crate::engine::{Rules, ValidationQuestion, validate};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::{BackendFlags, ColorFlag, ConnectionFlags, FileFlags};
use crate::model::Class;
use crate::render::{ReportFormat, write_validation};
use crate::report::{FindingSeverity, ValidationReport};
use crate::session::{Reviewed, Session};
use subject::Subjects;

/// The subcommand.
pub(super) const NAME: &str = "validate";

/// What is offered after `KIND/`.
pub(super) fn wanted_names(kind: &str) -> Option<Wanted> {
    subject::wanted_names(kind)
}

/// Find what is wrong with manifests, classes, options, claims and volumes, before anything is created
///
/// With -f every object in the files that storage depends on is judged: by the rules of the API server, against the other
/// objects of the files and, unless --offline, against the cluster. Otherwise the objects named are judged as they are in
/// the cluster. Nothing is changed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  kubectl pv validate -f class.yaml -f claim.yaml
  kubectl pv validate -f manifests/ -R --offline --strict
  kubectl pv validate configmap/my-options --class fast -n prod
  kubectl pv validate class/fast
  kubectl pv validate -f . -o sarif > storage.sarif

Exit status: 1 if there are errors, with --strict also if there are warnings; 3 if something could not be read.")]
pub(crate) struct Args {
    /// What to judge: configmap/NAME, class/NAME, pvc/NAME, pv/NAME or pvs/NAME
    #[arg(value_name = "TYPE/NAME")]
    targets: Vec<String>,

    /// Hold the ConfigMaps against the options of this class
    #[arg(long, value_name = "NAME")]
    class: Option<String>,

    /// Look at the files alone, and at no cluster
    #[arg(long, requires = "filename")]
    offline: bool,

    /// Take warnings for errors
    #[arg(long)]
    strict: bool,

    /// Leave nothing out of long lists
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    files: FileFlags,

    #[command(flatten)]
    backends: BackendFlags,

    /// Print as table, json, yaml, or sarif for code hosts [default: table]
    #[arg(short, long, value_name = "FORMAT", help_heading = "Output")]
    output: Option<ReportFormat>,

    #[command(flatten)]
    color: ColorFlag,
}

pub(crate) fn run(
    args: &Args,
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let subjects = Subjects::parse(&args.targets)?;
    let files = args.files.files();
    if files.is_none() && subjects.is_empty() {
        return Err(
            CommandError::usage("name what to judge, or give files with -f").with_hints([
                "kubectl pv validate -f FILE, or kubectl pv validate configmap/NAME --class CLASS"
                    .to_owned(),
            ]),
        );
    }
    let backends = args.backends.open_to_read(&session.environment, None)?;
    let reviewed = session.load_for_review(
        files.as_ref(),
        connection,
        args.offline,
        &subjects.besides(),
    )?;
    let candidates = subjects.choose(&reviewed)?;
    let class = find_class(args.class.as_deref(), &reviewed)?;
    subjects.check_config_maps(&reviewed, class)?;
    let catalogue = known_provisioners(&backends, session)?;
    let report = validate(&ValidationQuestion {
        state: &reviewed.loaded.state,
        candidates: &candidates,
        written: &reviewed.candidates,
        broken: &reviewed.broken,
        left_over: &reviewed.left_over,
        catalogue: &catalogue,
        class,
        namespace: &reviewed.loaded.namespace,
        rules: Rules::default(),
    });
    let screen = session.screen_of(args.color, args.all);
    write_validation(
        session.stdout,
        &report,
        args.output.unwrap_or_default(),
        &screen,
    )?;
    Ok(exit_of(&report, args.strict))
}

fn exit_of(report: &ValidationReport, strict: bool) -> Exit {
    let worst = report.findings.iter().map(|finding| finding.severity).min();
    match worst {
        Some(FindingSeverity::Error) => Exit::No,
        Some(FindingSeverity::Warning) if strict => Exit::No,
        _ => Exit::Yes,
    }
}

/// The class of `--class`, which must be there.
fn find_class<'a>(
    name: Option<&str>,
    reviewed: &'a Reviewed,
) -> Result<Option<&'a Class>, CommandError> {
    let Some(name) = name else { return Ok(None) };
    subject::find_class(reviewed, name).map(Some)
}
