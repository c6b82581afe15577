//! Members are made one at a time: a note in the set, then the asset, then the volume. What speaks against it is found before
//! anything is made.

use super::super::event::{News, tell_of_set};
use super::super::make_asset::make_asset;
use super::super::plan::{Deed, Errand, Fill, FillWith, Standing, Target};
use super::Work;
use super::maker::Maker;
use super::new_member::NewMember;
use super::ordinals::owner;
use super::recording::MAXIMUM_REACHED;
use crate::engine::find_sharer;
use crate::model::ORDINAL_PLACEHOLDER;
use crate::storage::{AssetName, CreateRequest, Labels, StorageError};
use std::collections::BTreeMap;

impl Work<'_> {
    /// Plans as many members, and says which.
    pub(super) fn create(&mut self, missing: u64) -> Vec<String> {
        if missing == 0 {
            return vec![];
        }
        let maker = match self.find_maker() {
            Ok(maker) => maker,
            Err((code, message)) => {
                let standing = if code == "NotReadable" {
                    Standing::Unknown
                } else {
                    Standing::Refused
                };
                self.note(code, message, standing);
                return vec![];
            }
        };
        let mut made = Vec::new();
        let mut from = 0;
        for _ in 0..missing {
            if !self.may_go_on() {
                break;
            }
            match self.create_one(&maker, from) {
                Ok((name, ordinal)) => {
                    made.push(name);
                    from = if maker.can_look() { 0 } else { ordinal + 1 };
                    self.steps += 1;
                }
                Err((code, message)) => {
                    self.note(code, message, Standing::Refused);
                    break;
                }
            }
        }
        made
    }

    /// Plans one member, and says which.
    fn create_one(
        &mut self,
        maker: &Maker<'_>,
        from: u64,
    ) -> Result<(String, u64), (&'static str, String)> {
        let failed = |error: StorageError| ("ProvisioningFailed", error.to_string());
        let mut from = from;
        loop {
            let ordinal = self.next_ordinal(maker, from).map_err(failed)?;
            let ordinal = ordinal.ok_or(("ProvisioningFailed", "no number is free".to_owned()))?;
            let set = self.set.clone();
            let (Some(template), Some(name)) = (&set.template, set.member_name(ordinal)) else {
                return Err(("InvalidVolumeSet", "it has no template".to_owned()));
            };
            let request = self.request(maker, ordinal, &name);
            let mut member = NewMember {
                set: &set,
                template,
                ordinal,
                name: name.clone(),
                asset: None,
                labels: Labels::new(),
                node: maker.node.as_ref(),
            };
            if let Some(creator) = maker.creator {
                let request = request.as_ref().map_err(Clone::clone)?;
                creator.check(request).map_err(failed)?;
                member.labels = creator.labels(request).map_err(failed)?;
                member.asset = creator.foresee(request).map_err(failed)?;
                self.check_labels(&member)?;
                if member.asset.is_none() && !self.question.is_live {
                    let message = "what its program makes only it knows, and files do not ask it";
                    return Err(("ProvisioningFailed", message.to_owned()));
                }
            }
            if let Some(sharer) = self.find_sharer_of(&member) {
                self.check_placeholder(&sharer)?;
                from = ordinal + 1;
                continue;
            }
            self.plan_member(maker, &member, request.ok());
            return Ok((name, ordinal));
        }
    }

    /// A volume of these labels must be a member.
    fn check_labels(&self, member: &NewMember<'_>) -> Result<(), (&'static str, String)> {
        if self.set.selects_labels(&member.all_labels()) {
            return Ok(());
        }
        let message = format!(
            "{} gives its volumes labels that the selector of the set does not match",
            self.set.provisioner().unwrap_or_default()
        );
        Err(("SelectorMismatch", message))
    }

    /// The volume that lies where this one would.
    fn find_sharer_of(&self, member: &NewMember<'_>) -> Option<String> {
        let source = member.volume().source;
        source.location.as_ref()?;
        let sharer = find_sharer(&self.draft.state, &source, &member.name);
        sharer.map(|volume| volume.name.clone())
    }

    /// A template whose volumes all lie in one place makes one at most.
    fn check_placeholder(&self, sharer: &str) -> Result<(), (&'static str, String)> {
        let template = self.set.template.as_ref();
        let location = template.and_then(|template| template.volume.source.location.as_ref());
        if location.is_none_or(|location| location.contains(ORDINAL_PLACEHOLDER)) {
            return Ok(());
        }
        let message = format!(
            "the next volume would lie where {sharer} does: the source in its template has no {ORDINAL_PLACEHOLDER}"
        );
        Err(("SharedAsset", message))
    }

    /// What a backend is asked for.
    fn request(
        &self,
        maker: &Maker<'_>,
        ordinal: u64,
        name: &str,
    ) -> Result<CreateRequest, (&'static str, String)> {
        let refused = |message: String| ("ProvisioningFailed", message);
        let asset = AssetName::find(name)
            .ok_or_else(|| refused(format!("`{name}` is no name for an asset")))?;
        let template = self.set.template.as_ref();
        let template = template.ok_or_else(|| refused("it has no template".to_owned()))?;
        Ok(CreateRequest {
            name: asset,
            owner: owner(&self.set, ordinal),
            size: template.volume.capacity.clone(),
            access_modes: template.volume.access_modes,
            volume_mode: template.volume.volume_mode,
            parameters: maker.parameters.clone(),
            options: BTreeMap::new(),
            node: maker.node.clone(),
        })
    }

    fn plan_member(
        &mut self,
        maker: &Maker<'_>,
        member: &NewMember<'_>,
        request: Option<CreateRequest>,
    ) {
        let volume = member.volume();
        let by = match maker.backend {
            Some(backend) => format!("made here by {}", backend.provisioner()),
            None => "made from the template".to_owned(),
        };
        self.draft.begin(Errand {
            claim: None,
            volume: member.name.clone(),
            what: format!("{by}, {}", volume.capacity),
            deed: Deed::MakeMember {
                set: self.set.name.clone(),
            },
        });
        self.note_creation(member.ordinal, &member.name);
        let asset = maker
            .backend
            .zip(request)
            .map(|(backend, request)| make_asset(self.draft, backend, &request));
        if asset.is_some() {
            // Making it may have taken a while.
            self.note_creation(member.ordinal, &member.name);
        }
        self.create_volume(member, asset);
        self.draft.state.add_volume(volume);
        if self.question.is_live {
            let message = format!("Created volume {}", member.name);
            tell_of_set(self.draft, &self.set, News::MemberMade, &message);
        }
    }

    fn create_volume(&mut self, member: &NewMember<'_>, asset: Option<usize>) {
        let levels = self.levels();
        let why = format!(
            "{} of {} unbound volumes are there, {} of at most {} in all",
            levels.unbound, self.set.minimum, levels.total, self.set.maximum
        );
        let target = Target::volume(&member.name, None);
        let change = self.draft.create(target, member.object(), why);
        let Some(asset) = asset else { return };
        change.after = member.asset.is_none().then_some(asset);
        change.fills.push(Fill {
            place: "",
            change: asset,
            with: FillWith::Asset,
        });
    }

    /// Says where the set cannot have what it asks for, as there is no room.
    pub(super) fn note_maximum(&mut self) {
        let levels = self.levels();
        let short = levels.short_of(&self.set);
        let is_full = levels.total >= self.set.maximum.unsigned_abs();
        if short > 0 && is_full {
            let (total, maximum) = (levels.total, self.set.maximum);
            let message = match self.steps {
                0 => format!("no more are made, as {total} of at most {maximum} volumes are there"),
                _ => format!(
                    "then there are {total} of at most {maximum} volumes, and no more are made"
                ),
            };
            self.note(MAXIMUM_REACHED, message, Standing::Fine);
        }
    }
}
