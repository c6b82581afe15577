//! What becomes of each request that passes the proxy: a script is asked before it is forwarded and
//! after its answer has come, and may look, act elsewhere, wait, answer in the server's place or
//! break the connection.

use std::sync::Arc;

use super::message::{Request, Response};

/// The how-manyth request it is, from 1, among all and among those that change something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    pub(crate) of_all: usize,
    /// None for a read.
    pub(crate) of_writes: Option<usize>,
}

/// Which requests are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counted {
    All,
    Writes,
}

impl Counted {
    pub(crate) fn number(self, number: Number) -> Option<usize> {
        match self {
            Self::All => Some(number.of_all),
            Self::Writes => number.of_writes,
        }
    }
}

/// What is done with a request.
#[derive(Debug)]
pub(crate) enum Action {
    Forward,
    /// The server never sees it.
    Answer(Response),
    /// The server never sees it, and the client no answer.
    Drop,
}

/// What is done with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    Deliver,
    /// The server has acted, and the client never learns of it.
    Drop,
}

/// Asked by several connections at once.
pub(crate) trait Script: Send + Sync {
    fn before(&self, _number: Number, _request: &Request) -> Action {
        Action::Forward
    }

    fn after(&self, _number: Number, _request: &Request, _answer: &Response) -> Delivery {
        Delivery::Deliver
    }
}

/// Every request passes.
pub(crate) struct Pass;

impl Script for Pass {}

/// A test keeps hold of its script to ask it what happened.
impl<S: Script + ?Sized> Script for Arc<S> {
    fn before(&self, number: Number, request: &Request) -> Action {
        (**self).before(number, request)
    }

    fn after(&self, number: Number, request: &Request, answer: &Response) -> Delivery {
        (**self).after(number, request, answer)
    }
}

/// Several scripts, in order: the first that does not let a request pass decides.
impl Script for Vec<Arc<dyn Script>> {
    fn before(&self, number: Number, request: &Request) -> Action {
        for script in self {
            match script.before(number, request) {
                Action::Forward => {}
                decided => return decided,
            }
        }
        Action::Forward
    }

    fn after(&self, number: Number, request: &Request, answer: &Response) -> Delivery {
        let dropped = self
            .iter()
            .any(|script| script.after(number, request, answer) == Delivery::Drop);
        if dropped {
            Delivery::Drop
        } else {
            Delivery::Deliver
        }
    }
}

/// A closure asked before each request.
pub(crate) struct Before<F>(pub(crate) F);

impl<F: Fn(Number, &Request) -> Action + Send + Sync> Script for Before<F> {
    fn before(&self, number: Number, request: &Request) -> Action {
        (self.0)(number, request)
    }
}

/// A closure asked after each answer.
pub(crate) struct After<F>(pub(crate) F);

impl<F: Fn(Number, &Request, &Response) -> Delivery + Send + Sync> Script for After<F> {
    fn after(&self, number: Number, request: &Request, answer: &Response) -> Delivery {
        (self.0)(number, request, answer)
    }
}
