//! `describe-class`: what a class lets its users choose, who makes its volumes, and what is wrong with it.

mod interview;

use super::readable::check_listed;
use super::served_here::known_provisioners;
use crate::conventions::names::name_problems;
use crate::conventions::object_command::command;
use crate::conventions::object_ref::similar_names;
use crate::engine::{ClassDescriber, TemplateError, claim_template};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::{BackendFlags, ConnectionFlags, OutputFlags, SourceFlags};
use crate::load::Subject;
use crate::model::{Class, ClusterState, Kind};
use crate::render::{Asked, Format, write_classes, write_template};
use crate::session::{ScopeAsked, Session};

/// The subcommand.
pub(crate) const NAME: &str = "describe-class";

/// The claim in a template, unless another name is asked for.
const CLAIM_NAME: &str = "my-claim";

/// Describe storage classes: what a claim may choose, who makes the volumes, what becomes of them
///
/// Shows the provisioning options a class allows (description, values, default), whether its provisioner is there, when
/// and where volumes are bound or made, what happens to the data, what there is of the class, and what is wrong with it.
/// Without a name, all classes as a table.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  kubectl pv describe-class
  kubectl pv describe-class slow
  kubectl pv describe-class slow --template --name data > claim.yaml
  kubectl pv describe-class slow --interactive | kubectl apply -f -
  kubectl pv describe-class slow -f class.yaml -o json")]
pub(crate) struct Args {
    /// Classes by NAME or sc/NAME [default: all, as a table]
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// Print a ConfigMap and a claim to start from, as YAML, with every option explained
    #[arg(long)]
    template: bool,

    /// Ask option by option, and print the ConfigMap and the claim as YAML; needs a terminal
    #[arg(long, conflicts_with = "template")]
    interactive: bool,

    /// Name the claim of --template or --interactive [default: my-claim]
    #[arg(long, value_name = "CLAIM")]
    name: Option<String>,

    #[command(flatten)]
    source: SourceFlags,

    #[command(flatten)]
    backends: BackendFlags,

    #[command(flatten)]
    output: OutputFlags,
}

pub(crate) fn run(
    args: &Args,
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let names = parse(&args.names)?;
    let makes_claim = args.template || args.interactive;
    check_usage(args, &names, makes_claim)?;
    if args.interactive {
        crate::prompt::check_answerable(&session.environment)?;
    }
    let backends = args.backends.open_to_read(&session.environment, None)?;
    let subject = if makes_claim {
        Subject::ClassesAlone(&names)
    } else {
        Subject::Classes(&names)
    };
    let loaded = session.load(&args.source, connection, ScopeAsked::Namespace, subject)?;
    let classes = select(&loaded.state, &names)?;
    if makes_claim {
        return write_claim(args, classes[0], connection, session);
    }
    let catalogue = known_provisioners(&backends, session)?;
    let describer = ClassDescriber::new(&loaded.state, &catalogue);
    let descriptions: Vec<_> = classes
        .into_iter()
        .map(|class| describer.describe(class))
        .collect();
    if descriptions.is_empty() {
        writeln!(session.stderr, "no classes found")?;
    }
    let asked = match names.len() {
        0 => Asked::Filter,
        1 => Asked::One,
        _ => Asked::Several,
    };
    let screen = session.screen(&args.output, false);
    let format = Session::format(&args.output);
    write_classes(session.stdout, descriptions, asked, format, &screen)?;
    // The process ends here: returning the memory of a large state piece by piece would only take time.
    std::mem::forget(loaded);
    Ok(Exit::Yes)
}

fn check_usage(args: &Args, names: &[String], makes_claim: bool) -> Result<(), CommandError> {
    if !makes_claim {
        return match args.name {
            None => Ok(()),
            Some(_) => Err(CommandError::usage(
                "--name is for the claim of --template or --interactive",
            )),
        };
    }
    if names.len() != 1 {
        return Err(CommandError::usage("a claim is of one class: name it")
            .with_hints(["kubectl pv describe-class lists the classes".to_owned()]));
    }
    if !matches!(args.output.output, None | Some(Format::Yaml)) {
        return Err(CommandError::usage("a claim is printed as YAML only"));
    }
    let name = args.name.as_deref().unwrap_or(CLAIM_NAME);
    match name_problems(name).first() {
        None => Ok(()),
        Some(problem) => Err(CommandError::usage(format!(
            "`{name}` cannot be the name of a claim: {problem}"
        ))),
    }
}

/// `NAME`, or `sc/NAME` and its longer spellings, as `-o name` prints them. One class once.
fn parse(words: &[String]) -> Result<Vec<String>, CommandError> {
    const TYPES: [&str; 4] = [
        "sc",
        "storageclass",
        "storageclasses",
        "storageclass.storage.k8s.io",
    ];
    let mut names: Vec<String> = Vec::new();
    for word in words {
        let name = match word.split_once('/') {
            None => word.as_str(),
            Some((kind, name)) if TYPES.contains(&kind) => name,
            Some(_) => {
                return Err(CommandError::usage(format!("`{word}` is no class"))
                    .with_hints(["name it: kubectl pv describe-class NAME".to_owned()]));
            }
        };
        if name.is_empty() {
            return Err(CommandError::usage(
                "a class has a name, and this one is empty",
            ));
        }
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn select<'a>(state: &'a ClusterState, names: &[String]) -> Result<Vec<&'a Class>, CommandError> {
    if names.is_empty() {
        check_listed(state, Kind::Classes, None)?;
        return Ok(state.classes().iter().collect());
    }
    names.iter().map(|name| find(state, name)).collect()
}

fn find<'a>(state: &'a ClusterState, name: &str) -> Result<&'a Class, CommandError> {
    if let Some(class) = state.find_class(name) {
        return Ok(class);
    }
    let all = state.classes().iter().map(|class| class.name.as_str());
    let near = similar_names(name, all.clone());
    let few: Vec<&str> = all.take(5).collect();
    let hint = match (near.first(), state.classes().len()) {
        (Some(nearest), _) => {
            let again = command(&["kubectl", "pv", NAME, nearest]);
            Some(format!("did you mean {}? ({again})", near.join(" or ")))
        }
        (None, 1..=5) => Some(format!("there are: {}", few.join(", "))),
        (None, _) => None,
    };
    Err(CommandError::unanswered(format!("class \"{name}\" not found")).with_hints(hint))
}

/// The template, as it is or as somebody answers for it.
fn write_claim(
    args: &Args,
    class: &Class,
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let claim = args.name.as_deref().unwrap_or(CLAIM_NAME);
    let template = claim_template(class, claim, connection.namespace()).map_err(told)?;
    let template = if args.interactive {
        interview::fill(class, template, args.name.is_none(), session)?
    } else {
        template
    };
    write_template(session.stdout, &template)?;
    Ok(Exit::Yes)
}

fn told(error: TemplateError) -> CommandError {
    let TemplateError::Malformed { class, why } = error;
    CommandError::unanswered(format!(
        "the provisioning options of class \"{class}\" cannot be understood: {why}"
    ))
    .with_hints(["only whoever may edit the class can mend its options".to_owned()])
}
