//! Records of `src/bpf/records.bpf.h` as values. They are in this machine's own byte order and
//! told apart by their lengths.

use crate::catalog::event::{Event, Gap, Identity, Kind, LOSSES};

pub const EVENT_BYTES: usize = size_of::<Event>();
pub const IDENTITY_BYTES: usize = size_of::<Identity>();
/// `struct loss_record`.
pub const LOSS_BYTES: usize = 32;

fn part<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("that many bytes")
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(part(bytes, at))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(part(bytes, at))
}

/// `None` when its kind is not known.
pub fn event(bytes: &[u8; EVENT_BYTES]) -> Option<Event> {
    Some(Event {
        at: u64_at(bytes, 0),
        tid: u32_at(bytes, 8),
        other: u32_at(bytes, 12),
        state: u32_at(bytes, 16),
        cpu: u16::from_ne_bytes(part(bytes, 20)),
        kind: Kind::of_number(bytes[22])?,
        flags: bytes[23],
    })
}

/// `None` when its kind is not known.
pub fn identity(bytes: &[u8; IDENTITY_BYTES]) -> Option<Identity> {
    Some(Identity {
        at: u64_at(bytes, 0),
        tid: u32_at(bytes, 8),
        other: u32_at(bytes, 12),
        state: u32_at(bytes, 16),
        cpu: u16::from_ne_bytes(part(bytes, 20)),
        kind: Kind::of_number(bytes[22])?,
        flags: bytes[23],
        born: u64_at(bytes, 24),
        cgroup: u64_at(bytes, 32),
        comm: part(bytes, 40),
        process: part(bytes, 56),
        tgid: u32_at(bytes, 72),
        prio: u32_at(bytes, 76) as i32,
        policy: u32_at(bytes, 80),
        nice: u32_at(bytes, 84) as i32,
    })
}

/// `None` when its cause is not known.
pub fn gap(bytes: &[u8; LOSS_BYTES]) -> Option<Gap> {
    Some(Gap {
        from: u64_at(bytes, 0),
        to: u64_at(bytes, 8),
        count: u64_at(bytes, 16),
        cause: LOSSES.get(u32_at(bytes, 24) as usize)?.0,
        cpu: Some(u16::from_ne_bytes(part(bytes, 28))),
    })
}
