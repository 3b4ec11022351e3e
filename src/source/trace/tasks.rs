//! Who the tasks are, while a recording is written: from an event's task to its keys in the dictionaries of the row group,
//! by index and not by hash, since this is done for every task of every event.

use std::collections::HashMap;

use super::encode::MISSING;
use crate::catalog::event::Identity;
use crate::name;

/// Numbers that the kernel gives to tasks are below this (PID_MAX_LIMIT).
const TASK_NUMBERS: usize = 1 << 22;

/// The dictionary of a column of numbers: keys are given out in the order in which the numbers come.
#[derive(Default)]
pub struct Keys {
    /// By number: its key and one, 0 for none. Zeroed memory that is not touched takes no room.
    direct: Vec<u32>,
    beyond: HashMap<i32, u32>,
    pub values: Vec<i32>,
}

impl Keys {
    /// Numbers below `direct` are looked up by index.
    pub fn new(direct: usize) -> Keys {
        Keys { direct: vec![0; direct], ..Keys::default() }
    }

    #[inline]
    pub fn of(&mut self, value: i32) -> u32 {
        match self.direct.get(value as usize) {
            Some(key) if *key != 0 => key - 1,
            _ => self.look(value),
        }
    }

    fn look(&mut self, value: i32) -> u32 {
        let new = self.values.len() as u32;
        let key = match self.direct.get_mut(value as usize) {
            Some(slot) => {
                *slot = new + 1;
                new
            }
            None => *self.beyond.entry(value).or_insert(new),
        };
        if key == new {
            self.values.push(value);
        }
        key
    }

    pub fn clear(&mut self) {
        for value in self.values.drain(..) {
            if let Some(slot) = self.direct.get_mut(value as usize) {
                *slot = 0;
            }
        }
        self.beyond.clear();
    }
}

/// A task as the file's columns have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskKeys {
    pub tid: u32,
    /// [`MISSING`] when it was never told.
    pub comm: u32,
    pub prio: u32,
}

struct Task {
    tid: u32,
    told: Option<Told>,
    /// The row group for which the keys hold.
    group: u32,
    keys: TaskKeys,
}

#[derive(Clone, Copy)]
struct Told {
    comm: [u8; 16],
    prio: i32,
    born: u64,
}

/// All tasks that were told, and the dictionaries of the row group that is being written.
pub struct Tasks {
    /// By number: the place in `known` and one.
    places: Vec<u32>,
    beyond: HashMap<u32, u32>,
    /// Idle tasks all have the number 0: by CPU.
    idle: Vec<u32>,
    known: Vec<Task>,
    group: u32,
    pub tids: Keys,
    pub prios: Keys,
    names: HashMap<[u8; 16], u32>,
    pub texts: Vec<String>,
    /// Tasks that were told for the first time in this group.
    pub fresh: u64,
}

impl Tasks {
    pub fn new() -> Tasks {
        Tasks {
            places: vec![0; TASK_NUMBERS],
            beyond: HashMap::new(),
            idle: Vec::new(),
            known: Vec::new(),
            group: 1,
            tids: Keys::new(TASK_NUMBERS),
            prios: Keys::new(256),
            names: HashMap::new(),
            texts: Vec::new(),
            fresh: 0,
        }
    }

    /// Another row group: its dictionaries are empty.
    pub fn next_group(&mut self) {
        self.group += 1;
        self.tids.clear();
        self.prios.clear();
        self.names.clear();
        self.texts.clear();
        self.fresh = 0;
    }

    fn place(&mut self, tid: u32, cpu: u16) -> &mut u32 {
        if tid == 0 {
            let cpu = usize::from(cpu);
            if cpu >= self.idle.len() {
                self.idle.resize(cpu + 1, 0);
            }
            &mut self.idle[cpu]
        } else if let Some(place) = self.places.get_mut(tid as usize) {
            place
        } else {
            self.beyond.entry(tid).or_insert(0)
        }
    }

    fn task(&mut self, tid: u32, cpu: u16) -> usize {
        let next = self.known.len() as u32 + 1;
        let place = self.place(tid, cpu);
        if *place == 0 {
            *place = next;
            let keys = TaskKeys { tid: 0, comm: MISSING, prio: MISSING };
            self.known.push(Task { tid, told: None, group: 0, keys });
            return next as usize - 1;
        }
        *place as usize - 1
    }

