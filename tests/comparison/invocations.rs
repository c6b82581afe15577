//! Command lines in full: a question with its output format, width, rules, what-if and input. For fixtures every question
//! is asked in several forms; for generated clusters a sample is drawn.

use std::path::PathBuf;

use super::objects::Subjects;
use super::questions::{Formats, Question, questions};
use crate::random::Random;

/// The widths of the terminals.
pub(super) const WIDTHS: [u16; 3] = [60, 100, 160];

/// Where the answer goes, and in which form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Form {
    /// A format of `-o`, into a pipe.
    Output(&'static str),
    /// Text on a terminal of this width.
    Screen(u16),
}

impl Form {
    /// The name of the form in the result; all widths have the same.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Output(format) => format,
            Self::Screen(_) => "table",
        }
    }

    /// The name with the width.
    pub(super) fn spelled(self) -> String {
        match self {
            Self::Output(format) => format.to_owned(),
            Self::Screen(width) => format!("{width} columns"),
        }
    }

    fn all(formats: Formats) -> Vec<Self> {
        let outputs: &[&str] = match formats {
            Formats::Report => &["table", "wide", "json", "yaml", "name"],
            Formats::Findings => &["table", "json", "yaml", "sarif"],
            Formats::Manifests => &["yaml", "json"],
            Formats::Text => &[TEXT],
        };
        let outputs = outputs.iter().map(|format| Self::Output(format));
        let screens = WIDTHS.into_iter().map(Self::Screen);
        match formats {
            Formats::Report | Formats::Findings => outputs.chain(screens).collect(),
            Formats::Manifests | Formats::Text => outputs.collect(),
        }
    }
}

/// The form of commands without `-o`.
pub(super) const TEXT: &str = "text";

/// One command line, the same for both builds.
#[derive(Clone)]
pub(super) struct Invocation {
    pub(super) command: &'static str,
    pub(super) words: Vec<String>,
    pub(super) form: Form,
    /// The value of `--rules`, or nothing for commands without it.
    pub(super) rules: &'static str,
    /// The folder in which it runs.
    pub(super) folder: PathBuf,
    /// A file of that folder for standard input.
    pub(super) stdin: Option<String>,
}

/// The input of the questions: a file or a folder, and what the questions can name in it.
pub(super) struct Input {
    pub(super) folder: PathBuf,
    /// For `-f`, relative to the folder.
    pub(super) file: String,
    /// For `--with`.
    pub(super) with: String,
    pub(super) subjects: Subjects,
    /// In how many of a hundred cases a question gets a what-if.
    pub(super) what_ifs: usize,
}

impl Input {
    /// Every question in so many forms, JSON among them, with the rules in turn; what-ifs are drawn.
    pub(super) fn all_invocations(
        &self,
        random: &mut Random,
        pool: &str,
        forms: usize,
    ) -> Vec<Invocation> {
        let mut all = Vec::new();
        for question in questions(&self.subjects, random, pool) {
            let mut left = Form::all(question.formats);
            let json = left.iter().position(|form| *form == Form::Output("json"));
            let mut chosen = json.unwrap_or_default();
            let rules = rules_of(&question);
            let first = random.below(rules.len());
            for turn in 0..forms.min(left.len()) {
                let form = left.swap_remove(chosen);
                let rules = rules[(first + turn) % rules.len()];
                all.push(self.invoke(random, &question, form, rules));
                chosen = random.below(left.len().max(1));
            }
        }
        all
    }

    /// So many questions, each in one form.
    pub(super) fn some_invocations(
        &self,
        random: &mut Random,
        pool: &str,
        number: usize,
    ) -> Vec<Invocation> {
        let mut questions = questions(&self.subjects, random, pool);
        let mut drawn = Vec::new();
        while drawn.len() < number && !questions.is_empty() {
            let question = questions.swap_remove(random.below(questions.len()));
            let form = random.pick(&Form::all(question.formats));
            let rules = random.pick(rules_of(&question));
            drawn.push(self.invoke(random, &question, form, rules));
        }
        drawn
    }

