//! Planted differences: a script around the build of this checkout changes one thing in its answers, and the comparison
//! reports that thing under its command and field, and nothing else.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::accepted;
use super::inputs::Workplace;
use super::program::Program;
use super::settings::{Settings, own_build};
use super::survey::{Survey, remove_folder, survey};
use super::temporary_folder;

/// One planted difference, and where it must be reported.
struct Planted {
    name: &'static str,
    /// A fixture and a command that show it.
    input: &'static str,
    command: &'static str,
    /// What `sed` does to JSON answers.
    sed: &'static str,
    /// Another exit status of JSON answers.
    status: Option<u8>,
    /// All fields that differ.
    fields: &'static [&'static str],
}

impl Planted {
    /// Compares the build with a script around it.
    fn compare(&self) -> (Settings, Survey) {
        let folder = temporary_folder(self.name);
        let workplace = Workplace::new(&folder).unwrap();
        let new = self.script(&folder);
        let settings = Settings {
            clusters: 0,
            forms: 3,
            what_ifs: 0,
            command: Some(self.command.to_owned()),
            input: Some(self.input.to_owned()),
            ..Settings::sample(own_build(), new, &folder)
        };
        let found = survey(&settings, &workplace, &|_| {}).unwrap();
        (settings, found)
    }

    /// A program that answers as the build does, except in JSON.
    fn script(&self, folder: &Path) -> Program {
        let path = folder.join("kubectl-pv");
        let build = own_build();
        let build = build.path.display();
        let sed = self.sed;
        let status = self
            .status
            .map_or("$status".to_owned(), |status| status.to_string());
        let text = format!(
            "#!/bin/sh\n\
             case \" $* \" in *' -o json '*) ;; *) exec '{build}' \"$@\" ;; esac\n\
             answer=$('{build}' \"$@\")\n\
             status=$?\n\
             printf '%s\\n' \"$answer\" | sed '{sed}'\n\
             exit {status}\n"
        );
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Program { path }
    }

    fn assert_found(&self) {
        let (settings, found) = self.compare();
        let groups = found.groups.0.keys();
        let fields: Vec<(&str, &str)> = groups
            .map(|key| (key.command.as_str(), key.field.as_str()))
            .collect();
        let expected = self.fields.iter().map(|field| (self.command, *field));
        let expected: Vec<(&str, &str)> = expected.collect();
        assert_eq!(fields, expected, "{}", found.verdict(&settings).0);
        assert!(found.verdict(&settings).1, "a difference is a failure");
        remove_folder(&settings.folder).unwrap();
    }
}

const VERDICT: Planted = Planted {
    name: "verdict",
    input: "examples/stuck-claim.yaml",
    command: "explain",
    sed: r#"s/"verdict": "Blocked"/"verdict": "Waiting"/"#,
    status: None,
    fields: &["json items[].verdict"],
};

#[test]
fn a_verdict() {
    VERDICT.assert_found();
}

#[test]
fn the_order_of_two_volumes() {
    let planted = Planted {
        name: "order",
        input: "tests/clusters/competing.yaml",
        command: "plan",
        sed: r#"/"outcomes"/,/]/{s/"twin-1"/"twin-0"/; s/"twin-2"/"twin-1"/; s/"twin-0"/"twin-2"/}"#,
        status: None,
        fields: &["json claims[].outcomes[] (order)"],
    };
    planted.assert_found();
}

#[test]
fn a_suggestion() {
    let planted = Planted {
        name: "suggestion",
        sed: "s/kubectl pv reclaim pv-a --reuse/kubectl pv reclaim pv-a/",
        fields: &["json items[].suggestions[].commands[]"],
        ..VERDICT
    };
    planted.assert_found();
}

#[test]
fn a_precondition_of_a_plan() {
    let planted = Planted {
        name: "precondition",
        input: "tests/clusters/binding.yaml",
        command: "bind --dry-run",
        sed: r#"/"preconditions"/,/}/s/"resourceVersion": "101"/"resourceVersion": "102"/"#,
        status: None,
        fields: &["json changes[].preconditions.resourceVersion"],
    };
    planted.assert_found();
}

#[test]
fn the_node_of_a_pod() {
    let planted = Planted {
        name: "node",
        input: "tests/clusters/pods.yaml",
        command: "explain pods",
        sed: r#"s/"nodeName": "n1"/"nodeName": "n2"/"#,
        status: None,
        fields: &["json items[].pod.nodeName"],
    };
    planted.assert_found();
}

#[test]
fn the_name_of_a_field() {
    let planted = Planted {
        name: "field",
        input: "tests/clusters/status.yaml",
        command: "status",
        sed: r#"s/"byPhase"/"phases"/"#,
        status: None,
        fields: &[
            "json claims.byPhase (only in OLD)",
            "json claims.phases (only in NEW)",
            "json volumes.byPhase (only in OLD)",
            "json volumes.phases (only in NEW)",
        ],
    };
    planted.assert_found();
}

#[test]
fn an_exit_status() {
    let planted = Planted {
        name: "status",
        sed: "",
        status: Some(0),
        fields: &["exit status"],
        ..VERDICT
    };
    planted.assert_found();
}

#[test]
fn an_accepted_difference_is_no_failure_and_an_entry_without_one_is() {
    let planted = Planted {
        name: "accepted",
        ..VERDICT
    };
    let (mut settings, found) = planted.compare();
    let accepted = "explain* | json *verdict | a test plants it\n";
    settings.accepted = accepted::parse(accepted).unwrap();
    settings.is_full = true;
    let (text, has_failed) = found.verdict(&settings);
    assert!(!has_failed && text.contains("a test plants it"), "{text}");
    let unused = format!("{accepted}plan | json claims[].name | it does not occur\n");
    settings.accepted = accepted::parse(&unused).unwrap();
    let (text, has_failed) = found.verdict(&settings);
    assert!(has_failed && text.contains("line 2: plan"), "{text}");
    remove_folder(&settings.folder).unwrap();
}
