//! What is never shown: values that are secrets by their keys or by their form. What is shown is pasted into chats.

/// What stands in the place of a secret.
pub const HIDDEN: &str = "<hidden>";

/// Endings of keys whose values are secrets, without separators and in lower case. Names of Secrets end in `name`.
const ENDINGS: [&str; 26] = [
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "pass",
    "secret",
    "secretvalue",
    "privatekey",
    "secretkey",
    "accesskey",
    "accountkey",
    "sharedkey",
    "sharedaccesskey",
    "masterkey",
    "encryptionkey",
    "userkey",
    "adminkey",
    "apikey",
    "authkey",
    "token",
    "credential",
    "credentials",
    "connectionstring",
    "keyring",
    "chapsecret",
    "authorization",
];

/// Whether a value is, or may be, a secret.
pub fn is_secret(key: &str, value: &str) -> bool {
    is_secret_key(key) || holds_secret(value)
}

/// The value, or what stands in its place.
pub fn shown_value<'a>(key: &str, value: &'a str) -> &'a str {
    if is_secret(key, value) { HIDDEN } else { value }
}

/// Whether a key sounds as if its value were a secret, whatever it is.
pub fn is_secret_key(key: &str) -> bool {
    let key: String = key
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    ENDINGS.iter().any(|ending| key.ends_with(ending))
}

/// Whether a value holds a secret by its form: an address with a password, pairs with a secret key, a private key, a signed token.
pub fn holds_secret(value: &str) -> bool {
    split_user(value).is_some_and(|(user, _)| user.contains(':'))
        || value.contains("PRIVATE KEY-----")
        || is_signed_token(value)
        || pairs(value).any(|(key, value)| {
            !value.is_empty() && (is_secret_key(key) || key.eq_ignore_ascii_case("sig"))
        })
}

/// `a=b;c=d`, `a=b,c=d` and `https://host/path?a=b&c=d`.
fn pairs(value: &str) -> impl Iterator<Item = (&str, &str)> {
    value
        .split([';', ',', '?', '&', ' ', '\n'])
        .filter_map(|pair| pair.trim().split_once('='))
}

/// A JSON web token: three parts in base64, of which two are JSON objects.
fn is_signed_token(value: &str) -> bool {
    let parts: Vec<&str> = value.trim().split('.').collect();
    parts.len() == 3 && parts[..2].iter().all(|part| part.starts_with("eyJ"))
}

/// The user, with a password where it has one, and the rest of an address; none if it has no user.
fn split_user(address: &str) -> Option<(&str, String)> {
    let (scheme, rest) = address.split_once("://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let (user, host) = authority.rsplit_once('@')?;
    Some((user, format!("{scheme}://{host}{path}")))
}

/// An address as it may be printed: without user name and password.
pub fn without_user(address: &str) -> String {
    split_user(address).map_or_else(|| address.to_owned(), |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_their_keys() {
        for key in [
            "password",
            "adminPwd",
            "clientSecret",
            "secret",
            "privateKey",
            "private-key",
            "accountKey",
            "AZURE_STORAGE_KEY_TOKEN",
            "connectionString",
            "restuserkey",
            "api_key",
        ] {
            assert!(is_secret(key, "x"), "{key}");
        }
        for key in [
            "secretName",
            "csi.storage.k8s.io/node-stage-secret-name",
            "adminSecretNamespace",
            "kmsKeyId",
            "type",
            "monitors",
            "encrypted",
            "tokenRequests",
            "keyVaultURL",
        ] {
            assert!(!is_secret(key, "x"), "{key}");
        }
    }

    #[test]
    fn secrets_are_known_by_their_form() {
        for value in [
            "https://admin:hunter2@heketi:8080/x",
            "AccountName=a;AccountKey=abc==;EndpointSuffix=b",
            "username=me,password=hunter2",
            "https://a.blob/x?sv=1&sig=abc%3D",
            "-----BEGIN RSA PRIVATE KEY-----\nx",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln",
        ] {
            assert!(is_secret("x", value), "{value}");
        }
        for value in [
            "https://heketi:8080",
            "https://me@host/path",
            "gp3",
            "a=b,c=d",
            "/srv/x",
            "1.2.3",
            "password=",
        ] {
            assert!(!is_secret("x", value), "{value}");
        }
    }

    #[test]
    fn an_address_loses_its_password() {
        assert_eq!(without_user("https://a:b@h:6443/x?y"), "https://h:6443/x?y");
        assert_eq!(without_user("https://token@h"), "https://h");
        assert_eq!(without_user("https://h:6443/a:b@c"), "https://h:6443/a:b@c");
    }
}
