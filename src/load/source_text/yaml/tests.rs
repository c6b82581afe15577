//! What kubectl's reader makes of YAML.

use super::super::json::spell;
use super::*;

fn tree(text: &str, lines_above: usize) -> Result<Option<Node>, TreeError> {
    read(text, lines_above).map(|read| read.root)
}

fn json(text: &str) -> String {
    spell(&tree(text, 0).unwrap().unwrap())
}

#[test]
fn trees_keep_order_and_places() {
    let root = tree("b: 1\na:\n  - x: yes\n    z: \"yes\"\n", 0)
        .unwrap()
        .unwrap();
    assert_eq!(spell(&root), r#"{"b":1,"a":[{"x":true,"z":"yes"}]}"#);
    assert_eq!(root.place_of("a[0].z"), Place { line: 4, column: 5 });
    assert_eq!(root.get("a").unwrap().items()[0].place.line, 3);
}

#[test]
fn merges_and_aliases_are_followed() {
    let text = "base: &b {x: 1, z: 2}\none: {<<: *b, z: 3}\ntwo: {z: 3, <<: *b}\nthree: {<<: [{x: 8}, *b]}\n";
    assert_eq!(
        json(text),
        r#"{"base":{"x":1,"z":2},"one":{"x":1,"z":3},"two":{"z":2,"x":1},"three":{"x":8,"z":2}}"#
    );
    assert!(tree("a: {<<: 5}", 0).is_err());
}

#[test]
fn keys_are_texts_and_stand_once() {
    assert_eq!(
        json("yes: 1\n2: x\n1.5: w\n"),
        r#"{"true":1,"2":"x","1.5":"w"}"#
    );
    let error = tree("a: 1\nb: 2\na: 3\n", 0).unwrap_err();
    assert_eq!(error.place, Place { line: 3, column: 1 });
    assert!(tree("{yes: 1, 'true': 2}", 0).is_err());
    assert_eq!(json(".inf: 1"), r#"{".inf":1}"#);
    assert!(tree("a: .inf", 0).is_err());
    assert!(tree("~: 1", 0).is_err());
    assert!(tree("[a]: 1", 0).is_err());
}

#[test]
fn nothing_is_nothing() {
    assert_eq!(tree("# only words\n", 0).unwrap(), None);
    assert_eq!(
        tree("---\n", 0).unwrap().map(|node| node.is_null()),
        Some(true)
    );
}

#[test]
fn a_tag_takes_a_comma_with_it() {
    assert!(tree("{a: !!str, b: 1}", 0).is_err());
    assert!(tree("[!!str]", 0).is_err());
    assert_eq!(json("{a: !!str , b: 1}"), r#"{"a":"","b":1}"#);
    assert_eq!(json("{a: !!str x, b: !!str }"), r#"{"a":"x","b":""}"#);
    assert!(tree("{a: !!str}", 0).is_err());
}

/// What kubectl's reader and the YAML of today see differently.
#[test]
fn yaml_is_that_of_kubectl() {
    assert_eq!(json("{a: -}"), r#"{"a":"-"}"#);
    assert_eq!(json("a: x\u{2028}  y"), "{\"a\":\"x\u{2028}y\"}");
    for tab in [
        "\t\na: 1\n",
        "a:\n\t\n  b: 1\n",
        "a: b\n\t# c\nc: d\n",
        "a: |\n\tx\n",
    ] {
        assert!(tree(tab, 0).is_err(), "{tab:?}");
    }
    assert_eq!(json("a:\t1\t# c\nb: [1,\t2]\n"), r#"{"a":1,"b":[1,2]}"#);
    assert!(tree("a: b: c\n", 0).is_err());
    assert!(tree("a: @b\n", 0).is_err());
    assert!(tree("%YAML 1.2\n---\na: 1\n", 0).is_err());
    assert!(tree("a: \u{7}\n", 0).is_err());
    assert_eq!(json("- a\n-\n- - b\n"), r#"["a",null,["b"]]"#);
    assert_eq!(json("a:\n- b\nc: d\n"), r#"{"a":["b"],"c":"d"}"#);
    assert_eq!(
        json("a: >-\n  x\n  y\n\n  z\nb: |+\n  t\n\n"),
        "{\"a\":\"x y\\nz\",\"b\":\"t\\n\\n\"}"
    );
    assert_eq!(
        json("a: \"x\\\n  y\\u00e9\"\nb: 'it''s'\n"),
        "{\"a\":\"xyé\",\"b\":\"it's\"}"
    );
    assert_eq!(json("[a: b, {c}]"), r#"[{"a":"b"},{"c":null}]"#);
    assert_eq!(json("? a\n: b\n"), r#"{"a":"b"}"#);
}

#[test]
fn what_follows_the_end_is_left_over() {
    let left_over = |text: &str| read(text, 0).unwrap().left_over.map(|place| place.line);
    assert_eq!(left_over("{a: 1}\n{b: 2}\n"), Some(2));
    assert_eq!(left_over("a: 1\n...\n# the end\n"), None);
    assert_eq!(left_over("a: 1\n...\nb: 2\n"), Some(3));
}

#[test]
fn depth_is_bounded() {
    assert!(tree(&"[".repeat(2_000), 0).is_err());
    let deep: Vec<String> = (0..500)
        .map(|level| format!("{}a:", " ".repeat(level)))
        .collect();
    assert!(tree(&deep.join("\n"), 0).is_err());
}
