//! `explain`: which volume a claim gets, or why none, and what to do.

mod ended_here;
mod pods;
mod served_here;
mod volumes;

use super::readable::check_listed;
use super::served_here::known_provisioners;
use super::target::{Target, parse};
use crate::conventions::command_line::CommandLine;
use crate::conventions::object_command::command;
use crate::conventions::object_ref::{ObjectKey, OwnerRef, similar_names};
use crate::conventions::secrets::without_user;
use crate::conventions::selector::LabelSelector;
use crate::conventions::shell::flag as spell_flag;
use crate::engine::{Explainer, Rules};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::{BackendFlags, ConnectionFlags, OutputFlags, SourceFlags};
use crate::load::{Loaded, Subject};
use crate::model::{Claim, ClaimPhase, ClusterState, Kind};
use crate::render::{Asked, write_explanations};
use crate::session::{ScopeAsked, Session};

/// The subcommand.
pub(crate) const NAME: &str = "explain";

/// Explain which volume a claim gets, or why it gets none; or whose a volume is
///
/// Answers what Kubernetes will do with each claim, volume by volume, with the command that helps. Of a volume
/// (pv/NAME) it says which claims could take it, and what becomes of it and its data when its claim goes.
/// Reads the cluster, or files: manifests, `kubectl get -o yaml` output, rendered charts.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  kubectl pv explain data-0 -n prod
  kubectl pv explain -A --pending
  kubectl pv explain pod/web-0 -n prod
  kubectl pv explain pv/pvc-9f2e77aa
  kubectl pv explain -f chart.yaml
  kubectl pv explain data-0 -n prod --with new-pv.yaml --without pvc/old-data
  kubectl get pv,pvc,sc -A -o yaml | kubectl pv explain data-0 -n prod -f - -o json")]
pub(crate) struct Args {
    /// Claims by NAME or pvc/NAME, pods by pod/NAME, volumes by pv/NAME, or the claims of statefulset/NAME, deployment/NAME; a type alone means all of them [default: all claims of the namespace]
    #[arg(value_name = "[TYPE/]NAME")]
    targets: Vec<String>,

    /// Look at the claims of all namespaces
    #[arg(short = 'A', long)]
    all_namespaces: bool,

    /// Leave out what is bound
    #[arg(long)]
    pending: bool,

    /// Leave out what has other labels
    #[arg(short = 'l', long, value_name = "LABELS", value_parser = LabelSelector::parse)]
    selector: Option<LabelSelector>,

    /// Leave out what is of another class; the class is the one that counts, a default included
    #[arg(long, value_name = "NAME")]
    class: Option<String>,

    /// Judge this node only; for pods
    #[arg(long, value_name = "NAME")]
    node: Option<String>,

    /// List every volume of a claim, and every claim of a volume, however far off
    #[arg(long)]
    all: bool,

    /// Answer by the rules of this Kubernetes: v1.36 or v1.4 (the design documents' algorithm) [default: v1.36]
    #[arg(long, value_name = "RULES")]
    rules: Option<Rules>,

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
    let targets = parse(&args.targets)?;
    let backends = args.backends.open_to_read(&session.environment, None)?;
    if targets.iter().any(Target::is_volume) {
        if !targets.iter().all(Target::is_volume) {
            return Err(CommandError::usage("volumes are explained by themselves"));
        }
        return volumes::run(args, &targets, &backends, connection, session);
    }
    let names_something =
        !targets.is_empty() && targets != [Target::AllClaims] && targets != [Target::AllPods];
    if names_something && args.all_namespaces {
        return Err(
            CommandError::usage("a claim cannot be named across all namespaces")
                .with_hints(["leave out the names, or -A".to_owned()]),
        );
    }
    let asked_scope = if args.all_namespaces {
        ScopeAsked::AllNamespaces
    } else {
        ScopeAsked::Namespace
    };
    if targets
        .iter()
        .any(|target| matches!(target, Target::Pod(_) | Target::AllPods))
    {
        return pods::run(args, &targets, asked_scope, connection, session);
    }
    if args.node.is_some() {
        return Err(CommandError::usage("--node is for pods")
            .with_hints(["name the pod: kubectl pv explain pod/NAME --node NODE".to_owned()]));
    }
    let loaded = session.load(&args.source, connection, asked_scope, Subject::Claims)?;
    let scope = Reach::of(args, connection, &loaded);
    let claims = select(&loaded.state, &targets, &scope, args)?;
    let mut explainer = Explainer::new(&loaded.state, args.rules.unwrap_or_default());
    let mut explanations: Vec<_> = claims
        .into_iter()
        .map(|claim| explainer.explain(claim))
        .collect();
    explanations.retain(|explanation| {
        args.class
            .as_ref()
            .is_none_or(|class| *class == explanation.claim.class.name)
    });
    if !backends.is_empty() {
        let catalogue = known_provisioners(&backends, session)?;
        let flags = args.backends.words();
        served_here::tell(
            &mut explanations,
            &loaded.state,
            &catalogue,
            (&backends, &flags),
            session,
        )?;
    }
    for suggestion in explanations
        .iter_mut()
        .flat_map(|explanation| &mut explanation.suggestions)
    {
        suggestion
            .commands
            .iter_mut()
            .for_each(|command| aim(command, connection));
    }
    if explanations.is_empty() {
        writeln!(session.stderr, "no claims {}", scope.spelled())?;
    }
    let exit = Exit::worst(
        explanations
            .iter()
            .map(|explanation| Exit::of(explanation.verdict)),
    );
    let asked = match &targets[..] {
        [Target::Claim(_)] => Asked::One,
        _ if names_something => Asked::Several,
        _ => Asked::Filter,
    };
    let screen = session.screen(&args.output, args.all);
    write_explanations(
        session.stdout,
        explanations,
        asked,
        Session::format(&args.output),
        &screen,
    )?;
    // The process ends here: returning the memory of a large state piece by piece would only take time.
    std::mem::forget(loaded);
    Ok(exit)
}

