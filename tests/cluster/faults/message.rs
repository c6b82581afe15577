//! HTTP/1.1 messages as far as an API server and its clients exchange them: read whole, with a body
//! by length, in chunks or to the end, and written again with a length. Who sends them where is in
//! `proxy.rs` and `api.rs`.

use std::io::{self, BufRead, Read, Write};

use serde_json::Value;

/// Header fields in the order they came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Headers(Vec<(String, String)>);

impl Headers {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let is = |field: &&(String, String)| field.0.eq_ignore_ascii_case(name);
        self.0.iter().find(is).map(|(_, value)| value.as_str())
    }

    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.remove(name);
        self.0.push((name.to_owned(), value.to_owned()));
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.0.retain(|field| !field.0.eq_ignore_ascii_case(name));
    }

    fn has(&self, name: &str, word: &str) -> bool {
        let words = self.get(name).unwrap_or_default().to_ascii_lowercase();
        words.split(',').any(|found| found.trim() == word)
    }

    fn read(input: &mut impl BufRead) -> io::Result<Self> {
        let mut fields = Vec::new();
        loop {
            let line = read_line(input)?.ok_or(io::ErrorKind::UnexpectedEof)?;
            if line.is_empty() {
                return Ok(Self(fields));
            }
            let (name, value) = line.split_once(':').ok_or_else(|| malformed(&line))?;
            fields.push((name.to_owned(), value.trim().to_owned()));
        }
    }

    fn write(&self, text: &mut String) {
        for (name, value) in &self.0 {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str("\r\n");
    }
}

/// What a client asks for.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) headers: Headers,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// The next request of a connection; none when the client has closed it.
    pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Self>> {
        let Some(line) = read_line(input)? else {
            return Ok(None);
        };
        let mut parts = line.split(' ');
        let (Some(method), Some(target), Some("HTTP/1.1"), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(malformed(&line));
        };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let headers = Headers::read(input)?;
        let body = if headers.has("transfer-encoding", "chunked") {
            read_chunks(input)?
        } else {
            let length = headers.get("content-length").unwrap_or("0");
            read_length(input, length)?
        };
        Ok(Some(Self {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            headers,
            body,
        }))
    }

    /// Writes it for a server that is to close the connection after its answer.
    pub(crate) fn write(&self, output: &mut impl Write) -> io::Result<()> {
        let mut headers = self.headers.clone();
        headers.remove("transfer-encoding");
        headers.set("Connection", "close");
        headers.set("Content-Length", &self.body.len().to_string());
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.target());
        headers.write(&mut head);
        output.write_all(head.as_bytes())?;
        output.write_all(&self.body)?;
        output.flush()
    }

    /// Path and query.
    pub(crate) fn target(&self) -> String {
        if self.query.is_empty() {
            return self.path.clone();
        }
        format!("{}?{}", self.path, self.query)
    }

    /// The value of a query parameter as it is written.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        let pairs = self
            .query
            .split('&')
            .filter_map(|pair| pair.split_once('='));
        pairs
            .into_iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    }

    /// Does it change something? A dry run does not, and neither does asking what one may do.
    pub(crate) fn is_write(&self) -> bool {
        let changes = ["POST", "PUT", "PATCH", "DELETE"].contains(&self.method.as_str());
        let asks = self.path.starts_with("/apis/authorization.k8s.io/");
        changes && !asks && self.parameter("dryRun").is_none()
    }

    /// Is its answer one without an end?
    pub(crate) fn is_stream(&self) -> bool {
        ["watch", "follow"]
            .iter()
            .any(|name| matches!(self.parameter(name), Some("true" | "1")))
    }

    pub(crate) fn wants_close(&self) -> bool {
        self.headers.has("connection", "close")
    }
}

/// What a server answers.
#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Headers,
    pub(crate) body: Vec<u8>,
}

