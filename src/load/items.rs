//! The items of a list, decoded: on all cores where there are many, in order in any case.

use super::decode::{DecodeError, Decoder};
use super::wire;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::cell::Cell;
use std::fmt;
use std::thread;

/// Below this a second thread costs more than it saves.
const MANY: usize = 2_000;

/// What a list says of its items, for those that do not say it themselves.
#[derive(Clone, Copy)]
pub(super) struct ItemList<'a> {
    pub(super) api_version: &'a str,
    pub(super) kind: &'a str,
}

impl ItemList<'_> {
    /// Decodes all items; an error comes with the number of its item.
    pub(super) fn add_all(
        self,
        decoder: &mut Decoder,
        items: &[&RawValue],
    ) -> Result<(), (usize, DecodeError)> {
        let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
        if items.len() < MANY || cores == 1 {
            return self.add_some(decoder, items, 0);
        }
        let share = items.len().div_ceil(cores);
        let namespace = decoder.default_namespace.as_str();
        let parts: Vec<_> = thread::scope(|scope| {
            let mut running = Vec::new();
            for (number, chunk) in items.chunks(share).enumerate() {
                running.push(scope.spawn(move || {
                    let mut own = Decoder {
                        default_namespace: namespace.to_owned(),
                        ..Decoder::default()
                    };
                    self.add_some(&mut own, chunk, number * share).map(|()| own)
                }));
            }
            running
                .into_iter()
                .map(|thread| thread.join().expect("decoding does not panic"))
                .collect()
        });
        for part in parts {
            decoder.absorb(part?);
        }
        Ok(())
    }

    fn add_some(
        self,
        decoder: &mut Decoder,
        items: &[&RawValue],
        first: usize,
    ) -> Result<(), (usize, DecodeError)> {
        items.iter().enumerate().try_for_each(|(number, item)| {
            self.add(decoder, item.get())
                .map_err(|error| (first + number, error))
        })
    }

    /// An item may name its own kind, as kubectl prints it, or leave that to the list, as the server does.
    pub(super) fn add(self, decoder: &mut Decoder, json: &str) -> Result<(), DecodeError> {
        let head = Head::read(json);
        let kind = head.kind.as_deref().unwrap_or(self.kind);
        let api_version = head.api_version.as_deref().unwrap_or(self.api_version);
        if let Some(item_kind) = kind.strip_suffix("List")
            && let Ok(wire::Envelope {
                items: Some(items), ..
            }) = serde_json::from_str(json)
        {
            // Lists are put into lists by whoever joins two dumps. The parser bounds how deep that goes.
            let inner = ItemList {
                api_version,
                kind: item_kind,
            };
            return inner
                .add_some(decoder, &items, 0)
                .map_err(|(_, error)| error);
        }
        decoder.add(api_version, kind, json).map(drop)
    }
}

/// `apiVersion` and `kind` of an object. Both stand at its beginning wherever a program wrote it, so that the rest, which
/// is most of it, is not looked at.
#[derive(Default)]
struct Head {
    api_version: Option<String>,
    kind: Option<String>,
}

impl Head {
    fn read(json: &str) -> Self {
        let found = Cell::new(Self::default());
        // Leaving in the middle of an object is an error to the parser and none to us: what was found is in `found`.
        let _ =
            serde_json::Deserializer::from_str(json).deserialize_map(HeadVisitor { found: &found });
        found.into_inner()
    }
}

struct HeadVisitor<'a> {
    found: &'a Cell<Head>,
}

impl<'de> Visitor<'de> for HeadVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let mut head = Head::default();
        while head.api_version.is_none() || head.kind.is_none() {
            match map.next_key::<String>()?.as_deref() {
                Some("apiVersion") => head.api_version = map.next_value()?,
                Some("kind") => head.kind = map.next_value()?,
                Some(_) => map.next_value::<IgnoredAny>().map(drop)?,
                None => break,
            }
        }
        self.found.set(head);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_is_found_wherever_it_stands() {
        for json in [
            r#"{"apiVersion":"v1","kind":"Pod","spec":{}}"#,
            r#"{"kind":"Pod","spec":{"kind":"no"},"apiVersion":"v1"}"#,
            r#"{"metadata":{"kind":"no"},"apiVersion":"v1","kind":"Pod"}"#,
        ] {
            let head = Head::read(json);
            assert_eq!(
                (head.api_version.as_deref(), head.kind.as_deref()),
                (Some("v1"), Some("Pod")),
                "{json}"
            );
        }
        assert!(Head::read(r#"{"metadata":{}}"#).kind.is_none());
    }

    #[test]
    fn many_items_keep_their_order_and_errors_their_number() {
        let item = |number: usize, name: &str| {
            RawValue::from_string(format!(
                r#"{{"metadata":{{"name":{name}}},"spec":{{"capacity":{{"storage":"{number}"}}}}}}"#
            ))
            .unwrap()
        };
        let mut items: Vec<Box<RawValue>> = (0..5_000)
            .map(|number| item(number, &format!("\"v{number:05}\"")))
            .collect();
        let list = ItemList {
            api_version: "v1",
            kind: "PersistentVolume",
        };
        let mut decoder = Decoder::default();
        let all: Vec<&RawValue> = items.iter().map(AsRef::as_ref).collect();
        assert!(list.add_all(&mut decoder, &all).is_ok());
        assert!(
            decoder
                .objects
                .volumes
                .iter()
                .enumerate()
                .all(|(number, volume)| volume.name == format!("v{number:05}"))
        );
        items[4_321] = item(4_321, "17");
        let all: Vec<&RawValue> = items.iter().map(AsRef::as_ref).collect();
        let failed = list
            .add_all(&mut Decoder::default(), &all)
            .map_err(|(number, error)| (number, error.field));
        assert_eq!(failed.err(), Some((4_321, "metadata.name".to_owned())));
    }
}
