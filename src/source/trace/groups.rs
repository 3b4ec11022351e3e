//! Groups by key: a hash from the key's words to the group's place, and what each group keeps.

use crate::plan::Needs;
use crate::plan::histogram::{Histogram, slot_of};
use crate::source::Cell;
use crate::source::decode::Group;

pub struct Groups {
    needs: Needs,
    /// Buckets of each group's histogram.
    buckets: usize,
    /// Words of a key.
    words: usize,
    most: usize,
    /// What one takes, and what all may, bytes.
    each: u64,
    bytes: u64,
    keys: Vec<u64>,
    kept: Vec<Kept>,
    counts: Vec<u64>,
    /// Places by hash, one more than each; 0: free. A power of two, at least twice as many as there are groups.
    table: Vec<u32>,
    /// Values above the last bucket, counted in it.
    pub clamped: u64,
}

#[derive(Clone, Copy)]
struct Kept {
    count: u64,
    sum: u64,
    min: u64,
    max: u64,
    max_at: u64,
}

const NEW: Kept = Kept { count: 0, sum: 0, min: u64::MAX, max: 0, max_at: 0 };

/// What a group takes beside key and values: its places in the table.
const OVERHEAD: u64 = 16;

impl Groups {
    /// For keys of so many words, in so many bytes; not more than `most` groups, if there is such a bound.
    pub fn new(needs: Needs, buckets: usize, words: usize, bytes: u64, most: Option<u64>) -> Groups {
        let each = (words * 8 + size_of::<Kept>() + buckets * 8) as u64 + OVERHEAD;
        let most = (bytes / each).min(most.unwrap_or(u64::MAX)).clamp(1, u64::from(u32::MAX - 1));
        let bytes = bytes.max(each);
        Groups {
            needs,
            buckets,
            words,
            most: most as usize,
            each,
            bytes,
            keys: Vec::new(),
            kept: Vec::new(),
            counts: Vec::new(),
            table: vec![0; 64],
            clamped: 0,
        }
    }

    /// The key of a group.
    #[inline]
    pub fn key(&self, place: u32) -> &[u64] {
        &self.keys[place as usize * self.words..][..self.words]
    }

    /// The place of a group, made if it is new; `None` when there is no room for it beside others that take so
    /// many bytes.
    pub fn place(&mut self, key: &[u64], others: u64) -> Option<u32> {
        let mask = self.table.len() - 1;
        let mut at = hash(key) as usize & mask;
        while self.table[at] != 0 {
            let place = self.table[at] as usize - 1;
            if self.key(place as u32) == key {
                return Some(place as u32);
            }
            at = (at + 1) & mask;
        }
        let count = self.kept.len();
        if count >= self.most || (count as u64 + 1) * self.each + others > self.bytes {
            return None;
        }
        let place = self.kept.len() as u32;
        self.keys.extend_from_slice(key);
        self.kept.push(NEW);
        self.counts.resize(self.counts.len() + self.buckets, 0);
        self.table[at] = place + 1;
        if self.kept.len() * 2 > self.table.len() {
            self.grow();
        }
        Some(place)
    }

    #[cold]
    fn grow(&mut self) {
        let mask = self.table.len() * 2 - 1;
        self.table = vec![0; mask + 1];
        for place in 0..self.kept.len() {
            let mut at = hash(self.key(place as u32)) as usize & mask;
            while self.table[at] != 0 {
                at = (at + 1) & mask;
            }
            self.table[at] = place as u32 + 1;
        }
    }

    /// A value that ended then.
    #[inline]
    pub fn add(&mut self, place: u32, value: u64, at: u64) {
        let kept = &mut self.kept[place as usize];
        kept.count += 1;
        if self.needs.sum {
            kept.sum = kept.sum.wrapping_add(value);
        }
        if self.needs.extremes && value < kept.min {
            kept.min = value;
        }
        // Of equal maxima the earliest is told; the first value may be zero.
        if (self.needs.extremes || self.needs.max_at) && (value > kept.max || kept.count == 1) {
            kept.max = value;
            if self.needs.max_at {
                kept.max_at = at;
            }
        }
        if self.buckets > 0 {
            let mut bucket = slot_of(value);
            if bucket >= self.buckets {
                self.clamped += 1;
                bucket = self.buckets - 1;
            }
            self.counts[place as usize * self.buckets + bucket] += 1;
        }
    }

