//! Loaded objects that wait to be asked again: loading is most of a start, and a prompt is often asked the same.
//!
//! The programs of an object are what its read-only data makes of them, so it can serve every scan that has the same, byte for
//! byte, and the same maps. Its links are gone while it waits: it sees nothing and costs nothing but memory. libbpf lets a
//! program that is loaded be attached again. What the last window left is cleared before: counters and groups here; what is
//! remembered of tasks cannot be reached from here, so it bears the number of the attachment that wrote it and is void for
//! the next one (`state.bpf.h`).
//!
//! A link is gone when nobody holds its file any more. A process that is just being started holds all of ours until it
//! executes, and so would have an event counted twice; a process that waits at a prompt starts none, and the command after `--`
//! has executed before anything is attached.

use libbpf_rs::{Map, MapCore, MapFlags, Object, RingBufferBuilder};

use super::Processes;
use super::error::Error;
use super::read;
use crate::plan::layout::{Layout, MapSize, Mode};

/// By what an object is known. A command after `--` is another process each time, so its objects are never asked again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    family: &'static str,
    config: Vec<u8>,
    maps: Vec<MapSize>,
}

impl Key {
    pub fn of(family: &'static str, config: &[u8], layout: &Layout, processes: Processes) -> Option<Key> {
        let key = || Key { family, config: config.to_vec(), maps: layout.maps.clone() };
        processes.child.is_none().then(key)
    }
}

/// An object with what must be known of it to use it again.
pub struct Kept {
    pub key: Key,
    pub object: Object,
    /// How often it was attached before: the number of the attachment in what is remembered of tasks.
    pub attachment: u16,
    bytes: u64,
}

/// Objects that wait.
pub struct Pool {
    kept: Vec<Kept>,
    most_bytes: u64,
}

/// So many wait at most; each holds a dozen of open files.
const MOST: usize = 8;
/// Clearing more entries takes longer than to load anew.
const MOST_ENTRIES: usize = 4096;

impl Pool {
    /// Whose maps take at most so many bytes together.
    pub fn new(most_bytes: u64) -> Pool {
        Pool { kept: Vec::new(), most_bytes }
    }

    /// Takes the object out that fits, cleared; one that cannot be cleared is let go.
    pub fn take(&mut self, key: &Key, layout: &Layout) -> Option<Kept> {
        let at = self.kept.iter().position(|kept| kept.key == *key)?;
        let mut kept = self.kept.remove(at);
        kept.attachment = kept.attachment.checked_add(1)?;
        clear(&kept.object, layout, kept.attachment).ok()?.then_some(kept)
    }

    /// Keeps an object whose links are gone; the oldest ones go when there are too many.
    pub fn put(&mut self, key: Key, object: Object, attachment: u16) {
        let bytes = key.maps.iter().map(|map| map.bytes).sum();
        self.kept.push(Kept { key, object, attachment, bytes });
        while self.kept.len() > MOST || self.kept.iter().map(|kept| kept.bytes).sum::<u64>() > self.most_bytes {
            self.kept.remove(0);
        }
    }

    /// Lets all go, for memory or files that something else needs; whether there was any.
    pub fn empty(&mut self) -> bool {
        !std::mem::take(&mut self.kept).is_empty()
    }
}

/// Leaves maps as they are after a load; false when that would take too long.
fn clear(object: &Object, layout: &Layout, attachment: u16) -> Result<bool, Error> {
    zero(&read::map(object, "counters")?)?;
    let groups = match layout.mode {
        Mode::Single => {
            zero(&read::map(object, "single")?)?;
            None
        }
        Mode::Groups => Some("groups"),
        Mode::Histograms => Some("histograms"),
        Mode::Rows => {
            let map = read::map(object, "ring")?;
            let mut builder = RingBufferBuilder::new();
            builder.add(&map, |_| 0).map_err(Error::read)?;
            builder.build().and_then(|ring| ring.consume()).map_err(Error::read)?;
            None
        }
    };
    let remembered = layout.map("state_hash").map(|_| "state_hash");
    for name in groups.into_iter().chain(remembered) {
        let map = read::map(object, name)?;
        // Keys first: deleting while iterating would start the kernel's walk anew.
        let keys: Vec<Vec<u8>> = map.keys().take(MOST_ENTRIES + 1).collect();
        if keys.len() > MOST_ENTRIES {
            return Ok(false);
        }
        for key in keys {
            map.delete(&key).map_err(Error::read)?;
        }
    }
    super::set_attachment(object, attachment)?;
    Ok(true)
}

/// The one value of every CPU.
fn zero(map: &Map<'_>) -> Result<(), Error> {
    let cpus = libbpf_rs::num_possible_cpus().map_err(Error::read)?;
    let zeros = vec![vec![0; map.value_size() as usize]; cpus];
    map.update_percpu(&0u32.to_ne_bytes(), &zeros, MapFlags::ANY).map_err(Error::read)
}
