//! What is known at one point of a recording: who every task is, what is open of it, and up to when events were lost.

use std::collections::HashMap;
use std::ops::{Index, IndexMut};

use super::{Rows, leaves_for_good};
use crate::catalog::event::{Event, Identity, Kind, NO_CGROUP, who};
use crate::catalog::task::{OWN_SLOT, slot};

/// A missing value, as in the kernel's rows.
pub const MISSING: u64 = NO_CGROUP;

/// Numbers of tasks that are found without a hash: PID_MAX_LIMIT of 64-bit kernels. The memory is only had as far as
/// numbers are in use.
const DIRECT: usize = 1 << 22;

/// Whether a task passes the tests of identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Verdict {
    No,
    Yes,
    /// It depends on the CPU: [`Rows::wanted_on`] says.
    ByCpu,
    /// The recording did not tell who it is.
    Unknown,
}

/// A task as the recording has told of it so far. What every event touches comes first, in one line of the cache.
#[derive(Debug, Clone)]
#[repr(C, align(64))]
pub struct Task {
    /// When its open span began; 0: none is open.
    pub start: u64,
    /// The family's own note on how it began.
    pub tag: u32,
    /// Where its rows were grouped last, for whoever groups them; good while `group_of` is what it was.
    pub group: u32,
    pub group_of: u32,
    pub identity: Verdict,
    /// Whether it passes the tests of what never changes, which decide what is remembered of it.
    pub fixed: bool,
    /// An event was seen after which no wait of it can have begun before the window.
    pub seen: bool,
    /// CLOCK_MONOTONIC ns.
    pub born: u64,
    /// Its columns, in the slots of a row; those of `at` and `cpu` belong to whoever makes a row.
    pub slots: [u64; OWN_SLOT as usize],
}

impl Task {
    fn unknown(fixed: bool) -> Task {
        let slots = [MISSING; OWN_SLOT as usize];
        Task { start: 0, tag: 0, group: 0, group_of: 0, identity: Verdict::Unknown, fixed, seen: false, born: 0, slots }
    }

    /// Takes over who it is. The slots of its ancestors are left to whoever knows the paths of cgroups.
    fn told(&mut self, identity: &Identity) {
        let [comm, comm_rest] = name(&identity.comm);
        let [process, process_rest] = name(&identity.process);
        let values = [
            u64::from(identity.tid),
            u64::from(identity.tgid),
            comm,
            comm_rest,
            process,
            process_rest,
            i64::from(identity.prio) as u64,
            u64::from(identity.policy),
            i64::from(identity.nice) as u64,
            identity.cgroup,
            u64::from(identity.flags & who::KTHREAD != 0),
            u64::from(identity.flags & who::CHILD != 0),
        ];
        self.slots[slot::TID..=slot::CHILD].copy_from_slice(&values);
        self.born = identity.born;
        self.group_of = 0;
    }
}

/// A name as two words, nothing behind its end.
fn name(bytes: &[u8; 16]) -> [u64; 2] {
    let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let mut clean = [0u8; 16];
    clean[..length].copy_from_slice(&bytes[..length]);
    let [first, second] = [0, 8].map(|at| u64::from_le_bytes(clean[at..at + 8].try_into().expect("eight bytes")));
    [first, second]
}

/// The time in which rows must end, CLOCK_MONOTONIC ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// When the recording began: a task that was born later cannot have waited before it.
    pub recorded_from: u64,
    /// Both ends belong to it.
    pub from: u64,
    pub to: u64,
}

/// All of it.
#[derive(Debug)]
pub struct Known {
    pub window: Window,
    /// A span that began no later than this may have been cut by lost events; 0: none were lost.
    pub lost_until: u64,
    /// Spans of wanted tasks that were discarded for it.
    pub across_gaps: u64,
    /// Rows of tasks that nobody told of.
    pub identity_unseen: u64,
    /// What tasks of which nothing is known are, by whether they are idle tasks.
    idle_wanted: bool,
    tasks: Vec<Task>,
    /// By tid, one more than the place in `tasks`; 0: none.
    direct: Vec<u32>,
    beyond: HashMap<u32, u32>,
    /// By CPU, as above.
    idle: Vec<u32>,
    /// Places in `tasks` that nobody has.
    free: Vec<u32>,
    /// Tasks whose number was given to another before they were seen to leave for good.
    dying: HashMap<u32, u32>,
}

impl Known {
    /// `idle_wanted`: rows of the idle tasks are asked for.
    pub fn new(window: Window, idle_wanted: bool) -> Known {
        Known {
            window,
            lost_until: 0,
            across_gaps: 0,
            identity_unseen: 0,
            idle_wanted,
            tasks: Vec::new(),
            direct: vec![0; DIRECT],
            beyond: HashMap::new(),
            idle: Vec::new(),
            free: Vec::new(),
            dying: HashMap::new(),
        }
    }

    /// The place of a thread, and of the idle task of that CPU for 0.
    #[inline(always)]
    pub fn place(&mut self, tid: u32, cpu: u16) -> usize {
        if tid != 0
            && let Some(&place) = self.direct.get(tid as usize)
            && place != 0
        {
            return place as usize - 1;
        }
        self.place_slowly(tid, cpu)
    }

