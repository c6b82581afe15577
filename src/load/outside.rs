//! The one reader of what comes from outside: regular files and pipes, never more than a bound. A device has no end, and a file
//! that grows while it is read has none either.

use std::fs::File;
use std::io::{self, Error, ErrorKind, Read};
use std::path::Path;

/// Manifests in a regular file.
pub(crate) const LARGEST_FILE: u64 = 4 << 30;
/// Manifests from a pipe.
pub(crate) const LARGEST_PIPE: u64 = 2 << 30;
/// What people and programs configure this program with: kubeconfig, credentials, backends.
pub(crate) const LARGEST_CONFIGURATION: u64 = 1 << 20;

/// The text of a file that configures this program.
pub(crate) fn read_configuration(path: &Path) -> io::Result<Vec<u8>> {
    // The usual way to say that there is no kubeconfig.
    if path == Path::new("/dev/null") {
        return Ok(vec![]);
    }
    read(open(path)?, LARGEST_CONFIGURATION, LARGEST_CONFIGURATION)
}

/// Refuses what another library is about to read whole: devices, and files beyond the bound.
pub(crate) fn check_configuration(path: &Path) -> io::Result<()> {
    let metadata = path.metadata()?;
    check_kind(&metadata)?;
    if metadata.len() > LARGEST_CONFIGURATION {
        return Err(too_large(LARGEST_CONFIGURATION));
    }
    Ok(())
}

/// The text of a file of manifests.
pub(super) fn read_manifests(path: &Path) -> io::Result<String> {
    text(read(open(path)?, LARGEST_FILE, LARGEST_PIPE)?)
}

/// The text of manifests on standard input.
pub(super) fn read_stdin() -> io::Result<String> {
    let stdin = io::stdin();
    #[cfg(unix)]
    let largest = {
        use std::os::fd::AsFd;
        let file = File::from(stdin.as_fd().try_clone_to_owned()?);
        let is_terminal = io::IsTerminal::is_terminal(&stdin);
        if is_terminal {
            LARGEST_PIPE
        } else {
            largest(&file, LARGEST_FILE, LARGEST_PIPE)?
        }
    };
    #[cfg(not(unix))]
    let largest = LARGEST_PIPE;
    text(read_at_most(stdin.lock(), largest, 0)?)
}

/// Bytes that must be UTF-8.
pub(crate) fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes)
        .map_err(|_| Error::new(ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
}

fn open(path: &Path) -> io::Result<File> {
    // Before it is opened: opening a device may already do something.
    check_kind(&path.metadata()?)?;
    File::open(path)
}

fn read(file: File, file_bound: u64, pipe_bound: u64) -> io::Result<Vec<u8>> {
    let length = file.metadata().map_or(0, |metadata| metadata.len());
    let largest = largest(&file, file_bound, pipe_bound)?;
    read_at_most(file, largest, length.min(largest))
}

/// How much may be read, by what it is.
fn largest(file: &File, file_bound: u64, pipe_bound: u64) -> io::Result<u64> {
    let metadata = file.metadata()?;
    check_kind(&metadata)?;
    Ok(if metadata.is_file() {
        file_bound
    } else {
        pipe_bound
    })
}

fn check_kind(metadata: &std::fs::Metadata) -> io::Result<()> {
    #[cfg(unix)]
    let is_pipe = {
        use std::os::unix::fs::FileTypeExt;
        let kind = metadata.file_type();
        kind.is_fifo() || kind.is_socket()
    };
    #[cfg(not(unix))]
    let is_pipe = false;
    if metadata.is_file() || is_pipe {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::InvalidInput,
        "not a regular file or a pipe",
    ))
}

fn read_at_most(from: impl Read, largest: u64, expected: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or(0) + 1);
    from.take(largest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest {
        return Err(too_large(largest));
    }
    Ok(bytes)
}

fn too_large(bound: u64) -> Error {
    let bound = match bound {
        LARGEST_CONFIGURATION => "1 MiB",
        LARGEST_PIPE => "2 GiB",
        _ => "4 GiB",
    };
    Error::new(ErrorKind::FileTooLarge, format!("larger than {bound}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(result: io::Result<Vec<u8>>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn a_device_is_not_read() {
        for device in ["/dev/zero", "/dev/urandom", "/dev/full"] {
            let device = Path::new(device);
            let wanted = "not a regular file or a pipe";
            assert_eq!(message(read_configuration(device)), wanted);
            assert_eq!(read_manifests(device).unwrap_err().to_string(), wanted);
        }
        assert!(
            read_configuration(Path::new("/dev/null"))
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn nothing_is_read_past_its_bound() {
        let endless = || io::repeat(b'x');
        let read = |largest| message(read_at_most(endless(), largest, 0));
        assert_eq!(read(LARGEST_CONFIGURATION), "larger than 1 MiB");
        let exact = read_at_most(endless().take(7), 7, 0).unwrap();
        assert_eq!(exact.len(), 7);
    }
}
