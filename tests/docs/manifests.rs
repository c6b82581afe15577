//! The YAML of the pages can be used as it stands: manifests are valid, and maps of backends are read.

use super::page::pages;
use super::sandbox::Sandbox;

#[test]
fn every_manifest_is_valid_and_every_map_of_backends_is_read() {
    let sandbox = Sandbox::new();
    let mut tested = 0;
    for page in pages() {
        for block in page
            .blocks()
            .iter()
            .filter(|block| block.language == "yaml")
        {
            sandbox.write("block.yaml", &sandbox.standing_in(&block.piece.text));
            let is_manifest = block.piece.text.contains("kind:");
            let line = if is_manifest {
                "validate --offline --strict -f block.yaml"
            } else {
                "describe-class -f examples/provision --backends block.yaml"
            };
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let ran = sandbox.run(&words);
            let place = &block.piece.place;
            assert_eq!(ran.status, 0, "{place}: {}{}", ran.stdout, ran.stderr);
            tested += 1;
        }
    }
    assert!(tested > 1, "only {tested} blocks of YAML were found");
}
