//! Flag groups shared by commands. Flags are spelled as kubectl spells them and become typed
//! values here; below `commands/` nobody knows a flag exists.

mod backends;

pub(crate) use backends::{BACKEND_KINDS, BackendFlags};

use std::{path::PathBuf, time::Duration};

use clap::{
    Args, ValueHint,
    builder::{OsStringValueParser, TypedValueParser},
};

use crate::conventions::selector::LabelSelector;
use crate::engine::Selection;
use crate::load::client::{ConnectionOptions, Impersonation, Patience};
use crate::load::{Files, Input, Removal, WhatIf};
use crate::render::Format;

// How to reach the cluster, and as whom. (A doc comment would become the help of a command.)
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Connection")]
pub(crate) struct ConnectionFlags {
    /// Work in this namespace [default: the context's, else `default`]
    #[arg(short, long, global = true, value_name = "NAME")]
    pub(crate) namespace: Option<String>,

    /// Use the kubeconfig entry of this name
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) context: Option<String>,

    /// Read this kubeconfig file [default: those of $KUBECONFIG, else ~/.kube/config]
    #[arg(long, global = true, value_name = "FILE", value_parser = path(), value_hint = ValueHint::FilePath)]
    pub(crate) kubeconfig: Option<PathBuf>,

    /// Talk to this cluster of the kubeconfig
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) cluster: Option<String>,

    /// Log in as this user of the kubeconfig
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) user: Option<String>,

    /// Talk to the API server at this address
    #[arg(short, long, global = true, value_name = "URL")]
    pub(crate) server: Option<String>,

    /// Authenticate with this bearer token
    #[arg(long, global = true, value_name = "TOKEN")]
    pub(crate) token: Option<String>,

    /// Act as this user or service account
    #[arg(long = "as", global = true, value_name = "USER")]
    pub(crate) as_user: Option<String>,

    /// Act with this uid; needs --as
    #[arg(long, global = true, value_name = "UID")]
    pub(crate) as_uid: Option<String>,

    /// Act as a member of this group; may be repeated, needs --as
    #[arg(long, global = true, value_name = "GROUP")]
    pub(crate) as_group: Vec<String>,

    /// Act with this extra attribute; may be repeated, needs --as
    #[arg(long, global = true, value_name = "KEY=VALUE", value_parser = parse_pair)]
    pub(crate) as_user_extra: Vec<(String, String)>,

    /// Trust servers whose certificate is signed by the authority in this PEM file
    #[arg(long, global = true, value_name = "FILE", value_parser = path(), value_hint = ValueHint::FilePath)]
    pub(crate) certificate_authority: Option<PathBuf>,

    /// Authenticate with the certificate in this PEM file
    #[arg(long, global = true, value_name = "FILE", value_parser = path(), value_hint = ValueHint::FilePath)]
    pub(crate) client_certificate: Option<PathBuf>,

    /// Use the key in this PEM file for the client certificate
    #[arg(long, global = true, value_name = "FILE", value_parser = path(), value_hint = ValueHint::FilePath)]
    pub(crate) client_key: Option<PathBuf>,

    /// Trust any server certificate, which lets anyone in between listen
    #[arg(long, global = true, value_name = "BOOL", num_args = 0..=1, require_equals = true, hide_possible_values = true, default_missing_value = "true")]
    pub(crate) insecure_skip_tls_verify: Option<bool>,

    /// Expect this name in the server's certificate [default: the host in its address]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) tls_server_name: Option<String>,

    /// Give up on a request after this time: seconds, or such as 30s or 1m30s; 0 waits for ever [default: 0]
    #[arg(long, global = true, value_name = "TIME", value_parser = parse_time)]
    pub(crate) request_timeout: Option<Duration>,

    /// Ask the server not to compress its answers
    #[arg(long, global = true, value_name = "BOOL", num_args = 0..=1, require_equals = true, hide_possible_values = true, default_missing_value = "true")]
    pub(crate) disable_compression: Option<bool>,

    /// Accepted for the sake of kubectl's users; nothing is cached
    #[arg(long, global = true, value_name = "FOLDER", value_parser = path(), hide = true)]
    pub(crate) cache_dir: Option<PathBuf>,
}

