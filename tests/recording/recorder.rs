//! A recorder for tests, and what can be read from what it recorded.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use schedq::catalog::event::{Batch, Event, Identity, Kind, flag};
use schedq::catalog::sched;
use schedq::diagnostic::Source;
use schedq::lang::ast::Statement;
use schedq::lang::parse;
use schedq::plan::{CheckOptions, Output, Params, Scan, check};
use schedq::source::live::{Facts, Processes, RecordOptions, Recorder, Summary};

use crate::support::counters::Switches;

/// The scan of `record sched where FILTER`; everything when the filter is empty.
pub fn scan(filter: &str) -> Scan {
    let filter = if filter.is_empty() { String::new() } else { format!("where {filter}") };
    let text = format!("switch {filter} events");
    let source = Source::new("test", text.clone());
    let parsed = parse(&source);
    let query = parsed.statements().find_map(|s| match s {
        Statement::Query(query) => Some(query.clone()),
        _ => None,
    });
    let options = CheckOptions { has_command: true, ..CheckOptions::default() };
    let plan = check(&query.expect("a query"), &Params::new(), &options).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    assert!(plan.rest.filter.is_none(), "{text} is for the kernel to decide");
    Scan {
        family: &sched::EVENTS,
        measure: None,
        output: Output::Rows { columns: Vec::new(), first: None },
        ..plan.scan
    }
}

pub fn monotonic_ns() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("a clock");
    now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64
}

/// How a test's recorder is set up.
#[derive(Default)]
pub struct Setting {
    pub options: RecordOptions,
    pub child: Option<u32>,
    pub facts: Option<Facts>,
}

/// A recording under way.
pub struct Recording {
    pub recorder: Recorder,
    pub batch: Batch,
    pub start_ns: u64,
}

impl Recording {
    #[track_caller]
    pub fn open(filter: &str) -> Recording {
        Recording::open_with(filter, Setting::default())
    }

    #[track_caller]
    pub fn open_with(filter: &str, setting: Setting) -> Recording {
        let processes = Processes { own: std::process::id(), child: setting.child };
        let mut recorder = Recorder::attach_as(&scan(filter), processes, setting.options, setting.facts)
            .unwrap_or_else(|e| panic!("{e:?}"));
        let start_ns = monotonic_ns();
        recorder.open(start_ns).expect("the window opens");
        Recording { recorder, batch: Batch::default(), start_ns }
    }

    #[track_caller]
    pub fn take(&mut self) {
        self.recorder.take(&mut self.batch).expect("rings can be read");
    }

    /// Ends it a little later, when an event of the last falling asleep has come too.
    #[track_caller]
    pub fn close(mut self) -> Recorded {
        std::thread::sleep(Duration::from_millis(5));
        self.recorder.close().expect("the window closes");
        let summary = self.recorder.finish(&mut self.batch).expect("rings can be read");
        let recorded = Recorded { batch: self.batch, summary, start_ns: self.start_ns };
        recorded.hold_together();
        recorded
    }
}

/// All of a recording.
pub struct Recorded {
    pub batch: Batch,
    pub summary: Summary,
    pub start_ns: u64,
}

impl Recorded {
    /// What is true of every recording.
    #[track_caller]
    fn hold_together(&self) {
        let batch = &self.batch;
        assert!(batch.events.is_sorted_by_key(|e| e.at), "events in the order of time");
        assert!(batch.identities.is_sorted_by_key(|i| i.at), "identities in the order of time");
        // Those of one CPU: another one may have nothing to record for long, and tell of its gap only then.
        for gaps in batch.gaps.chunk_by(|a, b| a.cpu == b.cpu) {
            assert!(gaps.is_sorted_by_key(|g| g.to), "gaps in the order of their ends: {gaps:?}");
        }
        assert!(batch.gaps.iter().all(|g| g.from <= g.to && g.count > 0), "{:?}", batch.gaps);
        assert!(batch.events.iter().all(|e| e.at >= self.start_ns), "events are of the window");
        assert_eq!(self.summary.events, batch.events.len() as u64);
        assert_eq!(self.summary.identities, batch.identities.len() as u64);
        let lost: u64 = self.summary.lost.iter().map(|(_, count)| count).sum();
        assert_eq!(lost, batch.gaps.iter().map(|g| g.count).sum::<u64>(), "{:?}", self.summary);
        for identity in &batch.identities {
            assert!(batch.cgroups.iter().any(|(id, _)| *id == identity.cgroup), "a path for {identity:?}");
        }
    }

    pub fn lost(&self) -> u64 {
        self.batch.gaps.iter().map(|gap| gap.count).sum()
    }

    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Event> {
        self.batch.events.iter().filter(move |e| e.kind == kind)
    }

    /// Switch-outs by thread, told apart as the kernel does.
    pub fn switches(&self) -> BTreeMap<u32, Switches> {
        let mut all: BTreeMap<u32, Switches> = BTreeMap::new();
        for event in self.of_kind(Kind::Switch) {
            let one = all.entry(event.tid).or_default();
            if event.flags & flag::PREEMPT != 0 || event.state == 0 {
                one.involuntary += 1;
            } else {
                one.voluntary += 1;
            }
        }
        all
    }

    /// Identities of one thread, in the order of time.
    pub fn who(&self, tid: u32) -> Vec<&Identity> {
        self.batch.identities.iter().filter(|i| i.tid == tid).collect()
    }

    /// Events with, for each of their tasks, who it was then. Fails when it is not known of one.
    #[track_caller]
    pub fn with_identities(&self, mut each: impl FnMut(&Event, &Identity, Option<&Identity>)) {
        let mut known: HashMap<(u32, u16), &Identity> = HashMap::new();
        let mut identities = self.batch.identities.iter().peekable();
        // The idle tasks of all CPUs have one number.
        let key = |tid: u32, cpu: u16| (tid, if tid == 0 { cpu } else { 0 });
        for event in &self.batch.events {
            while let Some(identity) = identities.next_if(|i| i.at <= event.at) {
                known.insert(key(identity.tid, identity.cpu), identity);
            }
            let find = |tid: u32| {
                known
                    .get(&key(tid, event.cpu))
                    .copied()
                    .unwrap_or_else(|| panic!("nobody told who {tid} is: {event:?}"))
            };
            let other = matches!(event.kind, Kind::Switch | Kind::Waking | Kind::WakeupNew);
            each(event, find(event.tid), other.then(|| find(event.other)));
        }
    }
}

/// The name without the bytes behind its end.
pub fn name(bytes: &[u8; 16]) -> &str {
    let end = bytes.iter().position(|b| *b == 0).expect("a NUL");
    assert!(bytes[end..].iter().all(|b| *b == 0), "nothing behind the name: {bytes:?}");
    std::str::from_utf8(&bytes[..end]).expect("UTF-8")
}
