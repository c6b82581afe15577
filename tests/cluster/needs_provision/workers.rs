//! Several scenes at a time: each has a place and a yard of its own, and most of the time of each is spent
//! waiting.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

const AT_A_TIME: usize = 4;

/// The results of all, in no order.
pub(in crate::cluster) fn for_all<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME.min(items.len()) {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = work(item);
                    results.lock().unwrap().push(result);
                }
            });
        }
    });
    results.into_inner().unwrap()
}

#[test]
fn each_is_worked_on_once() {
    let items: Vec<usize> = (0..100).collect();
    let mut results = for_all(&items, |item| item * 2);
    results.sort_unstable();
    let expected: Vec<usize> = items.iter().map(|item| item * 2).collect();
    assert_eq!(results, expected);
}