impl ConnectionFlags {
    /// The namespace asked for; an empty one is as good as none.
    pub(crate) fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref().filter(|name| !name.is_empty())
    }
}

// Where the state comes from.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Source")]
pub(crate) struct SourceFlags {
    /// Read the state from files instead of the cluster: a file, a folder, or - for standard input; may be repeated
    #[arg(short, long, value_name = "FILE", value_delimiter = ',', value_hint = ValueHint::AnyPath)]
    pub(crate) filename: Vec<String>,

    /// Read folders to the bottom
    #[arg(short = 'R', long)]
    pub(crate) recursive: bool,

    /// Answer as if this had been applied: a file, a folder, or - for standard input; may be repeated. What is there already changes only as far as the API server lets it
    #[arg(long = "with", value_name = "FILE", value_delimiter = ',', value_hint = ValueHint::AnyPath)]
    pub(crate) with: Vec<String>,

    /// Answer as if this were gone: pvc/NAME, pvc/NAMESPACE/NAME, pv/NAME, sc/NAME, pod/NAME, node/NAME …; may be repeated. Together with --with it is made anew
    #[arg(long, value_name = "KIND/NAME", value_delimiter = ',', value_parser = Removal::parse)]
    pub(crate) without: Vec<Removal>,
}

impl SourceFlags {
    /// Whether a what-if was given.
    pub(crate) fn has_what_if(&self) -> bool {
        !self.with.is_empty() || !self.without.is_empty()
    }

    /// The what-if in words: `with new-pv.yaml, without pv/old`.
    pub(crate) fn what_if_in_words(&self) -> String {
        let with = (!self.with.is_empty()).then(|| format!("with {}", self.with.join(", ")));
        let without: Vec<String> = self.without.iter().map(ToString::to_string).collect();
        let without = (!without.is_empty()).then(|| format!("without {}", without.join(", ")));
        let parts: Vec<String> = with.into_iter().chain(without).collect();
        parts.join(", ")
    }

    /// The files to read, if any were given.
    pub(crate) fn files(&self) -> Option<Files> {
        Some(self.files_of(&self.filename)).filter(|files| !files.inputs.is_empty())
    }

    /// What to change before the question is asked.
    pub(crate) fn what_if(&self) -> WhatIf {
        WhatIf {
            with: self.files_of(&self.with),
            without: self.without.clone(),
        }
    }

    fn files_of(&self, names: &[String]) -> Files {
        files_of(names, self.recursive)
    }
}

// The manifests a command is about.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Source")]
pub(crate) struct FileFlags {
    /// Read these manifests: a file, a folder, or - for standard input; may be repeated
    #[arg(short, long, value_name = "FILE", value_delimiter = ',', value_hint = ValueHint::AnyPath)]
    pub(crate) filename: Vec<String>,

    /// Read folders to the bottom
    #[arg(short = 'R', long)]
    pub(crate) recursive: bool,
}

impl FileFlags {
    /// The files to read, if any were given.
    pub(crate) fn files(&self) -> Option<Files> {
        Some(files_of(&self.filename, self.recursive)).filter(|files| !files.inputs.is_empty())
    }
}

fn files_of(names: &[String], recursive: bool) -> Files {
    let input = |name: &String| {
        if name == "-" {
            Input::Stdin
        } else {
            Input::Path(name.into())
        }
    };
    Files {
        inputs: names.iter().map(input).collect(),
        recursive,
    }
}

