//! Leases: who of several that could work does.

/// A lease as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lease {
    /// The uid.
    pub uid: Option<String>,
    /// The version that was read, which changes each time somebody renews it.
    pub resource_version: Option<String>,
    /// Who holds it; nobody if that is absent.
    pub holder: Option<String>,
    /// For how many seconds it holds without being renewed.
    pub seconds: Option<u64>,
    /// How often it went from one holder to another.
    pub transitions: u64,
}
