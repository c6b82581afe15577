//! What the pages link to exists: files and folders of the repository, and headings of pages. Every page in docs/ can be reached
//! from its index, and the index from README.md.

use super::page::{Page, other_pages, pages, repository};
use std::path::{Component, Path, PathBuf};

/// The targets of the links in a text, outside of code.
fn targets(page: &Page) -> Vec<String> {
    let prose = page.prose();
    let ends = prose.split("](").skip(1);
    ends.filter_map(|rest| rest.split(')').next())
        .map(str::to_owned)
        .collect()
}

/// `docs/../deploy` is `deploy`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                assert!(normal.pop(), "{} leaves the repository", path.display());
            }
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}

/// The file and the heading that a link on this page means.
fn meant(page: &Page, target: &str) -> (PathBuf, Option<String>) {
    let (path, heading) = match target.split_once('#') {
        Some((path, heading)) => (path, Some(heading.to_owned())),
        None => (target, None),
    };
    let own = Path::new(&page.path);
    let path = if path.is_empty() {
        own.to_owned()
    } else {
        own.parent().unwrap_or(Path::new("")).join(path)
    };
    (normal(&path), heading)
}

/// A heading as code hosts spell it in addresses.
fn slug(heading: &str) -> String {
    let kept = |letter: &char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
    heading
        .to_lowercase()
        .chars()
        .filter(kept)
        .collect::<String>()
        .replace(' ', "-")
}

fn broken(page: &Page) -> Vec<String> {
    let mut broken = Vec::new();
    for target in targets(page) {
        if target.starts_with("https://") {
            continue;
        }
        let (path, heading) = meant(page, &target);
        let exists = repository().join(&path).exists();
        let has_heading = heading.is_none_or(|heading| {
            exists && {
                let linked = Page::read(path.display().to_string());
                let mut lines = linked
                    .text
                    .lines()
                    .filter_map(|line| line.strip_prefix('#'));
                lines.any(|line| slug(line.trim_start_matches('#').trim()) == heading)
            }
        });
        if !exists || !has_heading {
            broken.push(format!("{}: {target}", page.path));
        }
    }
    broken
}

#[test]
fn every_link_leads_somewhere() {
    let mut pages = pages();
    pages.extend(other_pages());
    let tested: usize = pages.iter().map(|page| targets(page).len()).sum();
    assert!(tested > 20, "only {tested} links were found");
    let broken: Vec<String> = pages.iter().flat_map(broken).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_page_is_in_the_index() {
    let linked = |from: &str| -> Vec<PathBuf> {
        let page = Page::read(from.to_owned());
        targets(&page)
            .iter()
            .map(|target| meant(&page, target).0)
            .collect()
    };
    assert!(linked("README.md").contains(&PathBuf::from("docs/README.md")));
    let index = linked("docs/README.md");
    for page in pages() {
        let is_index = page.path == "docs/README.md";
        let is_linked = index.contains(&PathBuf::from(&page.path));
        assert!(
            is_index || is_linked,
            "docs/README.md does not link to {}",
            page.path
        );
    }
}

#[test]
fn broken_links_are_found() {
    let page = Page {
        path: "docs/page.md".to_owned(),
        text: "[a](../deploy) [b](no-such.md) [c](../README.md#no-such-heading) [d](https://example.com)\n".to_owned(),
    };
    assert_eq!(
        broken(&page),
        [
            "docs/page.md: no-such.md",
            "docs/page.md: ../README.md#no-such-heading"
        ]
    );
}
