//! `reclaim`: carries out the reclaim policy of released volumes, or returns them to the pool with their data.

mod selection;

use self::selection::choose;
use super::backend_answers::plan_with;
use super::target::{Target, parse};
use super::writing::namespaces::named_namespaces;
use super::writing::{self, Reads, RunContext, WritingCommand, WritingFlags, time_for};
use crate::actions::memory::Memory;
use crate::actions::plan::Plan;
use crate::actions::reclaim::failures::plan_failures;
use crate::actions::reclaim::{COMMAND, ReclaimQuestion, Wish, plan_reclaim};
use crate::actions::recycler_pod::RecyclerImage;
use crate::conventions::object_ref::ObjectKey;
use crate::conventions::selector::LabelSelector;
use crate::engine::{Labelled, Rules};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::flags::{ConnectionFlags, SelectionFlags, ServingFlags};
use crate::load::{Scope, Subject};
use crate::model::{ClusterState, ReclaimPolicy};
use crate::session::Session;
use crate::storage::Backends;
use clap::builder::NonEmptyStringValueParser;

/// Delete, empty or give back volumes that nobody owns any more
///
/// Carries out what each volume's policy says: Delete and Recycle where a backend of this machine holds the storage, never while
/// a claim, a pod or a node still has it; with --recycler-image a pod on the cluster empties what no backend here serves; what others delete is left to them, and Retain is left alone. With --reuse the volume
/// is offered again with its data. With -n only volumes whose claim is, or was, in that namespace are taken. The plan says of each volume what is done, or why nothing is, and what is lost.
/// With -f the objects are printed as they would be afterwards, and nothing is touched.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  kubectl pv reclaim --all-released -n team-a --dry-run
  kubectl pv reclaim pv-7 --backend example.com/scratch=hostpath:/srv/volumes
  kubectl pv reclaim pv-7 --recycler-image busybox:1.37 --timeout 10m
  kubectl pv reclaim pv-7 --reuse
  kubectl pv reclaim pv-7 --reuse --for prod/data-0
  kubectl pv reclaim --class fast --set-policy Retain --yes")]
pub(crate) struct Args {
    /// Volumes by NAME or pv/NAME
    #[arg(value_name = "VOLUME")]
    volumes: Vec<String>,

    /// Only volumes that are Released or Failed
    #[arg(long, conflicts_with = "volumes")]
    all_released: bool,

    /// Offer them again with the data that is in them, whatever their policy
    #[arg(long, conflicts_with = "set_policy")]
    reuse: bool,

    /// Keep the volume for this claim, there or to come, instead of offering it to all
    #[arg(long = "for", value_name = "NAMESPACE/CLAIM", requires = "reuse", value_parser = parse_claim)]
    for_claim: Option<ObjectKey>,

    /// Give them this policy, and do nothing else: Retain or Delete
    #[arg(long, value_name = "POLICY", value_parser = parse_policy)]
    set_policy: Option<ReclaimPolicy>,

    /// Empty hostPath and nfs volumes that no backend here serves by a pod with this image; it needs sh and find (busybox has both)
    #[arg(long, value_name = "IMAGE", conflicts_with_all = ["reuse", "set_policy"], value_parser = NonEmptyStringValueParser::new())]
    recycler_image: Option<String>,

    /// Run that pod in this namespace [default: kube-system]
    #[arg(long, value_name = "NAMESPACE", requires = "recycler_image", value_parser = NonEmptyStringValueParser::new())]
    recycler_namespace: Option<String>,

    /// Run that pod on this node: where a hostPath volume has its directory, if nothing says so
    #[arg(long, value_name = "NODE", requires = "recycler_image", value_parser = NonEmptyStringValueParser::new())]
    node: Option<String>,

    #[command(flatten)]
    selection: SelectionFlags,

    #[command(flatten)]
    serving: ServingFlags,
}

/// Where recycler pods run unless somebody says otherwise: root and a directory of a node are allowed there, and whoever may not
/// touch the system's pods cannot touch these.
const RECYCLER_NAMESPACE: &str = "kube-system";

impl Args {
    fn recycler(&self) -> Option<RecyclerImage> {
        let namespace = self.recycler_namespace.as_deref();
        Some(RecyclerImage {
            image: self.recycler_image.clone()?,
            namespace: namespace.unwrap_or(RECYCLER_NAMESPACE).to_owned(),
            node: self.node.clone(),
            seconds: time_for(&self.serving.write).as_secs(),
        })
    }

    fn wish(&self) -> Wish<'_> {
        match &self.set_policy {
            Some(policy) => Wish::SetPolicy(policy.clone()),
            None if self.reuse => Wish::Reuse {
                for_claim: self.for_claim.as_ref(),
            },
            None => Wish::CarryOut,
        }
    }
}

pub(crate) fn run(
    args: &Args,
    connection: &ConnectionFlags,
    session: &mut Session<'_>,
) -> Result<Exit, CommandError> {
    let reclaim = Reclaim {
        args,
        names: volume_names(&args.volumes)?,
        recycler: args.recycler(),
        connection,
    };
    writing::run(&reclaim, session)
}

struct Reclaim<'a> {
    args: &'a Args,
    names: Vec<String>,
    recycler: Option<RecyclerImage>,
    connection: &'a ConnectionFlags,
}