/// A command is pasted where it was printed for: the cluster that was chosen by flags, and as whom, is chosen in it, too.
/// What proves who somebody is stays out of it.
pub(super) fn aim(command: &mut CommandLine, connection: &ConnectionFlags) {
    let kubeconfig = connection
        .kubeconfig
        .as_ref()
        .and_then(|path| path.to_str());
    let server = connection.server.as_deref().map(without_user);
    let flags = [
        ("--kubeconfig", kubeconfig),
        ("--context", connection.context.as_deref()),
        ("--cluster", connection.cluster.as_deref()),
        ("--user", connection.user.as_deref()),
        ("--server", server.as_deref()),
        ("--as", connection.as_user.as_deref()),
        ("--as-uid", connection.as_uid.as_deref()),
    ];
    let groups = connection.as_group.iter();
    let groups = groups.map(|group| ("--as-group", Some(group.as_str())));
    let given = flags.into_iter().chain(groups);
    let given = given.filter_map(|(flag, value)| Some((flag, value.filter(|it| !it.is_empty())?)));
    let words: Vec<String> = given
        .flat_map(|(flag, value)| spell_flag(flag, value))
        .collect();
    command.add_kubectl_flags(&words);
}

/// Which namespaces are looked at. Files say themselves where their objects are.
enum Reach {
    Everywhere,
    Namespace(String),
}

impl Reach {
    fn of(args: &Args, connection: &ConnectionFlags, loaded: &Loaded) -> Self {
        let from_files = !args.source.filename.is_empty();
        if args.all_namespaces || (from_files && connection.namespace().is_none()) {
            Self::Everywhere
        } else {
            Self::Namespace(loaded.namespace.clone())
        }
    }

    /// The namespace, or none for all of them.
    fn namespace(&self) -> Option<&str> {
        match self {
            Self::Everywhere => None,
            Self::Namespace(own) => Some(own),
        }
    }

    fn contains(&self, namespace: &str) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Namespace(own) => own == namespace,
        }
    }

    fn spelled(&self) -> String {
        match self {
            Self::Everywhere => "found".to_owned(),
            Self::Namespace(namespace) => format!("found in namespace {namespace}"),
        }
    }
}

fn select<'a>(
    state: &'a ClusterState,
    targets: &[Target],
    scope: &Reach,
    args: &Args,
) -> Result<Vec<&'a Claim>, CommandError> {
    check_listed(state, Kind::Claims, scope.namespace())?;
    let mut claims: Vec<&Claim> = Vec::new();
    for target in targets {
        match target {
            Target::AllClaims => claims.extend(in_scope(state, scope)),
            Target::Claim(name) => claims.push(find_claim(state, name, scope)?),
            Target::User { kind, name } => claims.extend(claims_of(state, kind, name, scope)?),
            // The caller has sent them elsewhere.
            Target::Pod(_) | Target::AllPods | Target::Volume(_) | Target::AllVolumes => {}
        }
    }
    if targets.is_empty() {
        claims.extend(in_scope(state, scope));
    }
    claims.sort_by(|a, b| a.key.cmp(&b.key));
    claims.dedup_by(|a, b| a.key == b.key);
    claims.retain(|claim| {
        let labels_match = args
            .selector
            .as_ref()
            .is_none_or(|selector| selector.matches(&claim.labels));
        labels_match && !(args.pending && claim.phase == ClaimPhase::Bound)
    });
    Ok(claims)
}

