//! How far a bind has come when somebody is to finish it: from nothing at all to a claim that lacks
//! only its status. The controller binds from each of these states, and so must we.

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// Neither knows of the other.
    Fresh,
    /// The volume names the claim, without its uid.
    Reserved,
    /// … and the claim's class waits for a consumer: reserved volumes are bound all the same.
    ReservedDelayed,
    /// The volume has the claim's uid; the claim knows nothing yet.
    HalfDone,
    /// As a provisioner leaves a volume it has made for a claim.
    Provisioned,
    /// The claim names the volume.
    Named,
    /// Both name each other, without a uid.
    NamedReserved,
    /// The claim names the volume, and the volume has its uid.
    NamedHalfDone,
    /// The claim is completed, only its status is not Bound.
    CompletedWithoutStatus,
    /// The claim is completed, and the volume has lost its claimRef (R62).
    CompletedWithoutReference,
    /// The claim is Lost, and its volume is back (R65).
    Lost,
    /// The claim has no class, and gets the one that has become the default since (R15).
    RetroactiveDefault,
    /// The claim has no class, and neither has the volume.
    NoClass,
}

impl State {
    pub(super) const ALL: [Self; 13] = [
        Self::Fresh,
        Self::Reserved,
        Self::ReservedDelayed,
        Self::HalfDone,
        Self::Provisioned,
        Self::Named,
        Self::NamedReserved,
        Self::NamedHalfDone,
        Self::CompletedWithoutStatus,
        Self::CompletedWithoutReference,
        Self::Lost,
        Self::RetroactiveDefault,
        Self::NoClass,
    ];

    pub(super) fn names_volume(self) -> bool {
        matches!(
            self,
            Self::Named | Self::NamedReserved | Self::NamedHalfDone
        ) || self.is_completed()
    }

    pub(super) fn is_completed(self) -> bool {
        matches!(
            self,
            Self::CompletedWithoutStatus | Self::CompletedWithoutReference | Self::Lost
        )
    }

    /// Has the volume the uid of the claim?
    pub(super) fn has_uid(self) -> bool {
        matches!(
            self,
            Self::HalfDone
                | Self::Provisioned
                | Self::NamedHalfDone
                | Self::CompletedWithoutStatus
                | Self::Lost
        )
    }

    /// Has the volume the name of the claim, and no uid?
    pub(super) fn is_reserved(self) -> bool {
        matches!(
            self,
            Self::Reserved | Self::ReservedDelayed | Self::NamedReserved
        )
    }

    /// What volumes of this state may say of themselves. That a volume is Available again, because
    /// it has no claimRef or one without a uid, the controller has not noticed yet.
    pub(super) fn phases(self) -> &'static [&'static str] {
        match self {
            // Found before it is noticed, the claim would get the default class (N11).
            Self::NoClass => &["Available"],
            _ if self.has_uid() => &["Pending", "Available", "Bound"],
            _ => &["Pending", "Pending", "Available", "Released", "Failed"],
        }
    }
}