    fn invoke(
        &self,
        random: &mut Random,
        question: &Question,
        form: Form,
        rules: &'static str,
    ) -> Invocation {
        let mut words = question.words.clone();
        if !rules.is_empty() {
            words.push(format!("--rules={rules}"));
        }
        let needs_what_if = question.command == "plan --diff";
        if question.takes_what_if && (needs_what_if || random.chance(self.what_ifs)) {
            self.add_what_if(random, &mut words);
        }
        let reads_stdin = random.chance(10) && self.folder.join(&self.file).is_file();
        let file = if reads_stdin { "-" } else { &self.file };
        words.extend(["-f".to_owned(), file.to_owned()]);
        match form {
            // Without -o the default is tested, too.
            Form::Output("table" | TEXT) | Form::Screen(_) => {}
            Form::Output(format) => words.extend(["-o".to_owned(), format.to_owned()]),
        }
        Invocation {
            command: question.command,
            words,
            form,
            rules,
            folder: self.folder.clone(),
            stdin: reads_stdin.then(|| self.file.clone()),
        }
    }

    fn add_what_if(&self, random: &mut Random, words: &mut Vec<String>) {
        let removed = self.removal(random).filter(|_| random.chance(60));
        if removed.is_none() || random.chance(30) {
            words.push(format!("--with={}", self.with));
        }
        words.extend(removed.map(|object| format!("--without={object}")));
    }

    /// An object for `--without`.
    fn removal(&self, random: &mut Random) -> Option<String> {
        let subjects = &self.subjects;
        let namespaced = |kind: &str, key: &(String, String)| format!("{kind}/{}/{}", key.0, key.1);
        let plain = |kind: &str, name: &String| format!("{kind}/{name}");
        let objects: Vec<String> = match random.below(5) {
            0 => subjects
                .pods
                .iter()
                .map(|key| namespaced("pod", key))
                .collect(),
            1 => subjects
                .nodes
                .iter()
                .map(|name| plain("node", name))
                .collect(),
            2 => subjects
                .classes
                .iter()
                .map(|name| plain("sc", name))
                .collect(),
            3 => subjects
                .volumes
                .iter()
                .map(|name| plain("pv", name))
                .collect(),
            _ => subjects
                .claims
                .iter()
                .map(|key| namespaced("pvc", key))
                .collect(),
        };
        let index = random.below(objects.len().max(1));
        objects.into_iter().nth(index)
    }
}

fn rules_of(question: &Question) -> &'static [&'static str] {
    if question.takes_rules {
        &["v1.36", "v1.4"]
    } else {
        &[""]
    }
}

/// Command lines that read no cluster.
pub(super) fn without_cluster(folder: &std::path::Path) -> Vec<Invocation> {
    let lines: &[(&'static str, &[&str])] = &[
        ("version", &["version"]),
        ("--help", &["--help"]),
        ("--help", &["explain", "--help"]),
        ("--help", &["plan", "--help"]),
        ("--help", &["status", "--help"]),
        ("--help", &["describe-class", "--help"]),
        ("--help", &["validate", "--help"]),
        ("--help", &["convert", "--help"]),
        ("--help", &["bind", "--help"]),
        ("--help", &["provision", "--help"]),
        ("--help", &["reclaim", "--help"]),
        ("--help", &["cleanup", "--help"]),
        ("--help", &["set", "--help"]),
        ("--help", &["set", "status", "--help"]),
        ("--help", &["set", "reconcile", "--help"]),
        ("completion", &["completion", "bash"]),
        ("completion", &["completion", "zsh"]),
        ("completion", &["completion", "fish"]),
        ("set crd", &["set", "crd"]),
        ("set crd", &["set", "crd", "-o", "json"]),
        ("wrong usage", &[]),
        ("wrong usage", &["explain", "--no-such-flag"]),
        ("wrong usage", &["explain", "-o", "xml"]),
        ("wrong usage", &["plan", "--rules=v9"]),
        ("no cluster", &["explain"]),
        ("no cluster", &["bind"]),
        ("no cluster", &["explain", "-f", "no-such-file.yaml"]),
    ];
    let invocation = |(command, words): &(&'static str, &[&str])| Invocation {
        command,
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        form: Form::Output(TEXT),
        rules: "",
        folder: folder.to_owned(),
        stdin: None,
    };
    lines.iter().map(invocation).collect()
}
