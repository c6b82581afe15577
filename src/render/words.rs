//! Text from the cluster, made safe for a terminal.

use std::borrow::Cow;

/// Makes control, escape and bidirectional characters visible: whoever names an object must not be able to move the
/// cursor, hide text or turn it round.
pub(crate) fn safe(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let shown = |character: char| -> String {
        match character {
            '\n' => "\\n".to_owned(),
            '\r' => "\\r".to_owned(),
            '\t' => "\\t".to_owned(),
            '\u{1b}' => "^[".to_owned(),
            c if is_unsafe(c) => format!("\\u{{{:x}}}", c as u32),
            c => c.to_string(),
        }
    };
    Cow::Owned(text.chars().map(shown).collect())
}

/// How long something lasts, as kubectl prints it: two units while they matter, one afterwards.
pub(super) fn age(seconds: i64) -> String {
    const MINUTE: i64 = 60;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    const YEAR: i64 = 365 * DAY;
    let two = |large: i64, unit: &str, small: i64, rest: &str| match seconds % large / small {
        0 => format!("{}{unit}", seconds / large),
        left => format!("{}{unit}{left}{rest}", seconds / large),
    };
    match seconds {
        ..0 => "0s".to_owned(),
        s if s < 2 * MINUTE => format!("{s}s"),
        s if s < 10 * MINUTE => two(MINUTE, "m", 1, "s"),
        s if s < 3 * HOUR => format!("{}m", s / MINUTE),
        s if s < 8 * HOUR => two(HOUR, "h", MINUTE, "m"),
        s if s < 2 * DAY => format!("{}h", s / HOUR),
        s if s < 8 * DAY => two(DAY, "d", HOUR, "h"),
        s if s < 2 * YEAR => format!("{}d", s / DAY),
        s if s < 8 * YEAR => two(YEAR, "y", DAY, "d"),
        s => format!("{}y", s / YEAR),
    }
}

pub(super) fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{61c}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_those_of_kubectl() {
        for (seconds, text) in [
            (-5, "0s"),
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (310, "5m10s"),
            (3 * 3600 - 1, "179m"),
            (3 * 3600 + 60, "3h1m"),
            (30 * 3600, "30h"),
            (3 * 86_400, "3d"),
            (3 * 86_400 + 7200, "3d2h"),
            (41 * 86_400, "41d"),
            (3 * 365 * 86_400 + 86_400, "3y1d"),
            (9 * 365 * 86_400, "9y"),
        ] {
            assert_eq!(age(seconds), text, "{seconds}");
        }
    }

    #[test]
    fn control_characters_are_shown_and_words_left_alone() {
        assert_eq!(safe("pv-a ü 日本"), "pv-a ü 日本");
        assert_eq!(safe("a\u{1b}[2Jb\r\n"), "a^[[2Jb\\r\\n");
        assert_eq!(safe("\u{202e}gnp"), "\\u{202e}gnp");
        assert_eq!(safe("\u{9b}31m"), "\\u{9b}31m");
    }
}
