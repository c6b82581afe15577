//! The `Warning:` headers of the API server, such as deprecations. kube drops them; kubectl prints
//! each once. Collected here, printed by whoever owns stderr.

use std::sync::{Arc, Mutex, PoisonError};

use http::{HeaderMap, Response, header::WARNING};

/// The warnings of one run, shared between the client and whoever prints them.
#[derive(Clone, Default)]
pub(crate) struct Warnings(Arc<Mutex<Collected>>);

#[derive(Default)]
struct Collected {
    texts: Vec<String>,
    /// How many of them were handed out.
    taken: usize,
}

impl Warnings {
    /// Those since the last call, in the order they came; a text that was seen before is not new.
    pub(crate) fn take(&self) -> Vec<String> {
        let mut collected = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = collected.texts[collected.taken..].to_vec();
        collected.taken = collected.texts.len();
        fresh
    }

    /// Notes the warnings of a response and passes it on.
    pub(super) fn note<B>(&self, response: Response<B>) -> Response<B> {
        let found = read(response.headers());
        if !found.is_empty() {
            let mut collected = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            for text in found {
                if !collected.texts.contains(&text) {
                    collected.texts.push(text);
                }
            }
        }
        response
    }
}

fn read(headers: &HeaderMap) -> Vec<String> {
    headers
        .get_all(WARNING)
        .iter()
        .filter_map(|value| std::str::from_utf8(value.as_bytes()).ok())
        .flat_map(read_value)
        .collect()
}

/// The texts in `299 - "one", 299 - "two"`; other codes are about caches (RFC 7234, 5.5).
fn read_value(value: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = value;
    while let Some((before, quoted)) = rest.split_once('"') {
        let Some((text, after)) = unquote(quoted) else {
            break;
        };
        let code = before.trim_start_matches([',', ' ']).split(' ').next();
        if code == Some("299") {
            texts.push(text);
        }
        rest = after;
    }
    texts
}

/// The text up to the closing quote, and what follows it.
fn unquote(quoted: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((text, &quoted[at + 1..])),
            '\\' => text.push(characters.next()?.1),
            _ => text.push(character),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(warnings: &[&str]) -> Response<()> {
        let mut response = Response::new(());
        for warning in warnings {
            response
                .headers_mut()
                .append(WARNING, warning.parse().unwrap());
        }
        response
    }

    #[test]
    fn each_text_is_handed_out_once() {
        let warnings = Warnings::default();
        warnings.note(answer(&[r#"299 - "v1beta1 is deprecated""#]));
        warnings.note(answer(&[
            r#"299 - "v1beta1 is deprecated""#,
            r#"299 - "second""#,
        ]));
        assert_eq!(warnings.take(), ["v1beta1 is deprecated", "second"]);
        warnings.note(answer(&[r#"299 - "second""#, r#"299 - "third""#]));
        assert_eq!(warnings.take(), ["third"]);
    }

    #[test]
    fn a_header_may_hold_several_with_quotes_and_dates() {
        let value = r#"299 - "use \"v1\"", 110 cache "stale", 299 - "two" "Wed, 21 Oct 2026 07:28:00 GMT", 299 - "open"#;
        assert_eq!(read_value(value), [r#"use "v1""#, "two"]);
    }
}
