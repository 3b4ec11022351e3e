//! The columns that tell who tasks are and what was lost, while a row group is written: few rows have them, so there is one
//! page of each.

use std::collections::HashMap;

use super::container::{Chunk, Packed};
use super::encode;
use super::error::Doing;
use super::schema::{COLUMNS, Id, Type, policy_word};
use super::tasks::text;
use crate::catalog::event::{Gap, Identity, Kind, NO_CGROUP, who};

/// The columns that tell who tasks are and what was lost: one page each.
pub fn chunks(
    identities: &[(u32, Identity)],
    gaps: &[(u32, Gap)],
    cgroups: &HashMap<u64, String>,
    rows: usize,
    out: &mut Vec<Chunk<'_>>,
) -> Result<(), Doing> {
    let mut add = |id: Id, (present, values): (Vec<u32>, Values)| -> Result<(), Doing> {
        out.push(rare(id, rows, &present, values)?);
        Ok(())
    };
    let all = identities;
    let ints = |of: fn(&Identity) -> Option<i64>| {
        let some = all.iter().filter_map(|(row, who)| Some((*row, of(who)?)));
        let (rows, values) = some.unzip();
        (rows, Values::Ints(values))
    };
    let flags = |bit: u8| {
        let (rows, values) = all.iter().map(|(row, who)| (*row, who.flags & bit != 0)).unzip();
        (rows, Values::Flags(values))
    };
    let texts = |of: &dyn Fn(&Identity) -> Option<String>| {
        let some = all.iter().filter_map(|(row, who)| Some((*row, of(who)?)));
        let (rows, values) = some.unzip();
        (rows, Values::Texts(values))
    };
    add(Id::Tgid, ints(|who| Some(who.tgid.into())))?;
    add(Id::Process, texts(&|who| Some(text(&who.process))))?;
    add(Id::Policy, texts(&|who| Some(policy_word(who.policy))))?;
    add(Id::Nice, ints(|who| Some(who.nice.into())))?;
    add(Id::Cgroup, texts(&|who| cgroups.get(&who.cgroup).cloned()))?;
    add(Id::CgroupId, ints(|who| (who.cgroup != NO_CGROUP).then_some(who.cgroup as i64)))?;
    for (id, bit) in [
        (Id::Kthread, who::KTHREAD),
        (Id::Recorder, who::RECORDER),
        (Id::Child, who::CHILD),
        (Id::Wanted, who::WANTED),
        (Id::Running, who::RUNNING),
    ] {
        add(id, flags(bit))?;
    }
    add(Id::Born, ints(|who| Some(who.born as i64)))?;
    add(Id::ParentTid, ints(|who| (who.kind == Kind::Fork).then_some(who.other.into())))?;
    add(Id::OldTid, ints(|who| (who.kind == Kind::Exec).then_some(who.other.into())))?;
    let at: Vec<u32> = gaps.iter().map(|(row, _)| *row).collect();
    let of = |value: fn(&Gap) -> u64| Values::Ints(gaps.iter().map(|(_, gap)| value(gap) as i64).collect());
    add(Id::Lost, (at.clone(), of(|gap| gap.count)))?;
    add(Id::LostFrom, (at.clone(), of(|gap| gap.from)))?;
    let causes = gaps.iter().map(|(_, gap)| gap.cause.to_owned()).collect();
    add(Id::LostCause, (at, Values::Texts(causes)))
}

enum Values {
    Ints(Vec<i64>),
    Flags(Vec<bool>),
    Texts(Vec<String>),
}

/// One page of values that few rows have.
fn rare(id: Id, rows: usize, present: &[u32], values: Values) -> Result<Chunk<'static>, Doing> {
    let mut plain = Vec::new();
    encode::sparse_levels(present, rows, &mut plain);
    let mut dictionary = None;
    match values {
        Values::Ints(values) if COLUMNS[id as usize].kind == Type::Int32 => {
            plain.extend(values.iter().flat_map(|value| (*value as i32).to_le_bytes()));
        }
        Values::Ints(values) => plain.extend(values.iter().flat_map(|value| value.to_le_bytes())),
        Values::Flags(values) => encode::bits(values.into_iter(), &mut plain),
        Values::Texts(values) => {
            let mut known: HashMap<&str, u32> = HashMap::new();
            let mut entries = Vec::new();
            let key = |value| {
                *known.entry(value).or_insert_with(|| {
                    entries.push(value);
                    entries.len() as u32 - 1
                })
            };
            let keys: Vec<u32> = values.iter().map(String::as_str).map(key).collect();
            encode::keys(&keys, &mut plain);
            let mut words = Vec::new();
            encode::texts(entries.iter().copied(), &mut words);
            dictionary = Some((words, entries.len()));
        }
    }
    // A frame of zstd is larger than the few bytes of a column without values.
    let tiny = plain.len() < 64;
    let pack = |plain, values| if tiny { Ok(Packed::plain(plain, values)) } else { Packed::zstd(plain, values) };
    let dictionary = dictionary.map(|(words, entries)| pack(words, entries)).transpose()?;
    Ok(Chunk { column: id as usize, dictionary, full: &[], last: Some(pack(plain, rows)?) })
}
