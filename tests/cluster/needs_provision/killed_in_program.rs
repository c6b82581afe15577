//! `provision` is killed while its `exec` program works: before the program made the directory, after,
//! and so that the program goes on without anybody to tell.

use super::judge::{not_served, wrongs};
use super::scene::{Kind, Scene};
use crate::cluster::control_plane::ControlPlane;
use crate::cluster::faults::api::Upstream;
use crate::cluster::faults::deadly_program::{await_end, deadly_program};
use crate::cluster::faults::difference::differences;
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::faults::script::Pass;
use crate::cluster::faults::subject::Subject;

fn provision_again(at_first_create: &str) {
    let cluster = ControlPlane::connect();
    let upstream = Upstream::of(&cluster);
    let proxy = Proxy::start(upstream.address, Pass);
    let expected = {
        let scene = Scene::create(upstream.api(), "undisturbed", Kind::Exec);
        let ran = scene.provision(proxy.kubeconfig(), &["data"]).ran();
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let form = scene.normal_form();
        scene.clear();
        form
    };
    let mut scene = Scene::create(upstream.api(), "undisturbed", Kind::Exec);
    let program = scene
        .yard
        .program("deadly", &deadly_program("create", at_first_create));
    scene.program = program.to_str().map(str::to_owned);
    let command = || scene.provision(proxy.kubeconfig(), &["data"]).command();
    let first = Subject::start(command()).wait();
    // A signal that asks the run to stop lets it finish the object at hand.
    let is_asked_to_stop = at_first_create.contains("-INT");
    assert_eq!(first.status == Some(0), is_asked_to_stop, "{first:?}");
    let site = scene.site();
    let before = site.read();
    let second = Subject::start(command()).wait();
    let untrue = site.false_report(&before, &second, &[]);
    assert_eq!(untrue, [""; 0], "{second:?}");
    assert_eq!(second.status, Some(0), "{second:?}\n{}", proxy.show());
    await_end(&program);
    let mut wrong = wrongs(&scene);
    wrong.extend(not_served(&scene));
    wrong.extend(differences(&expected, &scene.normal_form()));
    assert_eq!(wrong, [""; 0], "{}", proxy.show());
    scene.clear();
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn before_the_directory_is_made() {
    provision_again("kill -9 $PPID; exit 3");
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn after_the_directory_is_made() {
    provision_again("work >/dev/null; kill -9 $PPID; exit 3");
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn while_the_program_goes_on() {
    provision_again("kill -9 $PPID; sleep 0.3; work; exit 0");
}

/// Ctrl-C, which a program of ours may hear and end in order.
#[test]
#[ignore = "needs a control plane: tests/run"]
fn interrupted_while_the_program_goes_on() {
    provision_again("kill -INT $PPID; sleep 0.3; work; exit 0");
}