    #[cold]
    fn place_slowly(&mut self, tid: u32, cpu: u16) -> usize {
        let entry = self.entry(tid, cpu);
        if *entry != 0 {
            return *entry as usize - 1;
        }
        let blank = Task::unknown(tid != 0 || self.idle_wanted);
        let place = match self.free.pop() {
            Some(place) => {
                self.tasks[place as usize] = blank;
                place
            }
            None => {
                self.tasks.push(blank);
                self.tasks.len() as u32 - 1
            }
        };
        *self.entry(tid, cpu) = place + 1;
        place as usize
    }

    fn entry(&mut self, tid: u32, cpu: u16) -> &mut u32 {
        if tid == 0 {
            let cpu = usize::from(cpu);
            if self.idle.len() <= cpu {
                self.idle.resize(cpu + 1, 0);
            }
            return &mut self.idle[cpu];
        }
        match self.direct.get_mut(tid as usize) {
            Some(entry) => entry,
            None => self.beyond.entry(tid).or_insert(0),
        }
    }

    /// The place of the task that leaves in a switch. A thread that nobody waits for frees its number before its last
    /// switch (release_task() in exit_notify()), and a new thread may have it by then: of the two it is the old one that
    /// leaves for good first.
    #[inline(always)]
    pub fn leaving(&mut self, event: &Event) -> usize {
        if !self.dying.is_empty()
            && let Some(old) = self.dies(event)
        {
            return old;
        }
        self.place(event.tid, event.cpu)
    }

    /// The place of the old task with that number, if it is the one that leaves.
    #[cold]
    fn dies(&mut self, event: &Event) -> Option<usize> {
        let old = self.dying.remove(&event.tid)?;
        if leaves_for_good(event) {
            return Some(old as usize);
        }
        self.release(old);
        None
    }

    /// Forgets a task that has left for good, when its last row is made.
    #[inline(always)]
    pub fn left(&mut self, event: &Event, place: usize) {
        if leaves_for_good(event) && event.tid != 0 {
            self.forget(event.tid, place);
        }
    }

    #[cold]
    fn forget(&mut self, tid: u32, place: usize) {
        let entry = self.entry(tid, 0);
        if *entry as usize == place + 1 {
            *entry = 0;
        }
        self.release(place as u32);
    }

    fn release(&mut self, place: u32) {
        self.tasks[place as usize].start = 0;
        self.free.push(place);
    }

    /// Takes over who a task is from now on; its place, and that of another whose number it has taken over while that one
    /// had a span open.
    pub fn told(&mut self, identity: &Identity) -> (usize, Option<usize>) {
        let mut gone = None;
        let (tid, cpu) = (identity.tid, identity.cpu);
        // A thread that executes takes over the number (and the birth) of its process' first thread (de_thread()), but
        // stays the task that it was.
        let takes_over = identity.kind == Kind::Exec && identity.other != 0 && identity.other != tid;
        let had = *self.entry(tid, cpu);
        if tid != 0 && had != 0 {
            let old = &self.tasks[had as usize - 1];
            let another = old.identity != Verdict::Unknown && old.born != identity.born;
            if takes_over || another {
                gone = (old.start != 0).then_some(had as usize - 1);
                *self.entry(tid, cpu) = 0;
                if let Some(older) = self.dying.insert(tid, had - 1) {
                    self.release(older);
                }
            }
        }
        if takes_over {
            *self.entry(tid, cpu) = std::mem::take(self.entry(identity.other, cpu));
        }
        let place = self.place(identity.tid, identity.cpu);
        self.tasks[place].told(identity);
        (place, gone)
    }

    /// Whether a row that ended then would be one of the window.
    #[inline]
    pub fn inside(&self, at: u64) -> bool {
        at >= self.window.from
    }

    /// Whether a row of that task which ended with this event is asked for, as far as the task decides it.
    #[inline(always)]
    pub fn wants(&mut self, place: usize, event: &Event, out: &mut dyn Rows) -> bool {
        let verdict = self.tasks[place].identity;
        // One foreseeable test for what is asked most.
        self.inside(event.at)
            && (verdict == Verdict::Yes
                || verdict == Verdict::ByCpu && out.wanted_on(&mut self.tasks[place], event.cpu))
    }

    /// The name of another task, for a row that tells it; missing, and counted, when nobody told it.
    pub fn name_of(&mut self, place: usize) -> [u64; 2] {
        self.told_of(place).map_or([MISSING; 2], |task| [task.slots[slot::COMM], task.slots[slot::COMM + 1]])
    }

    /// Another task that a row tells of; counted when it is not known.
    pub fn told_of(&mut self, place: usize) -> Option<&Task> {
        let task = &self.tasks[place];
        if task.identity == Verdict::Unknown {
            self.identity_unseen += 1;
            return None;
        }
        Some(task)
    }

    /// The spans that are still open, of tasks that passed the tests of identity: those that are whole, and those that
    /// lost events may have cut.
    pub fn open(&self) -> (u64, u64) {
        let mut counts = (0, 0);
        let wanted =
            |task: &&Task| task.start != 0 && task.fixed && matches!(task.identity, Verdict::Yes | Verdict::ByCpu);
        for task in self.tasks.iter().filter(wanted) {
            if task.start > self.lost_until { counts.0 += 1 } else { counts.1 += 1 }
        }
        counts
    }
}

impl Index<usize> for Known {
    type Output = Task;

    fn index(&self, place: usize) -> &Task {
        &self.tasks[place]
    }
}

impl IndexMut<usize> for Known {
    fn index_mut(&mut self, place: usize) -> &mut Task {
        &mut self.tasks[place]
    }
}
