//! Members are made one at a time: a note in the set, then the asset, then the volume. What speaks against it is found before
//! anything is made.

use super::super::asset_check::{AssetCheck, check_asset, low_space};
use super::super::event::{Happening, News, tell_of_set};
use super::super::make_asset::make_asset;
use super::super::operation::{Creation, Fill, FillWith};
use super::super::plan::{Deed, Errand, Target};
use super::Work;
use super::maker::{Maker, failed};
use super::new_member::NewMember;
use super::ordinals::{Numbers, owner};
use crate::engine::find_sharer;
use crate::engine::refusal::{Refusal, SetEvidence, Standing};
use crate::model::asset::{AssetName, CreateRequest, Labels};
use crate::model::{ClusterState, ORDINAL_PLACEHOLDER, Objects, VolumeSource};
use crate::report::Code;
use std::collections::BTreeMap;

impl Work<'_> {
    /// Plans as many members.
    pub(super) fn create(&mut self, missing: u64) {
        if missing == 0 {
            return;
        }
        let planned = match self.find_maker() {
            Ok(Some(maker)) => self.create_by(maker, missing),
            Ok(None) => Ok(()),
            Err(refusal) => Err(refusal),
        };
        if let Err(refusal) = planned {
            let standing = match refusal.code() {
                Code::NotReadable => Standing::Unknown,
                _ => Standing::Refused,
            };
            self.note(refusal, standing);
        }
        for volume in self.made.clone() {
            self.draft.state.add_volume(volume);
        }
    }

    fn create_by(&mut self, mut maker: Maker<'_>, missing: u64) -> Result<(), Refusal> {
        if let Some(backend) = maker.backend {
            let check = AssetCheck::creation(&backend.provisioner);
            let is_live = self.question.is_live;
            match check_asset(self.inquiry, self.draft, check, is_live) {
                // The backend is asked first.
                None => return Ok(()),
                Some(checked) => maker.check = checked?,
            }
        }
        let maker = &maker;
        let mut numbers = self.numbers(maker);
        for _ in 0..missing {
            if !self.may_go_on() {
                break;
            }
            self.create_one(maker, &mut numbers)?;
            self.steps += 1;
        }
        Ok(())
    }

    /// Plans one member, with the first number that nothing speaks against.
    fn create_one(&mut self, maker: &Maker<'_>, numbers: &mut Numbers) -> Result<(), Refusal> {
        let set = self.set.clone();
        let Some(template) = &set.template else {
            return Err(SetEvidence::WithoutTemplate.into());
        };
        let mut last_sharer = None;
        loop {
            let (ordinal, name) = self.next_number(numbers, maker)?;
            let request = self.request(maker, ordinal, &name);
            let mut member = NewMember {
                set: &set,
                template,
                ordinal,
                name,
                asset: None,
                labels: Labels::new(),
                node: maker.node.as_ref(),
            };
            if let Some(backend) = maker.backend {
                let request = request.as_ref().map_err(Clone::clone)?;
                self.ask(&backend.provisioner, request, &mut member)?;
            }
            let Some(sharer) = self.find_sharer_of(&member) else {
                self.plan_member(maker, &member, request.ok());
                return Ok(());
            };
            self.check_placeholder(&sharer)?;
            // One volume can share the place of one number, unless it is above the places of all.
            if last_sharer.as_ref() == Some(&sharer) {
                return Err(SetEvidence::AllShared { sharer }.into());
            }
            last_sharer = Some(sharer);
        }
    }

    /// Asks a backend what it would make, and whether that would do.
    fn ask(
        &self,
        provisioner: &str,
        request: &CreateRequest,
        member: &mut NewMember<'_>,
    ) -> Result<(), Refusal> {
        let Some(offer) = self.inquiry.offer(provisioner, request) else {
            // Until the backend has answered, the volume of the template stands in.
            return Ok(());
        };
        let offer = offer.as_ref().map_err(|error| failed(error))?;
        member.labels.clone_from(&offer.labels);
        member.asset.clone_from(&offer.asset);
        if member.asset.is_none() && !self.question.is_live {
            return Err(SetEvidence::ProgramNotAsked.into());
        }
        self.check_labels(member)
    }

    /// A volume of these labels must be a member.
    fn check_labels(&self, member: &NewMember<'_>) -> Result<(), Refusal> {
        if self.set.selects_labels(&member.all_labels()) {
            return Ok(());
        }
        let provisioner = self.set.provisioner().unwrap_or_default().to_owned();
        Err(SetEvidence::LabelsNotSelected { provisioner }.into())
    }

    /// The volume that lies where this one would.
    fn find_sharer_of(&self, member: &NewMember<'_>) -> Option<String> {
        let source = member.volume().source;
        source.location.as_ref()?;
        let sharer = find_sharer(&self.draft.state, &source, &member.name);
        let sharer = sharer.map(|volume| volume.name.clone());
        sharer.or_else(|| self.find_sharer_among_new(&source))
    }

    /// Of new members it is enough to look at one: they lie in places of their own, or all in the same.
    fn find_sharer_among_new(&self, source: &VolumeSource) -> Option<String> {
        let objects = Objects {
            volumes: vec![self.made.last()?.clone()],
            ..Objects::default()
        };
        let alone = ClusterState::new(objects, vec![], None);
        let sharer = find_sharer(&alone, source, "");
        sharer.map(|volume| volume.name.clone())
    }

    /// A template whose volumes all lie in one place makes one at most.
    fn check_placeholder(&self, sharer: &str) -> Result<(), Refusal> {
        let template = self.set.template.as_ref();
        let location = template.and_then(|template| template.volume.source.location.as_ref());
        if location.is_none_or(|location| location.contains(ORDINAL_PLACEHOLDER)) {
            return Ok(());
        }
        let sharer = sharer.to_owned();
        Err(SetEvidence::NextShared { sharer }.into())
    }

    /// What a backend is asked for.
    fn request(
        &self,
        maker: &Maker<'_>,
        ordinal: u64,
        name: &str,
    ) -> Result<CreateRequest, Refusal> {
        let name = name.to_owned();
        let asset = AssetName::find(&name).ok_or(SetEvidence::InvalidAssetName { name })?;
        let template = self.set.template.as_ref();
        let template = template.ok_or(SetEvidence::NothingToAsk)?;
        Ok(CreateRequest {
            name: asset,
            owner: owner(&self.set, ordinal),
            size: template.volume.capacity.clone(),
            policy: template.volume.reclaim_policy.clone(),
            class: template.volume.class().to_owned(),
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
        if let Some(message) = &maker.warning {
            let target = Target::volume_set(&self.set.name, self.set.uid.as_ref());
            self.draft.warn(target, Code::NotThisNode, message.clone());
        }
        if let Some(backend) = maker.backend {
            let target = Target::volume_set(&self.set.name, self.set.uid.as_ref());
            self.draft.warn_of_rival(target, &backend.provisioner);
        }
        self.warn_of_space(maker, member);
        let volume = member.volume();
        let by = match maker.backend {
            Some(backend) => format!("made here by {}", backend.provisioner),
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
        let first = self.draft.plan.changes.len();
        self.note_creation(member.ordinal, &member.name);
        let asset = maker
            .backend
            .zip(request)
            .map(|(backend, request)| make_asset(self.draft, backend, &request));
        if asset.is_some() {
            // Making it may have taken a while.
            self.note_creation(member.ordinal, &member.name);
        }
        self.draft.check_before(first, maker.check.clone());
        self.create_volume(member, asset);
        self.levels.total += 1;
        self.levels.unbound += 1;
        self.made.push(volume);
        if self.question.is_live {
            let message = format!("Created volume {}", member.name);
            let what = Happening {
                news: News::MemberMade,
                volume: &member.name,
                code: "",
            };
            tell_of_set(self.draft, &self.set, what, &message);
        }
    }

    /// Says, once for the set, that there is less room than a member asks for.
    fn warn_of_space(&mut self, maker: &Maker<'_>, member: &NewMember<'_>) {
        let (Some(backend), Some(check)) = (maker.backend, &maker.check) else {
            return;
        };
        let answer = self.inquiry.readiness(check);
        let size = &member.template.volume.capacity;
        if let Some(message) = answer.and_then(|answer| low_space(answer, backend, size)) {
            let target = Target::volume_set(&self.set.name, self.set.uid.as_ref());
            self.draft.warn(target, Code::LowSpace, message);
        }
    }

    fn create_volume(&mut self, member: &NewMember<'_>, asset: Option<usize>) {
        let levels = self.levels;
        let why = format!(
            "{} of {} unbound volumes are there, {} of at most {} in all",
            levels.unbound, self.set.minimum, levels.total, self.set.maximum
        );
        let target = Target::volume(&member.name, None);
        let fill = asset.map(|change| Fill {
            place: "",
            change,
            with: FillWith::Asset,
        });
        let creation = Creation {
            object: member.object(),
            fills: fill.into_iter().collect(),
        };
        self.draft.create(target, creation, why).after = asset.filter(|_| member.asset.is_none());
    }

    /// Says where the set cannot have what it asks for, as there is no room.
    pub(super) fn note_maximum(&mut self) {
        let levels = self.levels;
        let short = levels.short_of(&self.set);
        let is_full = levels.total >= self.set.maximum.unsigned_abs();
        if short > 0 && is_full {
            let evidence = SetEvidence::MaximumReached {
                total: levels.total,
                maximum: self.set.maximum,
                is_planned: self.steps > 0,
            };
            self.note(evidence, Standing::Fine);
        }
    }
}
