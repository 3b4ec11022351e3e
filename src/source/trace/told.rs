//! The columns of a row group that tell who tasks are and what was lost.

use polars_parquet::parquet::page::FormatEncoding;

use super::chunk::{Chunk, Dictionary, Rare, Unpack};
use super::decode::{self, Malformed};
use super::error::Error;
use super::read::Recording;
use super::schema::{COLUMNS, IDENTITIES, Id, LOSSES, Type, policy_number};
use super::tasks::until_nul;
use crate::catalog::event::{self, Gap, Identity, Kind, NO_CGROUP, who};
use crate::name;

pub struct Told {
    who: Option<Who>,
    lost: Option<Lost>,
}

struct Who {
    tgid: Rare<i64>,
    process: Rare<String>,
    policy: Rare<String>,
    nice: Rare<i64>,
    cgroup: Rare<String>,
    cgroup_id: Rare<i64>,
    flags: [(u8, Rare<bool>); 5],
    born: Rare<i64>,
    parent: Rare<i64>,
    old: Rare<i64>,
}

struct Lost {
    count: Rare<i64>,
    from: Rare<i64>,
    cause: Rare<String>,
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
            Some(Who {
                tgid: read.ints(Id::Tgid)?,
                process: read.texts(Id::Process)?,
                policy: read.texts(Id::Policy)?,
                nice: read.ints(Id::Nice)?,
                cgroup: read.texts(Id::Cgroup)?,
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
            Some(Lost {
                count: read.ints(Id::Lost)?,
                from: read.ints(Id::LostFrom)?,
                cause: read.texts(Id::LostCause)?,
            })
        } else {
            None
        };
        Ok(Told { who, lost })
    }

    /// Who the task of a row is, and the path of its cgroup if it is known; rows are asked in order.
    pub fn identity(&mut self, row: u32, frame: Frame) -> Option<(Identity, Option<String>)> {
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
            process: bytes(&all.process.take(row)?),
            tgid: all.tgid.take(row)? as u32,
            prio: frame.prio,
            policy: policy_number(&all.policy.take(row)?)?,
            nice: all.nice.take(row)? as i32,
        };
        Some((who, all.cgroup.take(row)))
    }

    pub fn gap(&mut self, row: u32, to: u64, cpu: Option<u16>) -> Option<Gap> {
        let lost = self.lost.as_mut()?;
        let cause = lost.cause.take(row)?;
        // A cause that a later version has found; what it is called there stands in the account of the file.
        let cause = event::LOSSES.iter().find(|(known, _)| *known == cause).map_or("other", |(known, _)| known);
        Some(Gap { from: lost.from.take(row)? as u64, to, cpu, count: lost.count.take(row)? as u64, cause })
    }
}

/// A name's bytes.
pub fn bytes(text: &str) -> [u8; 16] {
    let mut name = [0; 16];
    let bytes = name::unescape(text);
    let length = bytes.len().min(name.len());
    name[..length].copy_from_slice(&bytes[..length]);
    until_nul(&name)
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
            Ok(bits.into_iter().map(|bit| bit != 0).collect())
        })
    }

    fn texts(&mut self, id: Id) -> Result<Rare<String>, Error> {
        let mut keys = Vec::new();
        self.column(id, FormatEncoding::RLE_DICTIONARY, |plain, count, dictionary| {
            let Dictionary::Texts(words) = dictionary else {
                return if count == 0 { Ok(Vec::new()) } else { Err(Malformed) };
            };
            decode::keys(plain, count, words.len(), &mut keys)?;
            Ok(keys.iter().map(|key| words[*key as usize].clone()).collect())
        })
    }
}
