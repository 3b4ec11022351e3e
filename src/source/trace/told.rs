//! The columns of a row group that tell who tasks are and what was lost.

use polars_parquet::parquet::page::FormatEncoding;

use super::chunk::{Chunk, Dictionary, Rare, Unpack};
use super::decode::{self, Malformed, Room};
use super::error::Error;
use super::read::Recording;
use super::schema::{COLUMNS, IDENTITIES, Id, LOSSES, Type, policy_number};
use crate::catalog::event::{self, Gap, Identity, Kind, NO_CGROUP, who};

pub struct Told {
    who: Option<Who>,
    lost: Option<Lost>,
}

struct Who {
    tgid: Rare<i64>,
    process: Rare<[u8; 16]>,
    policy: Rare<u32>,
    nice: Rare<i64>,
    cgroup: Rare<u32>,
    /// By the key in `cgroup`.
    paths: Vec<String>,
    cgroup_id: Rare<i64>,
    flags: [(u8, Rare<bool>); 5],
    born: Rare<i64>,
    parent: Rare<i64>,
    old: Rare<i64>,
}

struct Lost {
    count: Rare<i64>,
    from: Rare<i64>,
    cause: Rare<u32>,
    causes: Vec<&'static str>,
}

/// What the columns that all rows have say of an identity.
pub struct Frame {
    pub at: u64,
    pub kind: Kind,
    pub cpu: u16,
    pub tid: u32,
    pub state: u32,
    pub comm: [u8; 16],
    pub prio: i32,
}

impl Told {
    /// Reads those that the group has rows of.
    pub fn read(recording: &Recording, group: usize, identities: bool, unpack: &mut Unpack) -> Result<Told, Error> {
        let mut read = Read { recording, group, unpack };
        let there = &recording.groups()[group];
        let who = if identities && there.count_of(IDENTITIES) > 0 {
            let (policy, policies) = read.texts(Id::Policy)?;
            let numbers: Option<Vec<u32>> = policies.iter().map(|word| policy_number(word)).collect();
            let numbers = numbers.ok_or_else(|| recording.damaged(group, Id::Policy))?;
            let (cgroup, paths) = read.texts(Id::Cgroup)?;
            Some(Who {
                tgid: read.ints(Id::Tgid)?,
                process: read.names(Id::Process)?,
                policy: policy.map(|key| numbers[key as usize]),
                nice: read.ints(Id::Nice)?,
                cgroup,
                paths,
                cgroup_id: read.ints(Id::CgroupId)?,
                flags: [
                    (who::KTHREAD, read.flags(Id::Kthread)?),
                    (who::RECORDER, read.flags(Id::Recorder)?),
                    (who::CHILD, read.flags(Id::Child)?),
                    (who::WANTED, read.flags(Id::Wanted)?),
                    (who::RUNNING, read.flags(Id::Running)?),
                ],
                born: read.ints(Id::Born)?,
                parent: read.ints(Id::ParentTid)?,
                old: read.ints(Id::OldTid)?,
            })
        } else {
            None
        };
        let lost = if there.count_of(LOSSES) > 0 {
            let (cause, causes) = read.texts(Id::LostCause)?;
            // A cause that a later version has found is told in the file's account by its own name.
            let known =
                |key: &String| event::LOSSES.iter().find(|(known, _)| known == key).map_or("other", |(key, _)| key);
            let causes = causes.iter().map(known).collect();
            Some(Lost { count: read.ints(Id::Lost)?, from: read.ints(Id::LostFrom)?, cause, causes })
        } else {
            None
        };
        Ok(Told { who, lost })
    }

