//! Objects that follow each other with nothing between them: no YAML, but what documents for people print.

use super::each_document;

/// The text with `---` put between such objects, and the lines where that was done.
pub(in crate::load) fn mend(text: &str) -> (String, Vec<usize>) {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut mended = Vec::new();
    // Each round ends one object earlier than the last, so there are no more rounds than lines.
    while let Some(line) = second_object(&lines.join("\n")) {
        let above = line - 2;
        if lines.get(above).is_some_and(|line| line.trim().is_empty()) {
            "---".clone_into(&mut lines[above]);
        } else {
            lines.insert(line - 1, "---".to_owned());
        }
        mended.push(line);
    }
    let mut text = lines.join("\n");
    text.push('\n');
    (text, mended)
}

/// The line where a document begins to be another object: it says a second time what it is, at its outermost level.
fn second_object(text: &str) -> Option<usize> {
    let errors = each_document(text).into_iter().filter_map(Result::err);
    let mut repeated = errors.filter(|error| {
        matches!(error.repeated_key.as_deref(), Some("apiVersion" | "kind"))
            && error.line > 1
            && is_outermost(text, error.line, error.column)
    });
    repeated.next().map(|error| error.line)
}

fn is_outermost(text: &str, line: usize, column: usize) -> bool {
    let above: Vec<&str> = text.lines().take(line - 1).collect();
    let start = above
        .iter()
        .rposition(|line| line.starts_with("---"))
        .map_or(0, |index| index + 1);
    let is_content = |line: &&&str| {
        let line = line.trim_start();
        !line.is_empty() && !line.starts_with('#')
    };
    let first = above[start..].iter().find(is_content);
    first.is_some_and(|first| first.len() - first.trim_start().len() + 1 == column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_without_a_separator_are_parted() {
        let (text, mended) = mend("kind: A\nx: 1\n\nkind: B\nref:\n  kind: C\nkind: D\n");
        assert_eq!(
            text,
            "kind: A\nx: 1\n---\nkind: B\nref:\n  kind: C\n---\nkind: D\n"
        );
        assert_eq!(mended, [4, 7]);
    }

    #[test]
    fn a_repeated_key_inside_an_object_stays_an_error() {
        let text = "kind: A\nref:\n  kind: C\n  kind: D\n";
        assert_eq!(mend(text), (text.to_owned(), vec![]));
        assert!(mend("kind: A\nx: 1\nx: 2\n").1.is_empty());
    }
}
