//! What an asset may be called. Names come from uids and from the paths of volumes, and the latter are not to be trusted: what
//! is not plainly a name is none.

use std::fmt;

/// Room is left for the suffixes of our records below the 255 bytes a file name may have.
const LONGEST: usize = 200;

/// A name that is one component of a path, without anything special about it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssetName(Box<str>);

impl AssetName {
    /// The name, unless it could be anything but a name: letters, digits, `-`, `_` and `.`, the first a letter or digit.
    pub fn find(text: &str) -> Option<Self> {
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
        let first = text.bytes().next()?;
        let fits = text.len() <= LONGEST && text.bytes().all(is_plain);
        (fits && first.is_ascii_alphanumeric()).then(|| Self(text.into()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for AssetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_plainly_a_name_is_none() {
        let long = "a".repeat(LONGEST);
        for good in ["pvc-1", "a", "9", "My_Volume.old", long.as_str()] {
            assert_eq!(AssetName::find(good).unwrap().as_str(), good);
        }
        let too_long = "a".repeat(LONGEST + 1);
        let bad = [
            "",
            ".",
            "..",
            ".kubectl-pv",
            ".hidden",
            "-rf",
            "a/b",
            "/a",
            "a/",
            "../a",
            "a\0",
            "a\nb",
            "a b",
            "$(id)",
            "`id`",
            "a;b",
            "ä",
            "a\\b",
            "*",
            "~",
            too_long.as_str(),
        ];
        for bad in bad {
            assert_eq!(AssetName::find(bad), None, "{bad:?}");
        }
    }
}
