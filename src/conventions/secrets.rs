//! What is never shown: values whose keys sound as if they were secrets. What is shown is pasted into chats.

/// What stands in the place of a secret.
pub const HIDDEN: &str = "(hidden)";

/// Whether a key that nobody here knows sounds as if its value were a secret.
pub fn may_be_secret(key: &str) -> bool {
    let key = key.to_lowercase();
    let endings = [
        "password",
        "passwd",
        "passphrase",
        "secretkey",
        "secret-key",
        "accesskey",
        "access-key",
        "userkey",
        "adminkey",
        "apikey",
        "api-key",
        "token",
        "credentials",
    ];
    endings.iter().any(|ending| key.ends_with(ending))
}
