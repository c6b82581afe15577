//! Commands about objects, for people to paste. The names come from the cluster or from files: a name that the API server would
//! refuse gets no command, since `--all` as the name of a volume would be a flag. Each form that is printed is listed here.

use super::command_line::CommandLine;
use super::names::{label_key_problems, label_value_problems, name_problems};

/// Flags without a value. All others are followed by one, or hold it behind `=`.
const SWITCHES: [&str; 6] = [
    "--force",
    "--reuse",
    "--overwrite",
    "--cascade=orphan",
    "--wait=false",
    "-A",
];

/// Flags of kubectl itself that are followed by a value.
const VALUE_FLAGS: [&str; 4] = ["-n", "-o", "-p", "--type"];

/// A command of these words, or that there is none.
pub fn command<S: AsRef<str>>(words: &[S]) -> CommandLine {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match find_wrong(&words) {
        None => CommandLine::of(&words),
        Some(name) => CommandLine::Refused(name.to_owned()),
    }
}

/// A command that reads a manifest of objects of these names.
pub fn manifest_command(names: &[&str], manifest: String, words: &[&str]) -> CommandLine {
    match names.iter().find(|name| !is_name(name)) {
        None => CommandLine::Piped {
            manifest,
            words: words.iter().map(ToString::to_string).collect(),
        },
        Some(name) => CommandLine::Refused((*name).to_owned()),
    }
}

/// The word that cannot be part of a command: an invalid name.
fn find_wrong<'a>(words: &[&'a str]) -> Option<&'a str> {
    let ["kubectl", rest @ ..] = words else {
        return None;
    };
    match rest {
        [
            "pv",
            "explain" | "bind" | "provision" | "reclaim" | "describe-class",
            rest @ ..,
        ] => check(rest, &[], is_reference),
        ["delete" | "patch" | "get", _, rest @ ..] | ["uncordon" | "logs", rest @ ..] => {
            check(rest, &VALUE_FLAGS, is_name)
        }
        ["annotate" | "label", _, rest @ ..] => check(rest, &VALUE_FLAGS, is_name_or_pair),
        _ => None,
    }
}

/// The first word that is neither a flag with its value nor a name. No `flags`: any flag, as those of the user follow.
fn check<'a>(words: &[&'a str], flags: &[&str], takes: fn(&str) -> bool) -> Option<&'a str> {
    let mut names = 0;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if SWITCHES.contains(word) || (word.starts_with("--") && word.contains('=')) {
            continue;
        }
        if word.starts_with('-') {
            let value = rest
                .next()
                .filter(|_| flags.contains(word) || flags.is_empty());
            let is_right = |value: &str| match *word {
                "-n" | "--volume" => is_name(value),
                "--for" => is_reference(value),
                _ => !value.starts_with('-'),
            };
            match value {
                Some(value) if is_right(value) => continue,
                Some(value) => return Some(value),
                None => return Some(word),
            }
        }
        if !takes(word) {
            return Some(word);
        }
        names += 1;
    }
    // What should be the name was read as a flag.
    if names == 0 {
        words.first().copied()
    } else {
        None
    }
}

fn is_name(word: &str) -> bool {
    name_problems(word).is_empty()
}

/// `NAME`, `pv/NAME`, `NAMESPACE/NAME`.
fn is_reference(word: &str) -> bool {
    word.split('/').count() <= 2 && word.split('/').all(is_name)
}

/// `NAME`, `KEY=VALUE`, `KEY-`.
fn is_name_or_pair(word: &str) -> bool {
    let is_key = |key: &str| label_key_problems(key).is_empty();
    match word.split_once('=') {
        Some((key, value)) => is_key(key) && label_value_problems(value).is_empty(),
        None => is_name(word) || word.strip_suffix('-').is_some_and(is_key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &str) -> CommandLine {
        command(&words.split(' ').collect::<Vec<_>>())
    }

    #[test]
    fn commands_about_objects_are_spelled() {
        for words in [
            "kubectl delete pv pv-a",
            "kubectl delete pod -n prod a b",
            "kubectl delete pvc data -n prod --wait=false",
            "kubectl patch pv pv-a --type merge -p x",
            "kubectl annotate pvc data -n prod volume.kubernetes.io/selected-node-",
            "kubectl annotate storageclass fast storageclass.kubernetes.io/is-default-class=true --overwrite",
            "kubectl label node n1 kubernetes.io/hostname=n1",
            "kubectl pv explain pv/pv-a",
            "kubectl pv bind data -n prod --volume pv-a --force",
            "kubectl pv reclaim pv-a --reuse --for prod/data",
            "kubectl pv reclaim pv-a --backend example.com/a=hostpath:/srv",
        ] {
            assert_eq!(line(words).to_string(), words);
        }
    }

    #[test]
    fn a_name_that_is_none_gets_no_command() {
        for words in [
            "kubectl delete pv --all",
            "kubectl delete pv -n",
            "kubectl delete pvc --all -n prod",
            "kubectl delete pvc -n -n prod",
            "kubectl delete pvc data -n --all",
            "kubectl delete pod -n prod --all",
            "kubectl delete pod -n prod a --all",
            "kubectl delete pod -n prod a -n",
            "kubectl delete pod -n prod a --all b",
            "kubectl patch pv --type --type merge -p x",
            "kubectl pv reclaim --reuse --reuse",
            "kubectl pv reclaim --all --reuse",
            "kubectl pv reclaim pv-a --reuse --for prod/--all",
            "kubectl pv bind --force -n prod",
            "kubectl pv bind data -n prod --volume --force",
            "kubectl pv explain pv/--all",
            "kubectl uncordon --all",
            "kubectl label node --all a=b",
            "kubectl delete pv $(id)",
        ] {
            let said = line(words);
            assert!(!said.is_command(), "{said}");
        }
        assert_eq!(
            line("kubectl delete pv --all"),
            CommandLine::Refused("--all".to_owned())
        );
    }
}
