//! Something is wrong with a directory: from the beginning, or since the question was asked. Mounts are in a namespace of the
//! command's own (`unshare -rm`); where rights are missing, the command runs as another user. Questions are asked on a terminal that
//! `script` (util-linux) provides.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::message::Request;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::{Action, Before, Number};
use crate::cluster::faults::subject::{Ended, Subject};
use crate::cluster::needs_provision::yard::Yard;

/// What is wrong, as lines of a shell that knows `$BASE`, `$ASSET`, `$NEIGHBOUR` and `$YARD`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Obstacle {
    /// The code of the refusal.
    pub(crate) code: &'static str,
    /// Before the command is started.
    pub(crate) prepare: &'static str,
    /// What is wrong.
    pub(crate) meddle: &'static str,
    /// Puts it right again, where that does not end with the namespace.
    pub(crate) undo: &'static str,
    /// Root may do everything.
    pub(crate) as_other_user: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    Planning,
    Prompt,
}

pub(crate) const UNMOUNTED: Obstacle = Obstacle {
    code: "AssetMissing",
    prepare: "",
    meddle: "mount -t tmpfs -o mode=755 none \"$BASE\"",
    undo: "",
    as_other_user: false,
};

pub(crate) const READ_ONLY: Obstacle = Obstacle {
    code: "DirectoryReadOnly",
    prepare: "mount --bind \"$BASE\" \"$BASE\"",
    meddle: "mount -o remount,ro,bind \"$BASE\"",
    undo: "",
    as_other_user: false,
};

pub(crate) const LINK: Obstacle = Obstacle {
    code: "AssetIsLink",
    prepare: "",
    meddle: "mv \"$ASSET\" \"$YARD/away\"; ln -s \"$NEIGHBOUR\" \"$ASSET\"",
    undo: "rm \"$ASSET\"; mv \"$YARD/away\" \"$ASSET\"",
    as_other_user: false,
};

pub(crate) const NO_RIGHTS: Obstacle = Obstacle {
    code: "PermissionDenied",
    prepare: "[ \"$(id -u)\" != 0 ] || chown -R 65534:65534 \"$YARD\"",
    meddle: "chmod 0555 \"$BASE\"; [ ! -d \"$ASSET\" ] || chmod 0555 \"$ASSET\"",
    undo: "chmod 0755 \"$BASE\"; [ ! -d \"$ASSET\" ] || chmod 0755 \"$ASSET\"",
    as_other_user: true,
};

const SCRIPT: &str = r#"
eval "$PREPARE" || exit 99
status=0
if [ "$MOMENT" = Planning ]; then
  eval "$MEDDLE" || exit 99
  sh "$YARD/run" --yes 2> "$YARD/screen" || status=$?
else
  mkfifo "$YARD/keys" && : > "$YARD/screen" || exit 99
  script -q -e -c "sh '$YARD/run'" /dev/null < "$YARD/keys" > "$YARD/screen" &
  exec 3> "$YARD/keys"
  until grep -q 'y/N' "$YARD/screen"; do
    kill -0 $! 2> /dev/null || { cat "$YARD/screen" >&2; exit 98; }
    sleep 0.05
  done
  eval "$MEDDLE" || exit 99
  echo y >&3
  wait $! || status=$?
fi
eval "$UNDO" || exit 99
cat "$YARD/stdout"
cat "$YARD/screen" >&2
rm -f "$YARD/keys" "$YARD/stdout" "$YARD/screen" "$YARD/run"
exit $status
"#;

