//! What this machine is called, to find the Node that it is. Read in `environment.rs`; nothing here asks the system.

/// This machine.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Host {
    /// The host name.
    pub name: String,
    /// The content of `/etc/machine-id`.
    pub machine_id: Option<String>,
    /// `KUBECTL_PV_NODE_NAME`: the node of the pod that this runs in. Host name and machine id are then those of a container.
    pub node_name: Option<String>,
}

impl Host {
    /// A machine of which only the name is known.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// For messages: the node that it was told, or its name.
    pub fn spelled(&self) -> &str {
        self.node_name.as_deref().unwrap_or(&self.name)
    }
}
