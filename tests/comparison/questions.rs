//! Every question that a cluster in files can be asked: the reading commands, and the writing commands with `--dry-run`
//! and as a scenario on files. `invocations.rs` adds output format, width, rules and what-if.

use super::objects::Subjects;
use crate::random::Random;

/// The formats of a command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Formats {
    /// Table, wide, JSON, YAML, name.
    Report,
    /// Table, JSON, YAML, SARIF.
    Findings,
    /// YAML and JSON manifests.
    Manifests,
    /// Text alone.
    Text,
}

/// One command line, still without its output format.
pub(super) struct Question {
    /// The name of its group in the result, such as `explain pod`.
    pub(super) command: &'static str,
    pub(super) words: Vec<String>,
    pub(super) formats: Formats,
    pub(super) takes_rules: bool,
    /// Whether it takes `--with` and `--without`.
    pub(super) takes_what_if: bool,
}

/// Builds the list, one question after the other.
struct Questions<'a> {
    all: Vec<Question>,
    subjects: &'a Subjects,
    random: &'a mut Random,
}

/// All questions about a cluster; which of its objects they name is drawn.
pub(super) fn questions(subjects: &Subjects, random: &mut Random, pool: &str) -> Vec<Question> {
    let mut questions = Questions {
        all: Vec::new(),
        subjects,
        random,
    };
    questions.add_explain();
    questions.add_overviews();
    questions.add_reviews();
    let provisioner = questions.pick(&subjects.provisioners);
    let provisioner = provisioner.unwrap_or_else(|| "example.com/scratch".to_owned());
    // The folder is empty, and no command here writes to it.
    let backend = format!("{provisioner}=hostpath:{pool}");
    questions.add_writing(&["--backend", &backend]);
    questions.add_with_backend(&["--backend", &backend]);
    questions.all
}

