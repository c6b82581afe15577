//! How many claims may come near which volumes: stretches of buckets, counted so that one question costs a few looks.

use super::index::{BucketId, Index};

/// The stretches of all kinds of claims, with their weights.
#[derive(Debug)]
pub(super) struct Tally {
    buckets: Vec<Bucket>,
}

#[derive(Debug, Default)]
struct Bucket {
    places: usize,
    /// Where stretches begin, and where they end; made when the first one comes.
    begins: Sums,
    ends: Sums,
}

impl Tally {
    pub(super) fn new(index: &Index<'_>) -> Self {
        let bucket = |places| Bucket {
            places,
            ..Bucket::default()
        };
        Self {
            buckets: index.bucket_sizes().map(bucket).collect(),
        }
    }

    pub(super) fn add(&mut self, spans: &[(BucketId, u32, u32)], weight: u32) {
        for (bucket, from, to) in spans {
            let bucket = &mut self.buckets[*bucket as usize];
            bucket.begins.add(bucket.places, *from, weight);
            bucket.ends.add(bucket.places, *to, weight);
        }
    }

    pub(super) fn remove(&mut self, spans: &[(BucketId, u32, u32)], weight: u32) {
        for (bucket, from, to) in spans {
            let bucket = &mut self.buckets[*bucket as usize];
            bucket
                .begins
                .add(bucket.places, *from, weight.wrapping_neg());
            bucket.ends.add(bucket.places, *to, weight.wrapping_neg());
        }
    }

    /// The weight of all stretches that have a place between these two.
    pub(super) fn near(&self, bucket: BucketId, from: u32, to: u32) -> u32 {
        let bucket = &self.buckets[bucket as usize];
        // All that begin before the end, without those that end before the beginning.
        let begun = bucket.begins.below(to);
        let over = bucket.ends.below(from + 1);
        begun.wrapping_sub(over)
    }
}

/// Sums over the first places of a list that changes (a Fenwick tree).
#[derive(Debug, Default)]
struct Sums(Vec<u32>);

impl Sums {
    fn add(&mut self, places: usize, place: u32, weight: u32) {
        if self.0.is_empty() {
            self.0 = vec![0; places + 2];
        }
        let mut at = place as usize + 1;
        while at < self.0.len() {
            self.0[at] = self.0[at].wrapping_add(weight);
            at += at & at.wrapping_neg();
        }
    }

    /// The sum of all places below this one.
    fn below(&self, place: u32) -> u32 {
        let mut at = (place as usize).min(self.0.len().saturating_sub(1));
        let mut sum: u32 = 0;
        while at > 0 {
            sum = sum.wrapping_add(self.0[at]);
            at &= at - 1;
        }
        sum
    }
}
