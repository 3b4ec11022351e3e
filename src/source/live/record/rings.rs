//! The kernel's side of a recorder as maps and programs: the rings, how far they are filled, what found no room, and who
//! everyone is.

use std::io::Read;
use std::os::fd::{AsFd, AsRawFd};

use libbpf_rs::{Iter, MapCore, MapFlags, MapHandle, MapType, Object, ProgramInput};

use super::bytes::{self, IDENTITY_BYTES};
use crate::catalog::event::{Gap, Identity, LOSSES};
use crate::host::lists;
use crate::plan::layout::Machine;
use crate::plan::rings as plan_rings;
use crate::source::live::bytes::words;
use crate::source::live::error::Error;
use crate::source::live::read;

/// The ring of a CPU.
pub struct Ring {
    pub cpu: u32,
    pub map: MapHandle,
    pub bytes: u64,
}

/// A ring for each CPU that is online. Those that may come later share one of them.
pub fn make(object: &Object, machine: Machine, all_bytes: u64) -> Result<Vec<Ring>, Error> {
    let online = lists::online_cpus().filter(|cpus| !cpus.is_empty()).unwrap_or_else(|| (0..machine.cpus).collect());
    let bytes = plan_rings::bytes_of_each(all_bytes, online.len() as u32);
    let options = libbpf_sys::bpf_map_create_opts {
        sz: size_of::<libbpf_sys::bpf_map_create_opts>() as libbpf_sys::size_t,
        ..Default::default()
    };
    let mut rings = Vec::with_capacity(online.len());
    for cpu in online {
        let map = MapHandle::create(MapType::RingBuf, Some("schedq_ring"), 0, 0, bytes as u32, &options)
            .map_err(Error::read)?;
        rings.push(Ring { cpu, map, bytes });
    }
    let by_cpu = read::map(object, "rings")?;
    for cpu in 0..machine.cpus {
        let own = rings.iter().find(|ring| ring.cpu == cpu).unwrap_or(&rings[cpu as usize % rings.len()]);
        let fd = own.map.as_fd().as_raw_fd();
        by_cpu.update(&cpu.to_ne_bytes(), &fd.to_ne_bytes(), MapFlags::ANY).map_err(Error::read)?;
    }
    Ok(rings)
}

/// Who everyone is at this moment, in the order of the kernel's walk.
pub fn tasks(object: &Object) -> Result<Vec<Identity>, Error> {
    let program = object
        .progs_mut()
        .find(|p| p.name() == "record_tasks")
        .ok_or_else(|| Error::Object("no record_tasks".into()))?;
    let link = program.attach().map_err(|e| Error::Attach {
        program: "record_tasks".into(),
        hook: "iter/task".into(),
        error: e.to_string(),
    })?;
    let mut read = Vec::new();
    Iter::new(&link).map_err(Error::read)?.read_to_end(&mut read).map_err(|e| Error::Read(e.to_string()))?;
    let (records, rest) = read.as_chunks::<IDENTITY_BYTES>();
    if !rest.is_empty() {
        return Err(Error::Object("a part of a task's record".into()));
    }
    let of = |record| bytes::identity(record).ok_or_else(|| Error::Object("a task's record of an unknown kind".into()));
    records.iter().map(of).collect()
}

/// Asks up to where the rings of these CPUs are taken at this moment.
pub fn positions(object: &Object, cpus: &[u32], into: &mut Vec<u64>) -> Result<(), Error> {
    let (Some(first), Some(last)) = (cpus.iter().min(), cpus.iter().max()) else { return Ok(()) };
    let mut context = [0u8; 16];
    context[..8].copy_from_slice(&u64::from(*first).to_ne_bytes());
    context[8..].copy_from_slice(&(u64::from(*last) + 1).to_ne_bytes());
    let program = object
        .progs_mut()
        .find(|p| p.name() == "record_positions")
        .ok_or_else(|| Error::Object("no record_positions".into()))?;
    let input = ProgramInput { context_in: Some(&mut context), ..Default::default() };
    program.test_run(input).map_err(Error::read)?;
    let map = read::map(object, "positions")?;
    into.clear();
    for cpu in cpus {
        let value = map.lookup(&cpu.to_ne_bytes(), MapFlags::ANY).map_err(Error::read)?.unwrap_or_default();
        into.push(words(&value).next().unwrap_or_default());
    }
    Ok(())
}

/// What was not recorded and not told yet, when no program runs any more.
pub fn pending(object: &Object) -> Result<Vec<Gap>, Error> {
    let map = read::map(object, "losses")?;
    let values = map.lookup_percpu(&0u32.to_ne_bytes(), MapFlags::ANY).map_err(Error::read)?.unwrap_or_default();
    let mut gaps = Vec::new();
    for (cpu, value) in values.iter().enumerate() {
        let losses: Vec<u64> = words(value).collect();
        let causes = losses.len() / 3;
        for (at, (cause, _)) in LOSSES.iter().enumerate().take(causes) {
            let [count, from, to] = [losses[at], losses[causes + at], losses[2 * causes + at]];
            if count > 0 {
                let from = if from == 0 { to } else { from };
                gaps.push(Gap { from, to, cpu: Some(cpu as u16), count, cause });
            }
        }
    }
    Ok(gaps)
}
