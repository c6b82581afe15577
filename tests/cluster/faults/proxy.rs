//! A reverse proxy on loopback in front of an API server that speaks plain HTTP (the real one through
//! `kubectl proxy`): it reads every request whole, numbers it, asks its script, forwards it on a
//! connection of its own and notes how it ended. It ends with its value.

use std::io::{self, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use super::log::{End, Entry, Log};
use super::message::{Request, Response};
use super::script::{Action, Delivery, Number, Script};
use crate::support::TemporaryFile;

pub(crate) struct Proxy {
    shared: Arc<Shared>,
    address: SocketAddr,
    kubeconfig: TemporaryFile,
    accepting: Option<JoinHandle<()>>,
}

struct Shared {
    upstream: SocketAddr,
    script: Box<dyn Script>,
    log: Log,
    counts: Mutex<Counts>,
    at_rest: Condvar,
    is_closed: AtomicBool,
    clients: Mutex<Vec<TcpStream>>,
}

#[derive(Default)]
struct Counts {
    all: usize,
    writes: usize,
    in_flight: usize,
}

impl Proxy {
    pub(crate) fn start(upstream: SocketAddr, script: impl Script + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("listen on loopback");
        let address = listener
            .local_addr()
            .expect("a bound socket has an address");
        let shared = Arc::new(Shared {
            upstream,
            script: Box::new(script),
            log: Log::default(),
            counts: Mutex::default(),
            at_rest: Condvar::new(),
            is_closed: AtomicBool::new(false),
            clients: Mutex::default(),
        });
        let accepting = {
            let shared = Arc::clone(&shared);
            thread::spawn(move || accept(&listener, &shared))
        };
        Self {
            shared,
            address,
            kubeconfig: TemporaryFile::new("proxy.kubeconfig", &kubeconfig(address)),
            accepting: Some(accepting),
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The path of a kubeconfig that leads here. It names no user: who one is for the API server is
    /// decided by whoever runs `kubectl proxy`.
    pub(crate) fn kubeconfig(&self) -> &str {
        self.kubeconfig.path()
    }

    /// What has passed, when nothing is under way any more.
    pub(crate) fn log(&self) -> Vec<Entry> {
        let mut counts = self.shared.counts();
        while counts.in_flight > 0 {
            let woken = self.shared.at_rest.wait(counts);
            counts = woken.unwrap_or_else(PoisonError::into_inner);
        }
        drop(counts);
        self.shared.log.sorted()
    }

    /// The log as text, one line per request.
    pub(crate) fn show(&self) -> String {
        let lines = self.log().into_iter().map(|entry| format!("  {entry}\n"));
        lines.collect()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.is_closed.store(true, Ordering::SeqCst);
        // Whoever waits for a client gets one, and sees that it is over.
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
        for client in lock(&self.shared.clients).drain(..) {
            let _ = client.shutdown(Shutdown::Both);
        }
    }
}

impl Shared {
    fn counts(&self) -> MutexGuard<'_, Counts> {
        lock(&self.counts)
    }

    fn begin(&self, request: &Request) -> Number {
        let mut counts = self.counts();
        counts.all += 1;
        counts.writes += usize::from(request.is_write());
        counts.in_flight += 1;
        Number {
            of_all: counts.all,
            of_writes: request.is_write().then_some(counts.writes),
        }
    }

    fn end(&self, entry: Entry) {
        self.log.add(entry);
        self.counts().in_flight -= 1;
        self.at_rest.notify_all();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for client in listener.incoming() {
        if shared.is_closed.load(Ordering::SeqCst) {
            return;
        }
        let Ok(client) = client else { continue };
        let Ok(handle) = client.try_clone() else {
            continue;
        };
        lock(&shared.clients).push(handle);
        let shared = Arc::clone(shared);
        thread::spawn(move || {
            // A client that breaks off in the middle is one of the things that happen.
            let _ = serve(&client, &shared);
            let _ = client.shutdown(Shutdown::Both);
        });
    }
}

/// One connection, request by request, until one side or the script ends it.
fn serve(client: &TcpStream, shared: &Shared) -> io::Result<()> {
    client.set_nodelay(true)?;
    let mut input = BufReader::new(client);
    while let Some(request) = Request::read(&mut input)? {
        let number = shared.begin(&request);
        let (end, stays_open) = handle(client, shared, number, &request);
        shared.end(Entry::new(number, &request, end));
        if !stays_open || request.wants_close() {
            break;
        }
    }
    Ok(())
}

/// How a request ended, and whether its connection can be used again.
fn handle(client: &TcpStream, shared: &Shared, number: Number, request: &Request) -> (End, bool) {
    match shared.script.before(number, request) {
        Action::Drop => return (End::DroppedBefore, false),
        Action::Answer(answer) => {
            let written = answer.write(&mut &*client, &request.method).is_ok();
            return (End::Injected(answer.status), written);
        }
        Action::Forward => {}
    }
    if request.is_stream() {
        return stream(client, shared, number, request);
    }
    let Ok(answer) = forward(shared.upstream, request) else {
        return (End::Broken, false);
    };
    if shared.script.after(number, request, &answer) == Delivery::Drop {
        return (End::DroppedAfter(answer.status), false);
    }
    match answer.write(&mut &*client, &request.method) {
        Ok(()) => (End::Answered(answer.status), true),
        Err(_) => (End::Broken, false),
    }
}

/// Sends a request to a server and reads its whole answer.
pub(crate) fn forward(upstream: SocketAddr, request: &Request) -> io::Result<Response> {
    let server = open(upstream, request)?;
    Response::read(&mut BufReader::new(&server), &request.method)
}

fn open(upstream: SocketAddr, request: &Request) -> io::Result<TcpStream> {
    let server = TcpStream::connect(upstream)?;
    server.set_nodelay(true)?;
    let mut request = request.clone();
    // `kubectl proxy` serves nobody who calls it by another name.
    request.headers.set("Host", "localhost");
    request.write(&mut &server)?;
    Ok(server)
}

/// An answer that goes on as long as both sides like, passed on as it comes.
fn stream(client: &TcpStream, shared: &Shared, number: Number, request: &Request) -> (End, bool) {
    let mut status = 0;
    let mut pass = || -> io::Result<End> {
        let server = open(shared.upstream, request)?;
        let mut input = BufReader::new(&server);
        let head = Response::read_head(&mut input)?;
        status = head.status;
        if shared.script.after(number, request, &head) == Delivery::Drop {
            return Ok(End::DroppedAfter(status));
        }
        head.write_head(&mut &*client)?;
        pass_on(&mut input, client)?;
        Ok(End::Answered(status))
    };
    let end = match pass() {
        Ok(end) => end,
        // The client has seen enough: that is how a watch ends.
        Err(_) if status > 0 => End::Answered(status),
        Err(_) => End::Broken,
    };
    (end, false)
}

fn pass_on(input: &mut impl io::BufRead, mut client: &TcpStream) -> io::Result<()> {
    loop {
        let bytes = input.fill_buf()?;
        let length = bytes.len();
        if length == 0 {
            return Ok(());
        }
        client.write_all(bytes)?;
        client.flush()?;
        input.consume(length);
    }
}

fn kubeconfig(address: SocketAddr) -> String {
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: proxy\n\
         clusters:\n- name: proxy\n  cluster: {{server: 'http://{address}'}}\n\
         contexts:\n- name: proxy\n  context: {{cluster: proxy, user: proxy}}\n\
         users:\n- name: proxy\n  user: {{}}\n"
    )
}
