//! A server so small that it can be trusted: what is PUT under a path can be read there, a POST makes a
//! new thing each time, and everything is kept in memory. The proxy's own tests have it where the
//! others have an API server.

use std::collections::BTreeMap;
use std::io::{BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::{Value, json};

use super::message::{Headers, Request, Response};

type Things = BTreeMap<String, String>;

pub(super) struct ToyServer {
    pub(super) address: SocketAddr,
    things: Arc<Mutex<Things>>,
    is_closed: Arc<AtomicBool>,
}

impl ToyServer {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("listen on loopback");
        let server = Self {
            address: listener
                .local_addr()
                .expect("a bound socket has an address"),
            things: Arc::default(),
            is_closed: Arc::default(),
        };
        let things = Arc::clone(&server.things);
        let is_closed = Arc::clone(&server.is_closed);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if is_closed.load(Ordering::SeqCst) {
                    return;
                }
                let things = Arc::clone(&things);
                thread::spawn(move || serve(&client, &things));
            }
        });
        server
    }

    /// All things whose path begins so.
    pub(super) fn things(&self, below: &str) -> Value {
        let things = self.things.lock().unwrap_or_else(PoisonError::into_inner);
        let of_interest = things.iter().filter(|(path, _)| path.starts_with(below));
        of_interest
            .map(|(path, body)| (path.clone(), json!(body)))
            .collect()
    }
}

impl Drop for ToyServer {
    fn drop(&mut self) {
        self.is_closed.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
    }
}

fn serve(client: &TcpStream, things: &Mutex<Things>) {
    let mut input = BufReader::new(client);
    while let Ok(Some(request)) = Request::read(&mut input) {
        if request.is_stream() {
            let chunks = "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n2\r\na\n\r\n2\r\nb\n\r\n0\r\n\r\n";
            let _ = (&*client).write_all(chunks.as_bytes());
            break;
        }
        let answer = answer(&request, things);
        if answer.write(&mut &*client, &request.method).is_err() || request.wants_close() {
            break;
        }
    }
    let _ = client.shutdown(Shutdown::Both);
}

fn answer(request: &Request, things: &Mutex<Things>) -> Response {
    let mut things = things.lock().unwrap_or_else(PoisonError::into_inner);
    let body = String::from_utf8_lossy(&request.body).into_owned();
    let path = match request.method.as_str() {
        "POST" => format!("{}/{}", request.path, things.len()),
        _ => request.path.clone(),
    };
    if ["PUT", "POST"].contains(&request.method.as_str()) {
        things.insert(path.clone(), body);
    }
    let status = if things.contains_key(&path) { 200 } else { 404 };
    Response {
        status,
        headers: Headers::default(),
        body: things.get(&path).cloned().unwrap_or_default().into_bytes(),
    }
}
