//! Each Kubernetes convention, once and exact. Nothing here knows of clusters, files or commands.

pub mod access_mode;
pub mod annotations;
pub mod base64;
pub mod class_name;
pub mod command_line;
pub mod field_error;
pub mod fingerprint;
pub mod foreign;
pub mod names;
pub mod object_command;
pub mod object_kind;
pub mod object_ref;
pub mod permission;
pub mod quantity;
pub mod secrets;
pub mod selector;
pub mod shell;
pub mod spoken;
pub mod topology;
pub mod volume_mode;
