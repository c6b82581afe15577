//! Small words for the sentences of reports: counts, lists, sizes.

/// `1 volume`, `2 volumes`.
pub fn plural(count: usize, noun: &str) -> String {
    if count == 1 {
        format!("1 {noun}")
    } else {
        format!("{count} {noun}s")
    }
}

/// `a, b and c`.
pub fn join_and<S: AsRef<str>>(items: &[S]) -> String {
    join(items, "and")
}

/// `a, b or c`.
pub fn join_or<S: AsRef<str>>(items: &[S]) -> String {
    join(items, "or")
}

fn join<S: AsRef<str>>(items: &[S], last: &str) -> String {
    match items {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        [init @ .., end] => {
            let init: Vec<&str> = init.iter().map(AsRef::as_ref).collect();
            format!("{} {last} {}", init.join(", "), end.as_ref())
        }
    }
}

/// What is said where something is not there and something like it is: `did you mean a or b?`; nothing if nothing is like it.
pub fn did_you_mean<S: AsRef<str>>(similar: &[S]) -> Option<String> {
    (!similar.is_empty()).then(|| format!("did you mean {}?", join_or(similar)))
}

/// So many of a long list are named in a sentence.
pub const FEW: usize = 12;

/// The beginning of a long list, so that a sentence stays one: `a, b, c and 7 more`.
pub fn few<S: AsRef<str>>(all: &[S]) -> Vec<String> {
    few_of(all, all.len())
}

/// The same, where only the first are at hand: at least [`FEW`] of them, or all.
pub fn few_of<S: AsRef<str>>(first: &[S], total: usize) -> Vec<String> {
    let mut few: Vec<String> = first
        .iter()
        .take(FEW)
        .map(|item| item.as_ref().to_owned())
        .collect();
    if total > FEW {
        few.push(format!("{} more", total - FEW));
    }
    few
}

/// A number of bytes for people: `703 MiB`, `1.5 GiB`, `12 bytes`. Rounded to what the eye needs.
pub fn amount(bytes: i128) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} byte{}", if bytes == 1 { "" } else { "s" });
    }
    let mut unit = 0;
    let mut scale: i128 = 1024;
    while unit + 1 < UNITS.len() && bytes / scale >= 1024 {
        scale *= 1024;
        unit += 1;
    }
    let (whole, tenths) = (bytes / scale, bytes % scale * 10 / scale);
    if whole >= 10 || tenths == 0 {
        format!("{whole} {}", UNITS[unit])
    } else {
        format!("{whole}.{tenths} {}", UNITS[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        assert_eq!(plural(1, "volume"), "1 volume");
        assert_eq!(plural(0, "volume"), "0 volumes");
        assert_eq!(
            did_you_mean(&["a", "b"]).as_deref(),
            Some("did you mean a or b?")
        );
        assert_eq!(did_you_mean::<&str>(&[]), None);
        assert_eq!(few(&["a"; 14]).len(), 13);
        assert_eq!(join_or(&["a", "b", "c"]), "a, b or c");
        assert_eq!(amount(737_418_240), "703 MiB");
        assert_eq!(amount(1_610_612_736), "1.5 GiB");
        assert_eq!(amount(1), "1 byte");
    }
}