    /// Who the task of a row is, and the path of its cgroup if it is known; rows are asked in order.
    pub fn identity(&mut self, row: u32, frame: Frame) -> Option<(Identity, Option<&str>)> {
        let all = self.who.as_mut()?;
        let mut flags = 0;
        for (bit, column) in &mut all.flags {
            if column.take(row)? {
                flags |= *bit;
            }
        }
        let other = match frame.kind {
            Kind::Fork => all.parent.take(row)?,
            Kind::Exec => all.old.take(row)?,
            _ => 0,
        };
        let who = Identity {
            at: frame.at,
            tid: frame.tid,
            other: other as u32,
            state: frame.state,
            cpu: frame.cpu,
            kind: frame.kind,
            flags,
            born: all.born.take(row)? as u64,
            cgroup: all.cgroup_id.take(row).map_or(NO_CGROUP, |id| id as u64),
            comm: frame.comm,
            process: all.process.take(row)?,
            tgid: all.tgid.take(row)? as u32,
            prio: frame.prio,
            policy: all.policy.take(row)?,
            nice: all.nice.take(row)? as i32,
        };
        Some((who, all.cgroup.take(row).map(|key| all.paths[key as usize].as_str())))
    }

    pub fn gap(&mut self, row: u32, to: u64, cpu: Option<u16>) -> Option<Gap> {
        let lost = self.lost.as_mut()?;
        let cause = lost.causes[lost.cause.take(row)? as usize];
        Some(Gap { from: lost.from.take(row)? as u64, to, cpu, count: lost.count.take(row)? as u64, cause })
    }
}

struct Read<'a> {
    recording: &'a Recording,
    group: usize,
    unpack: &'a mut Unpack,
}

impl Read<'_> {
    fn column<T>(
        &mut self,
        id: Id,
        encoding: FormatEncoding,
        make: impl FnMut(&[u8], usize, &Dictionary) -> Result<Vec<T>, Malformed>,
    ) -> Result<Rare<T>, Error> {
        let bytes = self.recording.chunk(self.group, id)?;
        let all = Chunk::new(id, bytes, self.unpack).and_then(|chunk| chunk.all(self.unpack, encoding, make));
        all.map_err(|Malformed| self.recording.damaged(self.group, id))
    }

    fn ints(&mut self, id: Id) -> Result<Rare<i64>, Error> {
        let short = COLUMNS[id as usize].kind == Type::Int32;
        self.column(id, FormatEncoding::PLAIN, |plain, count, _| match short {
            true => Ok(decode::int32s(plain, count)?.into_iter().map(i64::from).collect()),
            false => decode::int64s(plain, count),
        })
    }

    fn flags(&mut self, id: Id) -> Result<Rare<bool>, Error> {
        self.column(id, FormatEncoding::PLAIN, |plain, count, _| {
            let mut bits = Vec::new();
            decode::bits(plain, count, &mut bits)?;
            bits.resize(count, 0);
            Ok(bits.into_iter().map(|bit| bit != 0).collect())
        })
    }

    /// Keys, and the texts that they stand for.
    fn texts(&mut self, id: Id) -> Result<(Rare<u32>, Vec<String>), Error> {
        let mut texts = Vec::new();
        let keys = self.column(id, FormatEncoding::RLE_DICTIONARY, |plain, count, dictionary| {
            if let Dictionary::Texts(words) = dictionary
                && texts.is_empty()
            {
                texts.clone_from(words);
            }
            let numbers: Vec<u32> = (0..texts.len() as u32).collect();
            values(plain, count, &numbers)
        })?;
        Ok((keys, texts))
    }

    fn names(&mut self, id: Id) -> Result<Rare<[u8; 16]>, Error> {
        self.column(id, FormatEncoding::RLE_DICTIONARY, |plain, count, dictionary| {
            let names = match dictionary {
                Dictionary::Names(names) => names.as_slice(),
                _ => &[],
            };
            values(plain, count, names)
        })
    }
}

fn values<T: Copy + Default>(plain: &[u8], count: usize, dictionary: &[T]) -> Result<Vec<T>, Malformed> {
    let (mut room, mut out) = (Room::default(), Vec::new());
    decode::keys(plain, count, dictionary.len(), &mut room)?.values(dictionary, &mut out, count);
    Ok(out)
}