// How carefully to write.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Writing")]
pub(crate) struct WriteFlags {
    /// Only show what would be done: client sends nothing, server lets the API server check each first write; none does it [default: none; alone: client]
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "client", default_value = "none", hide_default_value = true, hide_possible_values = true)]
    pub(crate) dry_run: DryRun,

    /// Do not ask
    #[arg(short, long)]
    pub(crate) yes: bool,

    /// Wait no longer than this for anything: seconds, or such as 30s or 1m30s [default: 1m]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(crate) timeout: Option<Duration>,

    #[command(flatten)]
    pub(crate) review: ReviewFlags,
}

// What is shown and kept of a run that writes.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Writing")]
pub(crate) struct ReviewFlags {
    /// List the skipped objects, and why each is skipped; named objects are always listed
    #[arg(long)]
    pub(crate) show_skipped: bool,

    /// Save every object that is changed or deleted in this new or empty directory, so that it can be created again
    #[arg(long, value_name = "DIR", value_parser = path(), value_hint = ValueHint::DirPath)]
    pub(crate) save: Option<PathBuf>,
}

// Which volumes, claims and assets are meant.
#[derive(Args, Clone, Default)]
pub(crate) struct SelectionFlags {
    /// Only what has these labels, as in kubectl; may be repeated, all of them count
    #[arg(short = 'l', long, value_name = "LABELS", value_parser = LabelSelector::parse)]
    pub(crate) selector: Vec<LabelSelector>,

    /// Only what has this class; may be repeated, any of them counts
    #[arg(long, value_name = "NAME")]
    pub(crate) class: Vec<String>,

    /// Not what belongs to this namespace; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) exclude_namespace: Vec<String>,
}

impl SelectionFlags {
    /// The selection, within one namespace or all.
    pub(crate) fn within<'a>(&'a self, namespace: Option<&'a str>) -> Selection<'a> {
        Selection {
            namespace,
            excluded: &self.exclude_namespace,
            classes: &self.class,
            selectors: &self.selector,
        }
    }

    /// The flags again, for the command that finishes a run.
    pub(crate) fn words(&self) -> Vec<String> {
        let selectors = self.selector.iter().map(|value| ("-l", value.to_string()));
        let classes = self.class.iter().map(|value| ("--class", value.clone()));
        let excluded = self.exclude_namespace.iter();
        let excluded = excluded.map(|value| ("--exclude-namespace", value.clone()));
        let flags = selectors.chain(classes).chain(excluded);
        flags
            .flat_map(|(flag, value)| [flag.to_owned(), value])
            .collect()
    }
}

// Whose a base directory is. (A doc comment would become the help of the command.)
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Writing")]
pub(crate) struct TakeOverFlags {
    /// Give this base directory of a backend to this cluster, with all data in it, and do nothing else; asks for the uid of the present owner unless DIR=OLD-UID names it
    #[arg(long, value_name = "DIR[=OLD-UID]")]
    pub(crate) take_over_directory: Option<String>,
}

impl TakeOverFlags {
    /// `DIR`, or `DIR=OLD-UID`.
    pub(crate) fn directory(&self) -> Option<&str> {
        self.take_over_directory.as_deref()
    }
}

// What the writing commands with backends have in common, in the order of their help.
#[derive(Args, Clone, Default)]
pub(crate) struct ServingFlags {
    #[command(flatten)]
    pub(crate) backends: BackendFlags,

    #[command(flatten)]
    pub(crate) write: WriteFlags,

    #[command(flatten)]
    pub(crate) take_over: TakeOverFlags,

    #[command(flatten)]
    pub(crate) source: FileFlags,

    #[command(flatten)]
    pub(crate) output: OutputFlags,
}

/// Whether anything is changed.
#[derive(Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum DryRun {
    /// It is
    #[default]
    None,
    /// Nothing is sent
    Client,
    /// The server checks, and changes nothing
    Server,
}

// How the answer looks.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputFlags {
    /// Print as table, wide, json, yaml or name [default: table]
    #[arg(short, long, value_name = "FORMAT")]
    pub(crate) output: Option<Format>,

    #[command(flatten)]
    pub(crate) color: ColorFlag,
}