impl WritingCommand for Reclaim<'_> {
    type Question<'a>
        = ReclaimQuestion<'a>
    where
        Self: 'a;

    fn name(&self) -> &'static str {
        COMMAND
    }

    fn flags(&self) -> WritingFlags<'_> {
        WritingFlags::of(&self.args.serving, self.connection)
    }

    fn check_usage(&self) -> Result<(), CommandError> {
        let args = self.args;
        let SelectionFlags {
            selector, class, ..
        } = &args.selection;
        // An unset variable in a script must not select every volume.
        if selector.iter().any(LabelSelector::is_empty) {
            let message = "-l without a label would take every volume";
            let hint = "name labels, or say --all-released".to_owned();
            return Err(CommandError::usage(message).with_hints([hint]));
        }
        let selects = !selector.is_empty() || !class.is_empty();
        if self.names.is_empty() && !selects && !args.all_released {
            let hint = "or choose volumes with -l, --class or --all-released".to_owned();
            return Err(CommandError::usage("name at least one volume").with_hints([hint]));
        }
        if !self.names.is_empty() && selects {
            let message = "-l and --class cannot be used with names of volumes";
            return Err(CommandError::usage(message));
        }
        Ok(())
    }

    fn reads(&self, _: &str) -> Reads {
        Reads {
            scope: Scope::All,
            subject: Subject::Anything,
            or_own_namespace: false,
        }
    }

    fn ask<'a>(
        &'a self,
        state: &ClusterState,
        context: &'a RunContext<'_>,
    ) -> Result<ReclaimQuestion<'a>, CommandError> {
        let selection = self.args.selection.within(self.connection.namespace());
        let volumes = choose(self.args, &selection, &self.names, state)?;
        if self.args.for_claim.is_some() && volumes.len() != 1 {
            let message = format!("--for is for one volume, and there are {}", volumes.len());
            return Err(CommandError::usage(message));
        }
        let empty_selection = match &context.missing_namespace {
            Some(missing) => Some(missing.clone()),
            None if self.are_named() => None,
            None => selection.find_emptiness(state, Labelled::Volumes),
        };
        Ok(ReclaimQuestion {
            volumes,
            empty_selection,
            selection,
            are_named: self.are_named(),
            wish: self.args.wish(),
            recycler: self.recycler.as_ref(),
            host: context.host.as_deref(),
            rules: Rules::default(),
        })
    }

    fn plan(
        &self,
        question: &ReclaimQuestion<'_>,
        state: &ClusterState,
        memory: &Memory,
        backends: &Backends,
    ) -> Plan {
        plan_with(backends, |facts| {
            plan_reclaim(state, question, memory, facts)
        })
    }

    fn plan_failures(&self, state: &ClusterState, memory: &mut Memory) -> Option<Plan> {
        plan_failures(state, memory)
    }

    fn are_named(&self) -> bool {
        !self.names.is_empty()
    }

    fn rerun_words(&self) -> Vec<String> {
        let args = self.args;
        let for_claim = args.for_claim.as_ref().map(ToString::to_string);
        let policy = args.set_policy.as_ref().map(ToString::to_string);
        let mut words = self.names.clone();
        let flags = [
            ("-n", self.connection.namespace()),
            ("--for", for_claim.as_deref()),
            ("--set-policy", policy.as_deref()),
            ("--recycler-image", args.recycler_image.as_deref()),
            ("--recycler-namespace", args.recycler_namespace.as_deref()),
            ("--node", args.node.as_deref()),
        ];
        writing::add_flags(&mut words, &flags);
        let switches = [
            ("--all-released", args.all_released),
            ("--reuse", args.reuse),
        ];
        writing::add_switches(&mut words, &switches);
        words.extend(args.selection.words());
        words
    }

    fn namespaces(&self) -> Vec<String> {
        named_namespaces(self.connection, &self.args.selection)
    }
}

/// The volumes that were named, each once.
fn volume_names(words: &[String]) -> Result<Vec<String>, CommandError> {
    let only_volumes = || CommandError::usage("only volumes can be named here, by NAME or pv/NAME");
    let with_type = |word: &String| {
        if word.contains('/') {
            word.clone()
        } else {
            format!("pv/{word}")
        }
    };
    let words: Vec<String> = match words {
        [kind, names @ ..]
            if !names.is_empty()
                && ["pv", "persistentvolume", "persistentvolumes"].contains(&kind.as_str()) =>
        {
            names.iter().map(with_type).collect()
        }
        names => names.iter().map(with_type).collect(),
    };
    let mut names = Vec::new();
    for target in parse(&words).map_err(|_| only_volumes())? {
        match target {
            Target::Volume(name) => names.push(name),
            _ => return Err(only_volumes()),
        }
    }
    names.sort();
    names.dedup();
    Ok(names)
}

fn parse_claim(text: &str) -> Result<ObjectKey, &'static str> {
    match text.split_once('/') {
        Some((namespace, name))
            if !namespace.is_empty() && !name.is_empty() && !name.contains('/') =>
        {
            Ok(ObjectKey::new(namespace, name))
        }
        _ => Err("expected NAMESPACE/CLAIM"),
    }
}

fn parse_policy(text: &str) -> Result<ReclaimPolicy, &'static str> {
    match text {
        "Retain" => Ok(ReclaimPolicy::Retain),
        "Delete" => Ok(ReclaimPolicy::Delete),
        _ => Err("expected Retain or Delete"),
    }
}