fn in_scope<'a>(state: &'a ClusterState, scope: &Reach) -> impl Iterator<Item = &'a Claim> {
    state
        .claims()
        .iter()
        .filter(move |claim| scope.contains(&claim.key.namespace))
}

fn find_claim<'a>(
    state: &'a ClusterState,
    name: &str,
    scope: &Reach,
) -> Result<&'a Claim, CommandError> {
    let found: Vec<&Claim> = in_scope(state, scope)
        .filter(|claim| claim.key.name == name)
        .collect();
    match found[..] {
        [claim] => Ok(claim),
        [] => Err(not_found(state, name, scope)),
        _ => {
            let namespaces: Vec<&str> = found
                .iter()
                .map(|claim| claim.key.namespace.as_str())
                .collect();
            Err(CommandError::usage(format!(
                "claim \"{name}\" is in several namespaces: {}",
                namespaces.join(", ")
            ))
            .with_hints(["say which with -n".to_owned()]))
        }
    }
}

fn not_found(state: &ClusterState, name: &str, scope: &Reach) -> CommandError {
    let wherein = match scope {
        Reach::Everywhere => "in the files".to_owned(),
        Reach::Namespace(namespace) => format!("in namespace {namespace}"),
    };
    let error = CommandError::unanswered(format!("claim \"{name}\" not found {wherein}"));
    let suggest =
        |key: &ObjectKey| command(&["kubectl", "pv", "explain", &key.name, "-n", &key.namespace]);
    let near = similar_names(
        name,
        in_scope(state, scope).map(|claim| claim.key.name.as_str()),
    );
    if let Some(claim) = near
        .first()
        .and_then(|near| in_scope(state, scope).find(|claim| claim.key.name == *near))
    {
        return error.with_hints([format!(
            "did you mean {}? ({})",
            near.join(" or "),
            suggest(&claim.key)
        )]);
    }
    let elsewhere = state.claims().iter().find(|claim| claim.key.name == name);
    error.with_hints(elsewhere.map(|claim| {
        format!(
            "there is one in namespace {} ({})",
            claim.key.namespace,
            suggest(&claim.key)
        )
    }))
}

/// Something by that name is not there; near names are offered.
pub(super) fn not_found_among<'a>(
    kind: &str,
    name: &str,
    wherein: &str,
    names: impl Iterator<Item = &'a str>,
) -> CommandError {
    let near = similar_names(name, names);
    CommandError::unanswered(format!("{kind} \"{name}\" not found{wherein}"))
        .with_hints((!near.is_empty()).then(|| format!("did you mean {}?", near.join(" or "))))
}

/// The claims that a workload uses or would create.
fn claims_of<'a>(
    state: &'a ClusterState,
    kind: &str,
    name: &str,
    scope: &Reach,
) -> Result<Vec<&'a Claim>, CommandError> {
    let objects = state.objects();
    let is_named = |key: &ObjectKey| key.name == name && scope.contains(&key.namespace);
    let owner = OwnerRef::new(kind, name);
    let workload = objects
        .workloads
        .iter()
        .find(|workload| workload.kind == kind && is_named(&workload.key));
    let Some(key) = workload.map(|workload| &workload.key) else {
        check_listed(state, Kind::Workloads, scope.namespace())?;
        return Err(CommandError::unanswered(format!("{owner} not found")));
    };
    let is_of_template = |claim: &Claim| {
        claim.key.namespace == key.namespace
            && claim.origin == crate::model::Origin::Template(owner.clone())
    };
    let uses = |claim: &&Claim| {
        workload.is_some_and(|workload| workload.would_use(&claim.key)) || is_of_template(claim)
    };
    let found: Vec<&Claim> = state.claims().iter().filter(uses).collect();
    let named = workload
        .into_iter()
        .flat_map(|workload| workload.claims.iter().map(String::as_str));
    let missing: Vec<&str> = named
        .filter(|name| !found.iter().any(|claim| claim.key.name == *name))
        .collect();
    if !missing.is_empty() {
        return Err(CommandError::unanswered(format!(
            "{owner} uses claim {}, which does not exist",
            missing.join(", ")
        )));
    }
    if found.is_empty() {
        return Err(CommandError::unanswered(format!("{owner} uses no claim")));
    }
    Ok(found)
}
