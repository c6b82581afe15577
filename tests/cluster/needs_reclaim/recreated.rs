//! A claim is deleted, and while `reclaim` runs it is made anew under the same name and gets its volume back: all of that between
//! our reading and our lock. Nothing of it is touched, whatever was to become of it.

use std::fs;

use serde_json::json;

use super::moment::{self, Moment, first_write};
use super::stage::{on_a_plane, owner, reserve};
use crate::cluster::faults::proxy::Proxy;
use crate::cluster::report_check::OtherWrite;

fn claim_comes_back(policy: &'static str, arguments: &[&str], by_uid: bool) {
    on_a_plane("recreated", |scene, _, upstream| {
        let (api, volume) = (scene.api, scene.released("v", policy));
        let claim = scene.place.claim("claim-of-v", "1Gi");
        let file = scene.directory("v").join("file");
        let returned = {
            let (volume, claim, file) = (volume.clone(), claim.clone(), file.clone());
            Moment::new(first_write, move || {
                let is_untouched = fs::read_to_string(&file).is_ok_and(|text| text == "data");
                let claim = api.create(&claim);
                reserve(api, &volume, &claim, by_uid) && is_untouched
            })
        };
        let proxy = Proxy::start(upstream.address, returned.clone());
        let mut others = scene.taking("v");
        others.push(OtherWrite::object("PersistentVolumeClaim", "claim-of-v"));
        let ran = moment::run(scene, &proxy, "v", arguments, &others);
        assert!(returned.went_well());
        let said = format!("{}{}{}", ran.stdout, ran.stderr, proxy.show());
        let claim = api.find(&claim).expect("it is there");
        let found = scene.find("v").expect("it stays");
        assert_eq!(found["spec"]["claimRef"]["name"], "claim-of-v", "{said}");
        if by_uid {
            assert_eq!(*owner(&found), claim["metadata"]["uid"], "{said}");
            assert!(said.contains("another claim got it meanwhile"), "{said}");
        }
        assert!(found["metadata"]["deletionTimestamp"].is_null(), "{said}");
        assert_eq!(
            found["metadata"]["finalizers"],
            json!(["kubernetes.io/pv-protection"])
        );
        assert_eq!(found["spec"]["persistentVolumeReclaimPolicy"], policy);
        assert_eq!(fs::read_to_string(&file).ok().as_deref(), Some("data"));
    });
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn its_volume_is_not_deleted() {
    claim_comes_back("Delete", &[], true);
    claim_comes_back("Delete", &[], false);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn its_volume_is_not_emptied() {
    claim_comes_back("Recycle", &[], true);
    claim_comes_back("Recycle", &[], false);
}

#[test]
#[ignore = "needs a control plane: tests/run"]
fn its_volume_is_not_given_to_others() {
    claim_comes_back("Retain", &["--reuse"], true);
    claim_comes_back("Retain", &["--reuse"], false);
}
