//! Who is told about the progress of an apply, and who can stop it.

use crate::conventions::object_ref::ObjectKey;
use std::time::Duration;

/// Receives the progress of a run.
pub(crate) trait ProgressListener {
    /// The run works on these objects.
    fn expect(&mut self, objects: &mut dyn Iterator<Item = String>);
    /// The next request may change something.
    fn begin_write(&mut self);
    /// The run begins with an object.
    fn start(&mut self, object: &str);
    /// The run is done with an object.
    fn finish(&mut self, object: &str);
    /// Kubernetes reported something about an object.
    fn report(&mut self, about: &ObjectKey, message: &str);
    /// The run waits, and has waited for so long.
    fn wait(&mut self, what: &str, waited: Duration);
    /// Whether the run should begin no further object.
    fn is_stopping(&self) -> bool;
}

/// Passes everything on, but never stops: what a failure leaves is removed after a signal too.
pub(crate) struct Unstoppable<'a>(pub(crate) &'a mut dyn ProgressListener);

impl ProgressListener for Unstoppable<'_> {
    fn expect(&mut self, objects: &mut dyn Iterator<Item = String>) {
        self.0.expect(objects);
    }
    fn begin_write(&mut self) {
        self.0.begin_write();
    }
    fn start(&mut self, object: &str) {
        self.0.start(object);
    }
    fn finish(&mut self, object: &str) {
        self.0.finish(object);
    }
    fn report(&mut self, about: &ObjectKey, message: &str) {
        self.0.report(about, message);
    }
    fn wait(&mut self, what: &str, waited: Duration) {
        self.0.wait(what, waited);
    }
    fn is_stopping(&self) -> bool {
        false
    }
}

/// For short runs without a report.
pub(crate) struct Silent;

impl ProgressListener for Silent {
    fn expect(&mut self, _: &mut dyn Iterator<Item = String>) {}
    fn begin_write(&mut self) {}
    fn start(&mut self, _: &str) {}
    fn finish(&mut self, _: &str) {}
    fn report(&mut self, _: &ObjectKey, _: &str) {}
    fn wait(&mut self, _: &str, _: Duration) {}
    fn is_stopping(&self) -> bool {
        false
    }
}
