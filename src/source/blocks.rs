//! What each group's histogram got in consecutive parts of a window. How much these differ from one another tells how much
//! two windows may differ although nothing has changed: waits come in bursts, and the samples of one are not independent.

use std::collections::HashMap;

use super::decode::Group;
use crate::plan::histogram::Histogram;

/// When there are so many parts, two and two become one.
const MOST: usize = 32;
/// With more groups than this the parts are not kept: reading them would cost more than they are worth.
const MOST_GROUPS: usize = 512;

/// The parts so far; what is given are sums since the window's start.
#[derive(Debug, Default)]
pub struct Blocks {
    groups: HashMap<Vec<u64>, Parts>,
    parts: usize,
    given_up: bool,
}

#[derive(Debug, Default)]
struct Parts {
    sum: Histogram,
    parts: Vec<Histogram>,
}

impl Blocks {
    /// Whether further parts are wanted.
    pub fn wants_more(&self) -> bool {
        !self.given_up
    }

    /// A part has ended. Gives whether the parts have become twice as long.
    pub fn end_part<'g>(&mut self, sums: impl Iterator<Item = (&'g [u64], &'g Histogram)>) -> bool {
        if self.given_up {
            return false;
        }
        for (key, sum) in sums {
            let group = match self.groups.get_mut(key) {
                Some(group) => group,
                None => self.groups.entry(key.to_vec()).or_default(),
            };
            group.parts.resize(self.parts, Histogram::default());
            group.parts.push(difference(sum, &group.sum));
            group.sum = sum.clone();
        }
        self.parts += 1;
        if self.groups.len() > MOST_GROUPS {
            *self = Blocks { given_up: true, ..Blocks::default() };
            return false;
        }
        if self.parts < MOST {
            return false;
        }
        self.parts = self.parts.div_ceil(2);
        for group in self.groups.values_mut() {
            group.parts = group.parts.chunks(2).map(merged).collect();
        }
        true
    }

    /// The window has ended: each group gets its parts.
    pub fn finish(mut self, groups: &mut [Group]) {
        if self.given_up || self.parts == 0 {
            return;
        }
        let sums: Vec<(Vec<u64>, Histogram)> =
            groups.iter().map(|group| (group.key.clone(), group.cell.histogram.clone())).collect();
        self.end_part(sums.iter().map(|(key, sum)| (key.as_slice(), sum)));
        for group in groups {
            if let Some(parts) = self.groups.remove(&group.key) {
                group.cell.blocks = parts.parts;
                group.cell.blocks.resize(self.parts, Histogram::default());
            }
        }
    }
}

fn merged(two: &[Histogram]) -> Histogram {
    let mut sum = Histogram::default();
    two.iter().for_each(|one| sum.merge(one));
    sum
}

/// What was added. Counters that are read while they are written never go back, each by itself.
fn difference(now: &Histogram, before: &Histogram) -> Histogram {
    let mut known = before.buckets.iter().peekable();
    let mut buckets = Vec::new();
    for &(slot, count) in &now.buckets {
        while known.next_if(|(other, _)| *other < slot).is_some() {}
        let had = known.next_if(|(other, _)| *other == slot).map_or(0, |(_, count)| *count);
        if count > had {
            buckets.push((slot, count - had));
        }
    }
    Histogram { buckets }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Cell;

    fn histogram(buckets: &[(u16, u64)]) -> Histogram {
        Histogram { buckets: buckets.to_vec() }
    }

    fn group(key: u64, buckets: &[(u16, u64)]) -> Group {
        Group { key: vec![key], cell: Cell { histogram: histogram(buckets), ..Cell::default() } }
    }

    #[test]
    fn parts_are_what_was_added_since_the_last() {
        let mut blocks = Blocks::default();
        let one = histogram(&[(3, 2)]);
        blocks.end_part([(&[1u64][..], &one)].into_iter());
        let (one, two) = (histogram(&[(3, 2), (5, 1)]), histogram(&[(9, 4)]));
        blocks.end_part([(&[1u64][..], &one), (&[2u64][..], &two)].into_iter());
        let mut groups = [group(1, &[(3, 7), (5, 1)]), group(2, &[(9, 4)])];
        blocks.finish(&mut groups);
        let none = histogram(&[]);
        assert_eq!(groups[0].cell.blocks, [histogram(&[(3, 2)]), histogram(&[(5, 1)]), histogram(&[(3, 5)])]);
        assert_eq!(groups[1].cell.blocks, [none.clone(), histogram(&[(9, 4)]), none]);
    }

    #[test]
    fn many_parts_become_half_as_many_and_lose_nothing() {
        let mut blocks = Blocks::default();
        let mut doubled = 0;
        for n in 1..=100u64 {
            let sum = histogram(&[(1, n)]);
            doubled += usize::from(blocks.end_part([(&[0u64][..], &sum)].into_iter()));
        }
        let mut groups = [group(0, &[(1, 100)])];
        blocks.finish(&mut groups);
        let parts = &groups[0].cell.blocks;
        assert!(doubled == 5 && parts.len() <= MOST && parts.len() >= MOST / 2, "{doubled} {}", parts.len());
        assert_eq!(parts.iter().map(Histogram::total).sum::<u64>(), 100);
    }

    #[test]
    fn too_many_groups_have_no_parts() {
        let mut blocks = Blocks::default();
        let sum = histogram(&[(1, 1)]);
        let keys: Vec<[u64; 1]> = (0..600).map(|key| [key]).collect();
        blocks.end_part(keys.iter().map(|key| (&key[..], &sum)));
        assert!(!blocks.wants_more());
        let mut groups = [group(0, &[(1, 1)])];
        blocks.finish(&mut groups);
        assert!(groups[0].cell.blocks.is_empty());
    }
}
