//! The second half of a comparison: the controller has finished what the scheduler had begun.

use std::collections::BTreeSet;

use serde_json::Value;

use super::claims::HOST_PATH;
use super::compare::{Comparison, contains, text};
use super::deed::{Deed, Gift, Turn};
use super::snapshot::Snapshot;

impl Comparison<'_> {
    /// Everything that is wrong with where the pod is in the end and with the volumes it has got.
    pub(super) fn landing(&self, finished: &Snapshot) -> Vec<String> {
        let is_under_way = !self.is_left_alone() && !matches!(self.turn.deed(), Deed::Refused(_));
        if !is_under_way || self.predicted.is_null() || self.is_up_to_the_controller() {
            return Vec::new();
        }
        let later = Turn {
            after: finished,
            ..self.turn
        };
        let node = later.node();
        if node.is_empty() {
            let waits = self.waits_for_a_provisioner();
            return if waits {
                Vec::new()
            } else {
                vec![format!(
                    "never landed, with {:#?}, {}",
                    later.gifts(),
                    later.condition()
                )]
            };
        }
        let mut places = self.places().filter(|place| place["name"] == node);
        let Some(place) = places.next() else {
            return vec![format!("landed on {node}")];
        };
        let gifts = self.turn.gifts();
        let gifts = gifts.iter();
        let wrong =
            gifts.filter_map(|(claim, gift)| self.wrong_volume(finished, place, claim, gift));
        wrong.collect()
    }

    fn wrong_volume(
        &self,
        finished: &Snapshot,
        place: &Value,
        name: &str,
        gift: &Gift,
    ) -> Option<String> {
        let claim = finished.claim(&self.turn.pod["metadata"]["namespace"], name);
        let volume = claim.map_or("", |claim| text(&claim["spec"]["volumeName"]));
        let existed = |other: &Value| other["metadata"]["name"] == volume;
        let right = if gift.volumes.is_empty() {
            let is_new = !self.turn.before.volumes.iter().any(existed);
            is_new && !volume.is_empty() && contains(&place["provisions"], name)
        } else {
            gift.volumes.contains(volume)
        };
        (!right).then(|| format!("claim {name} has got `{volume}`, after {gift:?}"))
    }

    /// Claims for which the controller has plans of its own as soon as it is back: those with
    /// reserved volumes, and those that were used twice and got two.
    fn is_up_to_the_controller(&self) -> bool {
        let names = self.turn.claim_names();
        let distinct: BTreeSet<&String> = names.iter().collect();
        let reserved = |name: &&String| {
            let claim = self.turn.claim(name);
            claim.is_some_and(|claim| self.turn.before.is_reserved_for(claim))
                && self.turn.gifts().contains_key(*name)
        };
        distinct.len() < names.len() || names.iter().any(|name| reserved(&name))
    }

    /// Nobody runs the provisioners outside the controller.
    fn waits_for_a_provisioner(&self) -> bool {
        let gifts = self.turn.gifts();
        let mut gifts = gifts.iter();
        gifts.any(|(name, gift)| {
            // Its class may have been given to it by the controller.
            let after = self.turn.after;
            let claim = after.claim(&self.turn.pod["metadata"]["namespace"], name);
            let class = claim.and_then(|claim| after.class(claim));
            gift.volumes.is_empty() && class.is_some_and(|class| class["provisioner"] != HOST_PATH)
        })
    }
}