// Whether the answer is coloured.
#[derive(Args, Clone, Copy, Default)]
#[command(next_help_heading = "Output")]
pub(crate) struct ColorFlag {
    /// Colour the output: auto, always or never [default: auto]
    #[arg(long, value_name = "WHEN", value_enum)]
    pub(crate) color: Option<ColorWhen>,
}

/// When to colour.
#[derive(Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum ColorWhen {
    /// On a terminal that can, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// An empty value is as good as none, as in kubectl.
impl From<ConnectionFlags> for ConnectionOptions {
    fn from(flags: ConnectionFlags) -> Self {
        let named = |value: Option<String>| value.filter(|value| !value.is_empty());
        let file = |value: Option<PathBuf>| value.filter(|path| !path.as_os_str().is_empty());
        Self {
            kubeconfig: file(flags.kubeconfig),
            context: named(flags.context),
            cluster: named(flags.cluster),
            user: named(flags.user),
            namespace: named(flags.namespace),
            server: named(flags.server),
            token: named(flags.token).map(Into::into),
            impersonate: Impersonation {
                user: named(flags.as_user),
                uid: named(flags.as_uid),
                groups: flags.as_group,
                extra: flags.as_user_extra,
            },
            certificate_authority: file(flags.certificate_authority),
            client_certificate: file(flags.client_certificate),
            client_key: file(flags.client_key),
            insecure_skip_tls_verify: flags.insecure_skip_tls_verify.unwrap_or(false),
            tls_server_name: named(flags.tls_server_name),
            request_timeout: flags.request_timeout.filter(|time| !time.is_zero()),
            disable_compression: flags.disable_compression.unwrap_or(false),
            patience: Patience::default(),
        }
    }
}

/// A path that may be empty, which clap's own does not allow.
fn path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

fn parse_pair(text: &str) -> Result<(String, String), &'static str> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("expected KEY=VALUE"),
    }
}

/// A time as kubectl takes it: whole seconds, or numbers with units one after the other.
///
/// Upstream: client-go/tools/clientcmd/helpers.go, `ParseTimeout`.
pub(crate) fn parse_time(text: &str) -> Result<Duration, &'static str> {
    const EXPECTED: &str = "expected seconds, or a time such as 500ms, 30s, 1m30s or 2h";
    if let Ok(seconds) = text.parse() {
        return Ok(Duration::from_secs(seconds));
    }
    let mut rest = text;
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let (part, after) = parse_part(rest).ok_or(EXPECTED)?;
        total = total.checked_add(part).ok_or(EXPECTED)?;
        rest = after;
    }
    if text.is_empty() {
        Err(EXPECTED)
    } else {
        Ok(total)
    }
}

/// A time as people count what is old: weeks and days before all else, each once.
pub(crate) fn parse_age(text: &str) -> Result<Duration, &'static str> {
    const EXPECTED: &str = "expected a time such as 30d, 2w, 1d12h or 12h";
    const DAY: u64 = 24 * 60 * 60;
    let mut rest = text;
    let mut seconds: u64 = 0;
    for (unit, worth) in [('w', 7 * DAY), ('d', DAY)] {
        if let Some((number, after)) = rest.split_once(unit) {
            let number: u64 = number.parse().map_err(|_| EXPECTED)?;
            let more = number.checked_mul(worth);
            seconds = more
                .and_then(|more| seconds.checked_add(more))
                .ok_or(EXPECTED)?;
            rest = after;
        }
    }
    if rest.is_empty() && rest.len() < text.len() {
        return Ok(Duration::from_secs(seconds));
    }
    // A bare number would be seconds to some and days to others.
    if rest.ends_with(|last: char| last.is_ascii_digit()) {
        return Err(EXPECTED);
    }
    let time = parse_time(rest).map_err(|_| EXPECTED)?;
    time.checked_add(Duration::from_secs(seconds))
        .ok_or(EXPECTED)
}

