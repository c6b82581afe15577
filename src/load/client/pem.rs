//! Certificates in PEM text. kube keeps its own reader to itself, and its kubeconfig loader cannot
//! be used: it fails on a trailing comma in `NO_PROXY`.

use k8s_openapi::ByteString;
use serde_json::Value;

const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
const END: &str = "-----END CERTIFICATE-----";

/// All certificates in a PEM file, in DER; whatever else is in there is passed over.
pub(super) fn certificates(pem: &str) -> Vec<Vec<u8>> {
    pem.split(BEGIN)
        .skip(1)
        .filter_map(|block| block.split_once(END))
        .filter_map(|(body, _)| decode(&body.split_whitespace().collect::<String>()))
        .collect()
}

/// Base64 as Kubernetes has it in JSON.
fn decode(base64: &str) -> Option<Vec<u8>> {
    let bytes: ByteString = serde_json::from_value(Value::from(base64)).ok()?;
    Some(bytes.0)
}

/// The form in which a kubeconfig holds files.
pub(super) fn encode(bytes: &[u8]) -> String {
    match serde_json::to_value(ByteString(bytes.to_vec())) {
        Ok(Value::String(text)) => text,
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_are_found_among_other_things() {
        let pem = "subject=x\n-----BEGIN CERTIFICATE-----\r\nAQID\r\nBA==\r\n-----END CERTIFICATE-----\n\
                   -----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n\
                   -----BEGIN CERTIFICATE-----\nnot base64!\n-----END CERTIFICATE-----\n\
                   -----BEGIN CERTIFICATE-----\nBQ==\n-----END CERTIFICATE-----\n";
        assert_eq!(certificates(pem), [vec![1, 2, 3, 4], vec![5]]);
        assert!(certificates("").is_empty());
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        assert_eq!(decode(&encode(b"key")), Some(b"key".to_vec()));
    }
}
