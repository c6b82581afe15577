//! base64 as Go reads it: padded, line ends allowed anywhere, spare bits ignored.

/// The bytes of a base64 text, if it is one.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let all: Vec<u8> = text
        .bytes()
        .filter(|byte| !matches!(byte, b'\r' | b'\n'))
        .collect();
    let padding = all.iter().rev().take_while(|byte| **byte == b'=').count();
    if !all.len().is_multiple_of(4) || padding > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(all.len() / 4 * 3);
    for group in all[..all.len() - padding].chunks(4) {
        let mut bits = 0_u32;
        for symbol in group {
            bits = bits << 6 | u32::from(value(*symbol)?);
        }
        // Two symbols hold one byte, three hold two.
        bits <<= 6 * (4 - group.len());
        bytes.extend(bits.to_be_bytes()[1..].iter().take(group.len() - 1));
    }
    Some(bytes)
}

fn value(symbol: u8) -> Option<u8> {
    Some(match symbol {
        b'A'..=b'Z' => symbol - b'A',
        b'a'..=b'z' => symbol - b'a' + 26,
        b'0'..=b'9' => symbol - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_every_length() {
        for (text, bytes) in [
            ("", ""),
            ("aA==", "h"),
            ("aGU=", "he"),
            ("aGVs", "hel"),
            ("aGVs\r\nbG8=", "hello"),
        ] {
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        for text in ["a", "aA", "aA=", "a===", "====", "aA==aA==", "a-__", "a A="] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