impl Questions<'_> {
    fn ask(&mut self, command: &'static str, words: &[&str], formats: Formats) -> &mut Question {
        self.all.push(Question {
            command,
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            formats,
            takes_rules: false,
            takes_what_if: false,
        });
        self.all.last_mut().expect("one was added")
    }

    /// A question about the state, with rules and what-ifs.
    fn ask_state(&mut self, command: &'static str, words: &[&str]) {
        let question = self.ask(command, words, Formats::Report);
        question.takes_rules = true;
        question.takes_what_if = true;
    }

    /// The same without rules.
    fn ask_what_if(&mut self, command: &'static str, words: &[&str]) {
        self.ask(command, words, Formats::Report).takes_what_if = true;
    }

    fn pick<T: Clone>(&mut self, items: &[T]) -> Option<T> {
        let index = self.random.below(items.len().max(1));
        items.get(index).cloned()
    }

    fn add_explain(&mut self) {
        self.ask_state("explain", &["explain"]);
        self.ask_state("explain", &["explain", "-A", "--all"]);
        self.ask_state("explain --pending", &["explain", "-A", "--pending"]);
        self.ask_state("explain -l", &["explain", "-A", "-l", "tier=gold"]);
        self.ask_state("explain pods", &["explain", "pods", "-A"]);
        self.ask_state("explain pv", &["explain", "pv"]);
        if let Some((namespace, name)) = self.pick(&self.subjects.claims) {
            self.ask_state("explain CLAIM", &["explain", &name, "-n", &namespace]);
            let misspelt = format!("{name}x");
            self.ask_state("explain MISSING", &["explain", &misspelt]);
        }
        if let Some((namespace, pod)) = self.pick(&self.subjects.pods) {
            let pod = format!("pod/{pod}");
            self.ask_state("explain pod", &["explain", &pod, "-n", &namespace]);
            if let Some(node) = self.pick(&self.subjects.nodes) {
                let words = ["explain", &pod, "-n", &namespace, "--node", &node];
                self.ask_state("explain pod --node", &words);
            }
        }
        if let Some((namespace, workload)) = self.pick(&self.subjects.workloads) {
            let words = ["explain", &workload, "-n", &namespace];
            self.ask_state("explain WORKLOAD", &words);
        }
        if let Some(volume) = self.pick(&self.subjects.volumes) {
            let volume = format!("pv/{volume}");
            self.ask_state("explain pv/NAME", &["explain", &volume, "--all"]);
        }
        if let Some(class) = self.pick(&self.subjects.classes) {
            let words = ["explain", "-A", "--class", &class];
            self.ask_state("explain --class", &words);
        }
    }

    fn add_overviews(&mut self) {
        self.ask_state("plan", &["plan", "-A", "--all"]);
        self.ask_state("plan --diff", &["plan", "-A", "--diff"]);
        self.ask_state("status", &["status"]);
        self.ask_state("status --labels", &["status", "--labels", "--all"]);
        if let Some((namespace, _)) = self.pick(&self.subjects.claims) {
            self.ask_state("plan -n", &["plan", "-n", &namespace]);
            self.ask_state("status -n", &["status", "-n", &namespace]);
        }
        self.ask_what_if("describe-class", &["describe-class"]);
        if let Some(class) = self.pick(&self.subjects.classes) {
            self.ask_what_if("describe-class NAME", &["describe-class", &class]);
            let words = ["describe-class", &class, "--template", "--name", "data"];
            self.ask("describe-class --template", &words, Formats::Text);
        }
        self.ask_what_if("cleanup", &["cleanup", "--show-kept"]);
        let words = ["cleanup", "--older-than", "30d", "--fail-on-findings"];
        self.ask_what_if("cleanup --older-than", &words);
        self.ask_what_if("set status", &["set", "status", "--all"]);
        if let Some(set) = self.pick(&self.subjects.sets) {
            self.ask_what_if("set status NAME", &["set", "status", &set]);
        }
    }

    fn add_reviews(&mut self) {
        let words = ["validate", "--offline", "--all"];
        self.ask("validate", &words, Formats::Findings);
        let words = ["validate", "--offline", "--strict"];
        self.ask("validate --strict", &words, Formats::Findings);
        if let Some((namespace, map)) = self.pick(&self.subjects.config_maps) {
            let map = format!("configmap/{map}");
            let class = self.pick(&self.subjects.classes);
            let class = class.unwrap_or_else(|| "missing".to_owned());
            let words = [
                "validate",
                &map,
                "--class",
                &class,
                "-n",
                &namespace,
                "--offline",
            ];
            self.ask("validate configmap", &words, Formats::Findings);
        }
        self.ask("convert", &["convert"], Formats::Manifests);
    }

    fn add_writing(&mut self, backend: &[&str]) {
        self.ask_dry("bind --dry-run", &["bind", "-A"]);
        self.ask("bind -f", &["bind", "-A"], Formats::Manifests);
        let claim = self.pick(&self.subjects.claims);
        let volume = self.pick(&self.subjects.volumes);
        if let (Some((namespace, claim)), Some(volume)) = (&claim, &volume) {
            let mut words = vec!["bind", claim, "-n", namespace, "--volume", volume];
            if self.random.chance(30) {
                words.push("--force");
            }
            self.ask_dry("bind --volume", &words);
            let owner = format!("{namespace}/{claim}");
            let words = ["reclaim", volume, "--reuse", "--for", &owner];
            self.ask_dry("reclaim --reuse --for", &words);
        }
        self.ask_dry("provision --dry-run", &["provision", "-A"]);
        let words = [&["provision", "-A"], backend].concat();
        self.ask_dry("provision --backend", &words);
        self.ask("provision -f", &words, Formats::Manifests);
        let released = ["reclaim", "--all-released"];
        self.ask_dry("reclaim --dry-run", &released);
        self.ask_dry("reclaim --backend", &[&released, backend].concat());
        self.ask("reclaim -f", &released, Formats::Manifests);
        let words = [
            "reclaim",
            "--all-released",
            "--recycler-image",
            "busybox:1.37",
        ];
        self.ask_dry("reclaim --recycler-image", &words);
        if let Some(volume) = &volume {
            self.ask_dry("reclaim --reuse", &["reclaim", volume, "--reuse"]);
            let policy = self.random.pick(&["Retain", "Delete"]);
            let words = ["reclaim", volume, "--set-policy", policy];
            self.ask_dry("reclaim --set-policy", &words);
        }
        self.ask_dry("cleanup --dry-run", &["cleanup", "--include-likely"]);
        let named = "lost-claims,unused-claims,unreachable,leftover-attachments";
        let words = ["cleanup", "--category", named, "--include-likely"];
        self.ask_dry("cleanup --category", &words);
        self.ask_dry("cleanup --backend", &[&["cleanup"], backend].concat());
        self.ask_dry("set reconcile --dry-run", &["set", "reconcile"]);
        self.ask(
            "set reconcile -f",
            &["set", "reconcile"],
            Formats::Manifests,
        );
    }

    /// A writing command that changes nothing.
    fn ask_dry(&mut self, command: &'static str, words: &[&str]) {
        let words = [words, &["--dry-run"]].concat();
        self.ask(command, &words, Formats::Report);
    }

    fn add_with_backend(&mut self, backend: &[&str]) {
        let words = [&["explain", "-A"], backend].concat();
        self.ask_state("explain --backend", &words);
        let words = [&["describe-class"], backend].concat();
        self.ask_what_if("describe-class --backend", &words);
    }
}
