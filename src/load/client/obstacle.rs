//! What stands between us and a server, found among the causes of an error: hyper, rustls and the
//! operating system each wrap the other, and only the innermost says what a person wants to know.

use std::{error::Error, io};

use thiserror::Error;

use super::{
    CONNECT_TIMEOUT,
    foreign_messages::find_obstacle,
    reason::{innermost, io_reason},
};

/// Why a server cannot be reached.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(crate) enum Obstacle {
    #[error("connection refused")]
    Refused,
    #[error("no connection within {seconds}s", seconds = CONNECT_TIMEOUT.as_secs())]
    Silent,
    #[error("its host name cannot be resolved ({0})")]
    Name(String),
    #[error("its certificate is signed by an unknown authority")]
    UnknownAuthority,
    #[error("its certificate is for another name ({0})")]
    OtherName(String),
    #[error("its certificate is not valid at this time")]
    OutOfDate,
    #[error("it rejects our client certificate ({0})")]
    ClientCertificate(String),
    #[error("it does not speak TLS")]
    NotTls,
    #[error("the proxy does not let us through ({0})")]
    Proxy(String),
    #[error("the connection was closed before the answer was complete")]
    Closed,
    #[error("{0}")]
    Other(String),
}

impl Obstacle {
    /// The obstacle an error tells of.
    pub(super) fn of(error: &(dyn Error + 'static)) -> Self {
        let mut next = Some(error);
        while let Some(error) = next {
            if let Some(obstacle) =
                find_obstacle(&error.to_string()).or_else(|| Self::from_io(error))
            {
                return obstacle;
            }
            next = error.source();
        }
        Self::Other(innermost(error))
    }

    fn from_io(error: &(dyn Error + 'static)) -> Option<Self> {
        let error = error.downcast_ref::<io::Error>()?;
        match error.kind() {
            io::ErrorKind::ConnectionRefused => Some(Self::Refused),
            io::ErrorKind::TimedOut => Some(Self::Silent),
            io::ErrorKind::UnexpectedEof => Some(Self::Closed),
            _ if error.raw_os_error().is_some() => Some(Self::Other(io_reason(error))),
            _ => None,
        }
    }

    /// What the user may do about it.
    pub(super) fn hints(&self) -> Vec<String> {
        let hint = match self {
            Self::Refused => {
                "nothing listens there: is the cluster running, and is this its address?"
            }
            Self::Silent => "is the cluster running, and is a VPN or a proxy needed to reach it?",
            Self::Name(_) => {
                "check the address of the server, and whether a VPN is needed to resolve it"
            }
            Self::UnknownAuthority => {
                "give the cluster's certificate authority with --certificate-authority FILE"
            }
            Self::OtherName(_) => "give the name in the certificate with --tls-server-name NAME",
            Self::OutOfDate => {
                "renew it, or compare the clock of this machine with that of the server"
            }
            Self::NotTls => "if it is meant to be plain HTTP, begin its address with http://",
            // That a proxy is on the way is said, with advice, whatever the obstacle.
            Self::Proxy(_) | Self::ClientCertificate(_) | Self::Closed | Self::Other(_) => {
                return Vec::new();
            }
        };
        vec![hint.to_owned()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Error)]
    #[error("client error (Connect)")]
    struct Outer(#[source] io::Error);

    #[test]
    fn the_innermost_cause_counts() {
        let table = [
            (
                io::Error::from(io::ErrorKind::ConnectionRefused),
                Obstacle::Refused,
            ),
            (io::Error::from(io::ErrorKind::TimedOut), Obstacle::Silent),
            (
                io::Error::other("invalid peer certificate: UnknownIssuer"),
                Obstacle::UnknownAuthority,
            ),
            (
                io::Error::other(
                    "invalid peer certificate: certificate expired: verification time 5",
                ),
                Obstacle::OutOfDate,
            ),
            (
                io::Error::other("received corrupt message of type InvalidContentType"),
                Obstacle::NotTls,
            ),
            (
                io::Error::other("failed to lookup address information: Name or service not known"),
                Obstacle::Name("name or service not known".to_owned()),
            ),
            (
                io::Error::other("something else\nindeed"),
                Obstacle::Other("something else indeed".to_owned()),
            ),
        ];
        for (cause, expected) in table {
            assert_eq!(Obstacle::of(&Outer(cause)), expected);
        }
    }
}