    /// What a group holds.
    pub fn cell(&self, place: usize) -> Cell {
        let Kept { count, sum, min, max, max_at } = self.kept[place];
        if count == 0 {
            return Cell::default();
        }
        let histogram = Histogram::from_dense(&self.counts[place * self.buckets..][..self.buckets]);
        Cell { count, sum, min, max, max_at, histogram, blocks: Vec::new() }
    }

    /// Every group.
    pub fn all(&self) -> Vec<Group> {
        let group = |place: usize| Group { key: self.key(place as u32).to_vec(), cell: self.cell(place) };
        (0..self.kept.len()).map(group).collect()
    }

    /// Hands on all groups, `front` before each key, and is empty again.
    pub fn take(&mut self, front: &[u64]) -> Vec<Group> {
        let group = |place: usize| Group { key: [front, self.key(place as u32)].concat(), cell: self.cell(place) };
        let groups = (0..self.kept.len()).map(group).collect();
        self.keys.clear();
        self.kept.clear();
        self.counts.clear();
        self.table.fill(0);
        groups
    }
}

/// What groups take that are handed on, bytes.
pub fn handed_on(groups: &[Group]) -> u64 {
    let one = |group: &Group| size_of::<Group>() + group.key.len() * 8 + group.cell.histogram.buckets.len() * 16;
    groups.iter().map(|group| one(group) as u64).sum()
}

/// Multiplies as it goes: keys are few words, most of them small numbers or names, and nobody picks them to collide but
/// for a slower answer to their own question.
#[inline]
fn hash(key: &[u64]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = key.iter().fold(0u64, |hash, word| (hash.rotate_left(23) ^ word).wrapping_mul(FACTOR));
    // The high bits depend on all of the words, the low ones only on their low ones.
    mixed ^ (mixed >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_found_again_and_bounded() {
        let needs = Needs { sum: true, extremes: true, max_at: true, histogram: true };
        let mut groups = Groups::new(needs, 17, 2, 1 << 20, Some(3000));
        for round in 0..2u64 {
            for n in 0..3000u64 {
                let place = groups.place(&[n << 32, n % 7], 0).unwrap();
                assert_eq!(u64::from(place), n);
                groups.add(place, n + round, 10 - round);
            }
        }
        assert_eq!(groups.place(&[1, 1], 0), None, "no room");
        assert_eq!(groups.place(&[0, 0], 0), Some(0), "one that is there has room");
        let all = groups.take(&[5]);
        assert_eq!(all.len(), 3000);
        assert_eq!(all[12].key, [5, 12 << 32, 5]);
        let histogram = Histogram { buckets: vec![(12, 1), (13, 1)] };
        assert_eq!(all[12].cell, Cell { count: 2, sum: 25, min: 12, max: 13, max_at: 9, histogram, ..Cell::default() });
        // 16 is the last bucket's least value; 17 and all above are counted in it.
        assert_eq!(groups.clamped, 2 * 3000 - 17 - 16);
        // 16 bytes of key, 40 of cell, 17 buckets, 16 of overhead.
        assert_eq!(groups.place(&[1, 1], (1 << 20) - 208), Some(0), "it is empty again");
        assert_eq!(groups.place(&[1, 2], (1 << 20) - 2 * 208 + 1), None, "others take room too");
        assert_eq!(groups.place(&[1, 2], (1 << 20) - 2 * 208), Some(1));
    }

    #[test]
    fn of_equal_maxima_the_earliest_is_told() {
        let needs = Needs { max_at: true, extremes: true, ..Needs::default() };
        let mut groups = Groups::new(needs, 0, 0, 1 << 10, None);
        groups.place(&[], 0);
        [(0, 3), (7, 5), (7, 6)].into_iter().for_each(|(value, at)| groups.add(0, value, at));
        let expected = Cell { count: 3, min: 0, max: 7, max_at: 5, ..Cell::default() };
        assert_eq!(groups.cell(0), expected);
    }
}
