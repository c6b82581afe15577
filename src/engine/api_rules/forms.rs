//! Forms of text that only the API server's validation and decoding ask for; names, labels and quantities are conventions.

use crate::conventions::base64;

/// Lower case as Go has it: one character for one.
pub(super) fn lower(text: &str) -> String {
    let simple = |c: char| match c {
        'İ' => 'i',
        c => c.to_lowercase().next().unwrap_or(c),
    };
    text.chars().map(simple).collect()
}

/// How many bytes a base64 text holds, if it is one.
pub(super) fn base64_length(text: &str) -> Option<usize> {
    base64::decode(text).map(|bytes| bytes.len())
}

/// Whether Go's `time.Parse` takes it for RFC 3339. It is laxer than the standard: an hour may have one digit, a comma may
/// stand before the fraction, and an offset is hardly looked at.
pub(super) fn is_time(text: &str) -> bool {
    read_time(text).is_some()
}

fn read_time(text: &str) -> Option<()> {
    let (year, rest) = digits(text, 4)?;
    let (month, rest) = digits(rest.strip_prefix('-')?, 2)?;
    let (day, rest) = digits(rest.strip_prefix('-')?, 2)?;
    let rest = rest.strip_prefix('T')?;
    let (hour, rest) = digits(rest, 2).or_else(|| digits(rest, 1))?;
    let (minute, rest) = digits(rest.strip_prefix(':')?, 2)?;
    let (second, mut rest) = digits(rest.strip_prefix(':')?, 2)?;
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() == fraction.len() {
            return None;
        }
    }
    let zone_fits = match rest.strip_prefix(['+', '-']) {
        None => rest == "Z",
        Some(zone) => {
            let (hours, rest) = digits(zone, 2)?;
            let (minutes, rest) = digits(rest.strip_prefix(':')?, 2)?;
            rest.is_empty() && hours <= 24 && minutes <= 60
        }
    };
    let fits = (1..=12).contains(&month)
        && (1..=days_in(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60
        && zone_fits;
    fits.then_some(())
}

fn digits(text: &str, count: usize) -> Option<(u32, &str)> {
    let (head, rest) = text.split_at_checked(count)?;
    let all = head.bytes().all(|b| b.is_ascii_digit());
    Some((head.parse().ok().filter(|_| all)?, rest))
}

fn days_in(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Whether an iSCSI name has one of its three forms. The server looks for the first of them anywhere in the text.
pub(super) fn is_iscsi_name(name: &str) -> bool {
    let suffix = |start: &str, length: usize| {
        let mut rest = name.strip_prefix(start).unwrap_or("").chars();
        let separator = rest.next().is_some_and(|c| c != '\n');
        let rest = rest.as_str();
        separator && rest.len() == length && rest.bytes().all(|b| b.is_ascii_alphanumeric())
    };
    match name.get(..3) {
        Some("iqn") => name
            .match_indices("iqn.")
            .any(|(at, head)| is_qualified_iscsi_name(&name[at + head.len()..])),
        Some("eui") => suffix("eui", 16),
        Some("naa") => suffix("naa", 32),
        _ => false,
    }
}

/// The part after `iqn.`: `2003-01.org.example:name`.
fn is_qualified_iscsi_name(rest: &str) -> bool {
    let after_month = || {
        let (_, rest) = digits(rest, 4)?;
        let (_, rest) = digits(rest.strip_prefix('-')?, 2)?;
        rest.strip_prefix('.')
    };
    let Some((authority, name)) = after_month().and_then(|rest| rest.split_once(':')) else {
        return false;
    };
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-.".contains(&b);
    !authority.is_empty()
        && authority.bytes().all(plain)
        && !name.is_empty()
        && !name.bytes().any(|b| b",;*&$| \t\n\r\x0c".contains(&b))
}

/// Whether it is a host and a port, as Go's `net.SplitHostPort` sees it: neither of them is looked at.
pub(super) fn is_host_and_port(text: &str) -> bool {
    let Some(colon) = text.rfind(':') else {
        return false;
    };
    match text.strip_prefix('[').map(|rest| rest.find(']')) {
        None => !text[..colon].contains(':') && !text.contains(['[', ']']),
        Some(None) => false,
        Some(Some(length)) => {
            let end = length + 1;
            end + 1 == colon && !text[1..].contains('[') && !text[end + 1..].contains(']')
        }
    }
}

/// Whether a path has an element `..`.
pub(super) fn has_backsteps(path: &str) -> bool {
    path.split('/').any(|element| element == "..")
}

/// Whether a path is another way to write `/`.
pub(super) fn is_root(path: &str) -> bool {
    let depth = path
        .split('/')
        .fold(0_usize, |depth, element| match element {
            "" | "." => depth,
            ".." => depth.saturating_sub(1),
            _ => depth + 1,
        });
    path.starts_with('/') && depth == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_go_reads_it() {
        for (text, length) in [
            ("", Some(0)),
            ("YWJj", Some(3)),
            ("YW\nI=\r\n", Some(2)),
            ("YR==", Some(1)),
            ("YQ=", None),
            ("Y===", None),
            ("YQ==YQ==", None),
            ("Y-Jj", None),
            (" YWJj", None),
        ] {
            assert_eq!(base64_length(text), length, "{text:?}");
        }
    }

    #[test]
    fn times_as_go_reads_them() {
        for good in [
            "2006-01-02T15:04:05Z",
            "2006-01-02T5:04:05Z",
            "0000-02-29T15:04:05.123456789012+24:60",
            "2006-01-02T15:04:05,5-07:00",
        ] {
            assert!(is_time(good), "{good}");
        }
        for bad in [
            "2006-1-02T15:04:05Z",
            "2006-01-02 15:04:05Z",
            "2006-01-02T15:04:05",
            "2006-01-02T15:04:05.Z",
            "2006-01-02T24:00:00Z",
            "2006-01-02T15:04:05+25:00",
            "2006-01-02T15:04:05z",
            "2006-01-02T15:04:05Z ",
            "2006-00-02T15:04:05Z",
        ] {
            assert!(!is_time(bad), "{bad}");
        }
    }

    #[test]
    fn iscsi_names_hosts_and_paths() {
        assert!(is_iscsi_name("iqn.2003-01.org.linux-iscsi:x.y"));
        assert!(is_iscsi_name("iqn-and-iqn.2003-01.a:b"));
        assert!(!is_iscsi_name("iqn.2003-01.org.linux-iscsi"));
        assert!(!is_iscsi_name("iqn.2003-01.org:a b"));
        assert!(is_iscsi_name("eui.0123456789abcdef"));
        assert!(!is_iscsi_name("eui.0123456789abcde"));
        assert!(is_iscsi_name(&format!("naa.{}", "0".repeat(32))));
        assert!(is_host_and_port("[::1]:80") && is_host_and_port(":") && is_host_and_port("a:"));
        assert!(!is_host_and_port("a") && !is_host_and_port("a:b:c") && !is_host_and_port("[::1]"));
        assert!(!is_host_and_port("") && !is_host_and_port("[a]b:1") && !is_host_and_port("a]:1"));
        assert!(is_root("/") && is_root("//a/../.") && !is_root("") && !is_root("/a"));
    }
}
