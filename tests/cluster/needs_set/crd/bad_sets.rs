//! Sets with one fault each, and what the server must say of it.

use serde_json::{Value, json};

use super::good_sets::{base, with_backend, with_source};

pub(super) struct Bad {
    pub(super) what: String,
    pub(super) set: Value,
    /// Words that tell the fault.
    pub(super) says: &'static str,
}

/// Where, what stands there instead (nothing: it is taken away), and the words that tell of it.
type Fault = (&'static str, Option<Value>, &'static str);

/// Makes one fault; keys have slashes and dots, so steps are parted by `|`.
fn with(mut set: Value, path: &str, value: Option<Value>) -> Value {
    let (parent, key) = path.rsplit_once('|').unwrap_or(("", path));
    let steps = parent.split('|').filter(|step| !step.is_empty());
    let place = steps.fold(&mut set, |node, step| &mut node[step]);
    match value {
        Some(value) => place[key] = value,
        None => drop(place.as_object_mut().unwrap().remove(key)),
    }
    set
}

const LABELS: &str = "the template must have every label of the selector";
const KEY: &str = "a key must be a label key";
const BY: &str = "spec|template|metadata|annotations|pv.kubernetes.io/provisioned-by";

#[rustfmt::skip]
fn faults() -> Vec<Fault> {
    let many: Value = (0..40)
        .map(|number| (format!("k{number}"), json!("x")))
        .collect::<serde_json::Map<_, _>>()
        .into();
    vec![
        ("metadata|name", Some(json!("Crd_Set")), "RFC 1123"),
        ("spec", None, "spec: Required value"),
        ("spec", Some(json!("text")), "must be of type object"),
        ("spec|minimumReplicas", None, "spec.minimumReplicas: Required value"),
        ("spec|minimumReplicas", Some(json!(null)), "spec.minimumReplicas: Required value"),
        ("spec|minimumReplicas", Some(json!(-1)), "greater than or equal to 0"),
        ("spec|minimumReplicas", Some(json!(4)), "minimumReplicas must not be above maximumReplicas"),
        ("spec|minimumReplicas", Some(json!("1")), "must be of type integer"),
        ("spec|minimumReplicas", Some(json!(1.5)), "must be of type int32"),
        ("spec|minimumReplicas", Some(json!(true)), "must be of type int32"),
        ("spec|maximumReplicas", None, "spec.maximumReplicas: Required value"),
        ("spec|maximumReplicas", Some(json!(-3)), "greater than or equal to 0"),
        ("spec|maximumReplicas", Some(json!(3_000_000_000_u32)), "format int32"),
        ("spec|selector", None, "spec.selector: Required value"),
        ("spec|selector", Some(json!({})), "at least 1 properties"),
        ("spec|selector", Some(json!({"pool": null})), "at least 1 properties"),
        ("spec|selector", Some(json!([])), "must be of type object"),
        ("spec|selector", Some(many), "must have at most 32 items"),
        ("spec|selector", Some(json!({"a b": "x"})), KEY),
        ("spec|selector", Some(json!({"/x": "x"})), KEY),
        ("spec|selector|pool", Some(json!("other")), LABELS),
        ("spec|selector|more", Some(json!("x")), LABELS),
        ("spec|selector|pool", Some(json!("-")), "should match"),
        ("spec|selector|pool", Some(json!("x".repeat(64))), "may not be more than 63 bytes"),
        ("spec|selector|pool", Some(json!(5)), "must be of type string"),
        ("spec|template", None, "spec.template: Required value"),
        ("spec|template|metadata", None, LABELS),
        ("spec|template|metadata|labels", None, LABELS),
        ("spec|template|metadata|labels|a/b/c", Some(json!("x")), KEY),
        ("spec|template|metadata|labels|tier", Some(json!("a b")), "should match"),
        ("spec|template|metadata|name", Some(json!("always")), "must have {ordinal} in it"),
        ("spec|template|metadata|name", Some(json!("{set}")), "must have {ordinal} in it"),
        ("spec|template|metadata|name", Some(json!("Set-{ordinal}")), "must be a volume's"),
        ("spec|template|metadata|name", Some(json!("{ordinal}-")), "must be a volume's"),
        ("spec|template|metadata|name", Some(json!("")), "at least 1 chars long"),
        ("spec|template|metadata|name", Some(json!(format!("{}{{ordinal}}", "a".repeat(250)))), "may not be more than 253 bytes"),
        (BY, Some(json!("example.com/disks")), "leave out either the source or the annotation"),
        (BY, Some(json!("kubernetes.io/nfs")), "must not begin with kubernetes.io/"),
        (BY, Some(json!("")), "provisioned-by is empty"),
        ("spec|template|spec", None, "spec.template.spec: Required value"),
        ("spec|template|spec|capacity", None, "spec.template.spec.capacity: Required value"),
        ("spec|template|spec|capacity", Some(json!({})), "capacity.storage: Required value"),
        ("spec|template|spec|capacity|cpu", Some(json!("1")), "a volume has one capacity: storage"),
        ("spec|template|spec|capacity|storage", Some(json!("0")), "must be above zero"),
        ("spec|template|spec|capacity|storage", Some(json!(0)), "must be above zero"),
        ("spec|template|spec|capacity|storage", Some(json!("-1Gi")), "must be above zero"),
        ("spec|template|spec|capacity|storage", Some(json!("10 Gi")), "should match"),
        // Over this one a server would be busy for minutes, if it tried.
        ("spec|template|spec|capacity|storage", Some(json!("1e99999999999")), "should match"),
        ("spec|template|spec|capacity|storage", Some(json!("1".repeat(65))), "may not be more than 64 bytes"),
        ("spec|template|spec|capacity|storage", Some(json!(["1Gi"])), "must be of type integer,string"),
        ("spec|template|spec|accessModes", None, "accessModes: Required value"),
        ("spec|template|spec|accessModes", Some(json!([])), "at least 1 items"),
        ("spec|template|spec|accessModes", Some(json!(["RWO"])), "Unsupported value: \"RWO\""),
        ("spec|template|spec|accessModes", Some(json!("ReadWriteOnce")), "must be of type array"),
        ("spec|template|spec|accessModes", Some(json!([null])), "must be of type string"),
        ("spec|template|spec|accessModes", Some(json!(["ReadWriteOncePod", "ReadWriteMany"])), "ReadWriteOncePod must stand alone"),
        ("spec|template|spec|volumeMode", Some(json!("Raw")), "Unsupported value: \"Raw\""),
        ("spec|template|spec|persistentVolumeReclaimPolicy", Some(json!("Keep")), "Unsupported value: \"Keep\""),
        ("spec|template|spec|claimRef", Some(json!({"name": "data", "namespace": "default"})), "must not have a claimRef"),
        ("spec|template|spec|nfs", None, "a source is missing"),
        ("spec|template|spec|hostPath", Some(json!({"path": "/x"})), "there must be one source, not several"),
        ("spec|template|spec|flexVolume", Some(json!({"driver": "d"})), "there must be one source, not several"),
        ("spec|template|spec|nfs|server", Some(json!(5)), "must be of type string"),
        ("spec|template|spec|nfs|readOnly", Some(json!("yes")), "must be of type boolean"),
        ("spec|template|spec|mountOptions", Some(json!("ro")), "must be of type array"),
    ]
}

pub(super) fn all() -> Vec<Bad> {
    let one = |(path, value, says): Fault| Bad {
        what: format!("{path} = {value:?}"),
        set: with(base(), path, value),
        says,
    };
    let mut all: Vec<Bad> = faults().into_iter().map(one).collect();
    let lun = json!({"targetPortal": "p", "iqn": "iqn.2001-04.com.example:a", "lun": "x"});
    let more = [
        (with_source("iscsi", lun), "must be of type integer"),
        (
            with(with_backend(), BY, Some(json!(""))),
            "provisioned-by is empty",
        ),
        (
            with(with_backend(), BY, Some(json!("kubernetes.io/host-path"))),
            "must not begin with kubernetes.io/",
        ),
        (with(with_backend(), BY, None), "a source is missing"),
    ];
    all.extend(more.into_iter().map(|(set, says)| Bad {
        what: set.to_string(),
        set,
        says,
    }));
    all
}
