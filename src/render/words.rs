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

fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{61c}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_and_words_left_alone() {
        assert_eq!(safe("pv-a ü 日本"), "pv-a ü 日本");
        assert_eq!(safe("a\u{1b}[2Jb\r\n"), "a^[[2Jb\\r\\n");
        assert_eq!(safe("\u{202e}gnp"), "\\u{202e}gnp");
        assert_eq!(safe("\u{9b}31m"), "\\u{9b}31m");
    }
}