impl Obstacle {
    /// Runs a command, whatever it is told about `--yes`, with this in its way. What it asks is answered with yes.
    pub(crate) fn hinder(
        &self,
        moment: Moment,
        inner: &Command,
        yard: &Yard,
        asset: &Path,
    ) -> Ended {
        fs::write(yard.root().join("run"), self.line(inner)).expect("write the command");
        let mut shell = Command::new("unshare");
        shell.arg("-rm");
        if self.as_other_user {
            // Another user cannot enter a namespace of users; nothing is mounted.
            shell = Command::new("env");
        }
        shell.args(["sh", "-c", SCRIPT]).env_clear();
        for (name, value) in inner.get_envs() {
            shell.envs(value.map(|value| (name, value)));
        }
        shell
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .env("SHELL", "/bin/sh")
            .env("TERM", "xterm")
            .env("PREPARE", self.prepare)
            .env("MEDDLE", self.meddle)
            .env("UNDO", self.undo)
            .env("MOMENT", format!("{moment:?}"))
            .env("YARD", yard.root())
            .env("BASE", yard.base())
            .env("NEIGHBOUR", yard.neighbour())
            .env("ASSET", asset);
        let ended = Subject::start(shell).wait();
        let is_hindered = !matches!(ended.status, Some(98 | 99));
        assert!(is_hindered, "{self:?} {moment:?}: {ended:?}");
        ended
    }

    /// Runs a command; before its first write reaches the server the directory is moved away, and a link is in its place.
    pub(crate) fn hinder_at_first_write(
        &self,
        upstream: &Upstream,
        (asset, away): (&Path, &Path),
        command: impl Fn(&str) -> Command,
    ) -> Ended {
        assert_eq!(self.code, LINK.code);
        let (asset, away) = (asset.to_owned(), away.to_owned());
        let meddle = move |number: Number, _: &Request| {
            if number.of_writes == Some(1) {
                fs::rename(&asset, &away).expect("move the directory");
                symlink(&away, &asset).expect("create a link");
            }
            Action::Forward
        };
        let proxy = Proxy::start(upstream.address, Before(meddle));
        Subject::start(command(proxy.kubeconfig())).wait()
    }

    /// The report refuses one change with the code, after others were made: 4, with the command that finishes.
    pub(crate) fn assert_refused_late(&self, ended: &Ended) {
        assert_eq!(ended.status, Some(4), "{ended:?}");
        let printed: Value = serde_json::from_str(&ended.stdout).expect("an Outcome");
        let changes = printed["changes"].as_array().expect("a list");
        let mut refused = changes.iter().filter(|change| change["code"] == self.code);
        let refused = refused.next().expect("it is refused");
        assert_eq!(refused["result"], "NotReached", "{ended:?}");
        assert!(changes.iter().any(|change| change["result"] == "Done"));
        assert!(printed["finishWith"].is_string(), "{ended:?}");
    }

    /// The report refuses what was asked for, with the code: while planning under `skipped`, later as a change that was not sent. Nothing
    /// that matters was written.
    pub(crate) fn assert_refused(&self, moment: Moment, ended: &Ended, what: &str) {
        let printed: Value = serde_json::from_str(&ended.stdout).expect(what);
        let rows = |field: &str| printed[field].as_array().expect(what).clone();
        let is_refused = |row: &&Value| row["code"] == self.code;
        let changes = rows("changes");
        let refused = match moment {
            Moment::Planning => rows("skipped").iter().find(is_refused).cloned(),
            Moment::Prompt => changes.iter().find(is_refused).cloned(),
        };
        let refused = refused.unwrap_or_else(|| panic!("no {}: {what}", self.code));
        if self.code == READ_ONLY.code {
            assert!(refused.to_string().contains("read-only"), "{what}");
        }
        let needed = changes.iter().filter(|change| change["action"] != "Event");
        let made: Vec<&Value> = needed
            .filter(|change| change["result"] != "NotReached")
            // That a set has less than it asks for is stated in its status.
            .filter(|change| change["target"]["kind"] != "PersistentVolumeSet")
            .collect();
        assert!(made.is_empty(), "{what}");
    }

    /// The command as a line of a shell, its standard output apart from the terminal.
    fn line(&self, inner: &Command) -> String {
        let mut line = String::from("exec");
        if self.as_other_user && rustix::process::geteuid().is_root() {
            line.push_str(" setpriv --reuid=65534 --regid=65534 --clear-groups");
        }
        let words = [inner.get_program()].into_iter().chain(inner.get_args());
        for word in words.filter(|word| *word != "--yes") {
            let word = word.to_str().expect("plain words");
            write!(line, " '{word}'").expect("a text");
        }
        line + " \"$@\" > \"$YARD/stdout\"\n"
    }
}