impl Response {
    /// An answer made here.
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        let mut headers = Headers::default();
        headers.set("Content-Type", "application/json");
        Self {
            status,
            headers,
            body: body.to_string().into_bytes(),
        }
    }

    /// An answer as far as its body, which has not been read yet.
    pub(crate) fn read_head(input: &mut impl BufRead) -> io::Result<Self> {
        loop {
            let line = read_line(input)?.ok_or(io::ErrorKind::UnexpectedEof)?;
            let status = line.split(' ').nth(1).and_then(|word| word.parse().ok());
            let status: u16 = status.ok_or_else(|| malformed(&line))?;
            let headers = Headers::read(input)?;
            if status >= 200 {
                return Ok(Self {
                    status,
                    headers,
                    body: Vec::new(),
                });
            }
        }
    }

    /// The whole answer to a request of this method.
    pub(crate) fn read(input: &mut impl BufRead, method: &str) -> io::Result<Self> {
        let mut answer = Self::read_head(input)?;
        let is_empty = method == "HEAD" || matches!(answer.status, 204 | 304);
        if is_empty {
            return Ok(answer);
        }
        answer.body = if answer.headers.has("transfer-encoding", "chunked") {
            read_chunks(input)?
        } else if let Some(length) = answer.headers.get("content-length") {
            read_length(input, length)?
        } else {
            let mut body = Vec::new();
            input.read_to_end(&mut body)?;
            body
        };
        Ok(answer)
    }

    /// Writes the whole answer; the connection stays as it is.
    pub(crate) fn write(&self, output: &mut impl Write, method: &str) -> io::Result<()> {
        let mut headers = self.headers.clone();
        headers.remove("transfer-encoding");
        headers.remove("connection");
        if method != "HEAD" && self.status != 204 && self.status != 304 {
            headers.set("Content-Length", &self.body.len().to_string());
        }
        let mut head = format!("HTTP/1.1 {} \r\n", self.status);
        headers.write(&mut head);
        output.write_all(head.as_bytes())?;
        output.write_all(&self.body)?;
        output.flush()
    }

    /// Writes the head of an answer whose body follows as the server sends it.
    pub(crate) fn write_head(&self, output: &mut impl Write) -> io::Result<()> {
        let mut headers = self.headers.clone();
        headers.set("Connection", "close");
        let mut head = format!("HTTP/1.1 {} \r\n", self.status);
        headers.write(&mut head);
        output.write_all(head.as_bytes())?;
        output.flush()
    }
}

/// A line without its end; none at the end of the input.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    if input.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    if !line.ends_with('\n') {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()))
}

fn read_length(input: &mut impl BufRead, length: &str) -> io::Result<Vec<u8>> {
    let length = length.parse().map_err(|_| malformed(length))?;
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    Ok(body)
}

fn read_chunks(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let line = read_line(input)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = u64::from_str_radix(size, 16).map_err(|_| malformed(&line))?;
        if size == 0 {
            Headers::read(input)?;
            return Ok(body);
        }
        let read = input.by_ref().take(size).read_to_end(&mut body)?;
        let end = read_line(input)?;
        if u64::try_from(read) != Ok(size) || end.as_deref() != Some("") {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("malformed: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> io::Result<Option<Request>> {
        Request::read(&mut text.as_bytes())
    }

    #[test]
    fn a_request_is_read_with_its_body_by_length_and_in_chunks() {
        let by_length = "PUT /a/b?x=1&dryRun=All HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello";
        let request = parsed(by_length).unwrap().unwrap();
        assert_eq!(
            (request.path.as_str(), request.body.as_slice()),
            ("/a/b", b"hello".as_slice())
        );
        assert_eq!(request.parameter("dryRun"), Some("All"));
        assert!(!request.is_write(), "a dry run");
        let chunks = "POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x\r\nlo\r\n0\r\n\r\n";
        let request = parsed(chunks).unwrap().unwrap();
        assert_eq!(request.body, b"hello");
        assert!(request.is_write());
    }

    #[test]
    fn what_is_cut_off_or_no_request_is_an_error() {
        assert!(parsed("").unwrap().is_none());
        for text in [
            "GET / HTTP/1.1\r\n",
            "PUT / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhell",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
            "hello there\r\n\r\n",
            "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        ] {
            assert!(parsed(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn an_answer_without_a_length_goes_to_the_end() {
        let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nall of it";
        let answer = Response::read(&mut text.as_bytes(), "GET").unwrap();
        assert_eq!(
            (answer.status, answer.body.as_slice()),
            (200, b"all of it".as_slice())
        );
    }
}
