//! Null inside lists and maps: the zero value, as the API server reads it.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;

/// A map of texts; a null is the empty text.
pub(super) fn texts<'de, D>(deserializer: D) -> Result<Option<BTreeMap<String, String>>, D::Error>
where
    D: Deserializer<'de>,
{
    struct Texts;
    impl<'de> Visitor<'de> for Texts {
        type Value = Option<BTreeMap<String, String>>;
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a map")
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
            let mut texts = BTreeMap::new();
            while let Some((key, text)) = map.next_entry::<String, Option<String>>()? {
                texts.insert(key, text.unwrap_or_default());
            }
            Ok(Some(texts))
        }
    }
    deserializer.deserialize_any(Texts)
}

/// A list; a null in it is an item with nothing set.
pub(super) fn list<'de, D, T>(deserializer: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    let items = Option::<Vec<Option<T>>>::deserialize(deserializer)?;
    Ok(items.map(|items| items.into_iter().map(Option::unwrap_or_default).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize, Default)]
    #[serde(default)]
    struct Sample {
        #[serde(deserialize_with = "texts")]
        map: Option<BTreeMap<String, String>>,
        #[serde(deserialize_with = "list")]
        items: Option<Vec<String>>,
    }

    #[test]
    fn null_is_the_zero_value() {
        let read = |json: &str| serde_json::from_str::<Sample>(json).unwrap();
        let sample = read(r#"{"map":{"a":null,"b":"x"},"items":[null,"y"]}"#);
        assert_eq!(
            sample.map.unwrap().into_iter().collect::<Vec<_>>(),
            [
                ("a".to_owned(), String::new()),
                ("b".to_owned(), "x".to_owned())
            ]
        );
        assert_eq!(sample.items.unwrap(), ["", "y"]);
        let none = read(r#"{"map":null}"#);
        assert!(none.map.is_none() && none.items.is_none());
        assert!(serde_json::from_str::<Sample>(r#"{"map":{"a":1}}"#).is_err());
        assert!(serde_json::from_str::<Sample>(r#"{"map":[]}"#).is_err());
    }
}