    /// The task that an event on this CPU speaks of.
    #[inline]
    pub fn keys(&mut self, tid: u32, cpu: u16) -> TaskKeys {
        let at = self.task(tid, cpu);
        let task = &self.known[at];
        if task.group == self.group { task.keys } else { self.enter(at) }
    }

    fn enter(&mut self, at: usize) -> TaskKeys {
        let task = &mut self.known[at];
        task.group = self.group;
        task.keys.tid = self.tids.of(task.tid as i32);
        if let Some(told) = task.told {
            task.keys.prio = self.prios.of(told.prio);
            task.keys.comm = *self.names.entry(told.comm).or_insert_with(|| {
                self.texts.push(text(&told.comm));
                self.texts.len() as u32 - 1
            });
        }
        task.keys
    }

    /// From now on the task is who this says.
    pub fn tell(&mut self, who: &Identity) -> TaskKeys {
        let at = self.task(who.tid, who.cpu);
        let task = &mut self.known[at];
        let told = Told { comm: until_nul(&who.comm), prio: who.prio, born: who.born };
        self.fresh += u64::from(task.told.is_none_or(|before| before.born != told.born));
        task.told = Some(told);
        self.enter(at)
    }
}

/// The kernel's rest behind a name's end is no part of it.
pub fn until_nul(name: &[u8; 16]) -> [u8; 16] {
    let mut clean = [0; 16];
    let length = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    clean[..length].copy_from_slice(&name[..length]);
    clean
}

/// A name as text.
pub fn text(name: &[u8; 16]) -> String {
    let length = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    name::escape(&name[..length])
}

/// The bytes of a name that is text.
pub fn name_bytes(text: &str) -> [u8; 16] {
    let mut name = [0; 16];
    let bytes = name::unescape(text);
    let length = bytes.len().min(name.len());
    name[..length].copy_from_slice(&bytes[..length]);
    until_nul(&name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::event::Kind;

    fn who(tid: u32, cpu: u16, comm: &[u8], prio: i32, born: u64) -> Identity {
        let mut name = [0; 16];
        name[..comm.len()].copy_from_slice(comm);
        Identity {
            at: 0,
            tid,
            other: 0,
            state: 0,
            cpu,
            kind: Kind::Task,
            flags: 0,
            born,
            cgroup: 0,
            comm: name,
            process: name,
            tgid: tid,
            prio,
            policy: 0,
            nice: 0,
        }
    }

    #[test]
    fn numbers_get_keys_in_their_order() {
        let mut keys = Keys::new(4);
        assert_eq!([3, -1, 3, 900, -1, 0].map(|v| keys.of(v)), [0, 1, 0, 2, 1, 3]);
        assert_eq!(keys.values, [3, -1, 900, 0]);
        keys.clear();
        assert_eq!(keys.of(0), 0);
        assert_eq!(keys.values, [0]);
    }

    #[test]
    fn idle_tasks_are_those_of_their_cpus_and_strangers_have_no_name() {
        let mut tasks = Tasks::new();
        tasks.tell(&who(0, 0, b"swapper/0", 120, 0));
        tasks.tell(&who(0, 1, b"swapper/1", 120, 0));
        tasks.tell(&who(7, 1, b"a\0b", 120, 5));
        let stranger = tasks.keys(u32::MAX, 0);
        assert_eq!((stranger.comm, stranger.prio), (MISSING, MISSING));
        let (idle, other) = (tasks.keys(0, 0), tasks.keys(0, 1));
        assert_eq!(idle.tid, other.tid);
        assert_eq!(tasks.texts[idle.comm as usize], "swapper/0");
        assert_eq!(tasks.texts[other.comm as usize], "swapper/1");
        assert_eq!(tasks.fresh, 3);
        tasks.next_group();
        let seven = tasks.keys(7, 0);
        assert_eq!(seven, TaskKeys { tid: 0, comm: 0, prio: 0 });
        assert_eq!((tasks.texts.as_slice(), tasks.prios.values.as_slice()), (&["a".to_owned()][..], &[120][..]));
        // Another name is another key, and another birth another task.
        tasks.tell(&who(7, 0, b"b", 99, 5));
        assert_eq!((tasks.keys(7, 0).comm, tasks.fresh), (1, 0));
        tasks.tell(&who(7, 0, b"b", 99, 6));
        assert_eq!(tasks.fresh, 1);
    }
}
