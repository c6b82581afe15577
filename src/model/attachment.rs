//! VolumeAttachments: which volume is, or is to be, attached to which node.

/// A VolumeAttachment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VolumeAttachment {
    /// The name.
    pub name: String,
    /// The uid, if it exists.
    pub uid: Option<String>,
    /// The version it was read in, which guards its deletion.
    pub resource_version: Option<String>,
    /// The CSI driver that attaches and detaches.
    pub attacher: String,
    /// The node.
    pub node: String,
    /// The volume; absent for one that a pod describes itself.
    pub volume: Option<String>,
    /// Whether the driver has reported it attached.
    pub is_attached: bool,
    /// What the driver last said against attaching.
    pub attach_error: Option<String>,
    /// What the driver last said against detaching.
    pub detach_error: Option<String>,
    /// Whether its deletion, which means detaching, was asked for.
    pub is_deleted: bool,
}