/// The first number with its unit, and what follows.
fn parse_part(text: &str) -> Option<(Duration, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, rest) = text.split_at(end);
    let end = rest
        .find(|c: char| c.is_ascii_digit() || c == '.')
        .unwrap_or(rest.len());
    let (unit, rest) = rest.split_at(end);
    let seconds = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    let number: f64 = number.parse().ok()?;
    Some((Duration::try_from_secs_f64(number * seconds).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};
    use secrecy::ExposeSecret;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        connection: ConnectionFlags,
    }

    fn options(arguments: &[&str]) -> ConnectionOptions {
        let arguments = ["kubectl-pv"].iter().chain(arguments);
        Cli::try_parse_from(arguments)
            .map(|cli| cli.connection.into())
            .unwrap()
    }

    #[test]
    fn the_flags_are_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn times_are_read_as_kubectl_reads_them() {
        let table = [
            ("0", Some(Duration::ZERO)),
            ("5", Some(Duration::from_secs(5))),
            ("0s", Some(Duration::ZERO)),
            ("1s", Some(Duration::from_secs(1))),
            ("2m", Some(Duration::from_secs(120))),
            ("3h", Some(Duration::from_secs(3 * 3600))),
            ("1m30s", Some(Duration::from_secs(90))),
            ("1.5s", Some(Duration::from_millis(1500))),
            ("250ms", Some(Duration::from_millis(250))),
            ("", None),
            ("s", None),
            ("-5", None),
            ("-5s", None),
            ("5 s", None),
            ("5x", None),
            ("1m30", None),
            ("1..5s", None),
            ("99999999999999999999h", None),
        ];
        for (text, expected) in table {
            assert_eq!(parse_time(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn ages_have_units_and_days_are_among_them() {
        let hours = |hours: u64| Some(Duration::from_secs(hours * 3600));
        let table = [
            ("30d", hours(720)),
            ("2w", hours(336)),
            ("1w1d", hours(192)),
            ("1d12h", hours(36)),
            ("12h", hours(12)),
            ("0d", hours(0)),
            ("30", None),
            ("1d30", None),
            ("d", None),
            ("", None),
            ("-1d", None),
            ("1d1w", None),
            ("1.5d", None),
            ("99999999999999999999d", None),
            ("18446744073709551615d", None),
        ];
        for (text, expected) in table {
            assert_eq!(parse_age(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn empty_values_and_a_timeout_of_zero_count_as_unset() {
        let options = options(&[
            "--context=",
            "--token=",
            "--kubeconfig=",
            "--request-timeout=0",
        ]);
        assert!(
            options.context.is_none() && options.token.is_none() && options.kubeconfig.is_none()
        );
        assert_eq!(options.request_timeout, None);
    }

    #[test]
    fn switches_take_a_value_as_in_kubectl() {
        assert!(options(&["--insecure-skip-tls-verify"]).insecure_skip_tls_verify);
        assert!(options(&["--insecure-skip-tls-verify=true"]).insecure_skip_tls_verify);
        assert!(!options(&["--insecure-skip-tls-verify=false"]).insecure_skip_tls_verify);
        assert!(!options(&[]).insecure_skip_tls_verify);
    }

    #[test]
    fn impersonation_collects_what_is_repeated() {
        let options = options(&[
            "--as=jane",
            "--as-uid=7",
            "--as-group=dev,ops",
            "--as-group=qa",
            "--as-user-extra=scope=a=b",
            "--as-user-extra=scope=c",
            "--token=hush",
        ]);
        let impersonate = options.impersonate;
        assert_eq!(impersonate.user.as_deref(), Some("jane"));
        assert_eq!(impersonate.groups, ["dev,ops", "qa"]);
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(
            impersonate.extra,
            [pair("scope", "a=b"), pair("scope", "c")]
        );
        assert_eq!(options.token.unwrap().expose_secret(), "hush");
    }

    #[test]
    fn an_extra_without_a_value_is_wrong_usage() {
        assert!(Cli::try_parse_from(["kubectl-pv", "--as-user-extra=scope"]).is_err());
    }
}
