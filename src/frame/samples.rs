//! The distributions of which a frame's percentiles are a few numbers. They stay beside the frame, also in its file, so
//! that two results can be compared.

use serde::{Deserialize, Serialize};

use super::Measured;
use super::grouping::Group;
use crate::catalog::{Column, Kind};
use crate::lang::ast::Stat;
use crate::plan::histogram::Histogram;
use crate::plan::{Rest, StatColumn};

/// Of a frame whose query has a histogram or a percentile.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// What was measured.
    pub measure: String,
    pub nanoseconds: bool,
    /// The columns by which the rows are grouped; that of the interval is none of them.
    pub keys: Vec<String>,
    /// The percentiles that were asked for, in millionths.
    pub quantiles: Vec<u32>,
    pub groups: Vec<Sample>,
}

/// Of one group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The first row of the frame that is the group's, by which its keys are found.
    pub row: usize,
    /// What came in consecutive parts of the window: together all of it. One part when it is not known when what came.
    #[serde(with = "buckets")]
    pub blocks: Vec<Histogram>,
}

impl Samples {
    pub(super) fn of(measure: &Column, rest: &Rest) -> Samples {
        let percentile = |stat: &StatColumn| match stat.stat {
            Stat::Percentile(millionths) => Some(millionths),
            _ => None,
        };
        Samples {
            measure: measure.name.to_owned(),
            nanoseconds: measure.kind == Kind::Duration,
            keys: rest.by.iter().map(|column| column.name.to_owned()).collect(),
            quantiles: rest.stats.iter().filter_map(percentile).collect(),
            groups: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, row: usize, group: &Group) {
        let whole = group.histogram();
        let blocks = group.blocks();
        // Parts that do not add up (a filter of the frame's own, or groups merged of which some have none) say nothing.
        let adds_up = blocks.iter().map(Histogram::total).sum::<u64>() == whole.total();
        let blocks = if adds_up && blocks.len() > 1 { blocks.to_vec() } else { vec![whole] };
        self.groups.push(Sample { row, blocks });
    }

    /// Of a frame whose rows stand behind so many others.
    pub(super) fn append(&mut self, mut more: Samples, rows: usize) {
        more.groups.iter_mut().for_each(|sample| sample.row += rows);
        self.groups.append(&mut more.groups);
    }

    /// How many buckets all parts have.
    pub fn buckets(&self) -> usize {
        self.groups.iter().flat_map(|group| &group.blocks).map(|block| block.buckets.len()).sum()
    }

    /// The same without parts.
    pub fn in_one(&self) -> Samples {
        let whole = |sample: &Sample| {
            let mut whole = Histogram::default();
            sample.blocks.iter().for_each(|block| whole.merge(block));
            Sample { row: sample.row, blocks: vec![whole] }
        };
        Samples { groups: self.groups.iter().map(whole).collect(), ..self.clone() }
    }

    pub fn unit(&self) -> Measured {
        if self.nanoseconds { Measured::Nanoseconds } else { Measured::Plain }
    }
}

/// As pairs of a bucket's number and its count.
mod buckets {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Histogram;
    use crate::plan::histogram::SLOTS;

    pub fn serialize<S: Serializer>(blocks: &[Histogram], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(blocks.iter().map(|block| &block.buckets))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Histogram>, D::Error> {
        let blocks: Vec<Vec<(u16, u64)>> = Vec::deserialize(from)?;
        let ascend = |block: &Vec<(u16, u64)>| block.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let known = |block: &Vec<(u16, u64)>| block.iter().all(|(slot, _)| usize::from(*slot) < SLOTS);
        if !blocks.iter().all(|block| ascend(block) && known(block)) {
            return Err(serde::de::Error::custom("the buckets of a histogram are out of order"));
        }
        Ok(blocks.into_iter().map(|buckets| Histogram { buckets }).collect())
    }
}
