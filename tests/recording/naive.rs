//! A second account of the same recordings, which knows nothing of the first: for every thread number by itself it walks
//! through all that was told, and asks the whole list again whenever something must be known.

use schedq::catalog::event::{Batch, Event, Identity, Kind, flag, who};

/// A row of either family, as far as both have it; `state` and `cause` as numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub at: u64,
    pub cpu: u16,
    pub tid: u32,
    pub comm: String,
    /// Of a wait.
    pub latency: u64,
    pub cause: &'static str,
    /// The other task in the switch.
    pub other: u32,
    pub other_comm: Option<String>,
}

/// A test of who a task is, on a CPU; without one: whether there is a CPU on which it holds.
pub type Who<'a> = &'a dyn Fn(&Identity, Option<u16>) -> bool;

#[derive(Debug, Default, PartialEq)]
pub struct Found {
    pub rows: Vec<Row>,
    pub seen: u64,
    pub open: u64,
    pub start_unseen: u64,
    pub switch_in_unseen: u64,
    pub began_before_window: u64,
    pub gap: u64,
    pub out_of_order: u64,
    pub identity_unseen: u64,
}

/// One thing after the other, as it became known.
#[derive(Debug, Clone)]
enum Told {
    Event(Event),
    Identity(Identity),
    /// Nothing that was open at that time can be trusted.
    Lost(u64),
}

pub struct Recording {
    told: Vec<Told>,
    out_of_order: u64,
    start_ns: u64,
    range: (u64, u64),
}

pub fn comm(identity: &Identity) -> String {
    String::from_utf8(identity.comm.iter().copied().take_while(|byte| *byte != 0).collect()).expect("UTF-8")
}

impl Recording {
    pub fn new(batch: &Batch, start_ns: u64, range: Option<(u64, u64)>) -> Recording {
        let range = range.unwrap_or((0, u64::MAX));
        let mut identities = batch.identities.clone();
        let mut gaps = batch.gaps.clone();
        let mut made = Recording { told: Vec::new(), out_of_order: 0, start_ns, range };
        let mut latest = 0;
        for event in &batch.events {
            if event.at > range.1 {
                return made;
            }
            made.before(event.at, &mut identities, &mut gaps);
            if event.at < latest {
                made.told.push(Told::Lost(latest));
                made.out_of_order += u64::from(latest >= range.0);
            } else {
                latest = event.at;
                made.told.push(Told::Event(*event));
            }
        }
        made.before(range.1, &mut identities, &mut gaps);
        made
    }

    fn before(&mut self, at: u64, identities: &mut Vec<Identity>, gaps: &mut Vec<schedq::catalog::event::Gap>) {
        while gaps.first().is_some_and(|gap| gap.from <= at) {
            self.told.push(Told::Lost(gaps.remove(0).to));
        }
        while identities.first().is_some_and(|identity| identity.at <= at) {
            self.told.push(Told::Identity(identities.remove(0)));
        }
    }

    /// Up to when events were lost, as known at a place in the list.
    fn lost_until(&self, place: usize) -> u64 {
        let lost = |told: &Told| if let Told::Lost(to) = told { *to } else { 0 };
        self.told[..place].iter().map(lost).max().unwrap_or(0)
    }

    /// The lives of one number: places in the list at which each begins, with the first place behind it.
    fn lives(&self, tid: u32) -> Vec<Vec<usize>> {
        // Places that speak of the number, life by life; a life that lost its number before its last switch gets it still.
        let mut lives: Vec<Vec<usize>> = vec![Vec::new()];
        let mut born = None;
        let mut unended: Option<usize> = None;
        for (place, told) in self.told.iter().enumerate() {
            match told {
                Told::Identity(identity) if identity.tid == tid => {
                    if born.is_some_and(|born| born != identity.born) {
                        unended = Some(lives.len() - 1);
                        lives.push(Vec::new());
                    }
                    born = Some(identity.born);
                    lives.last_mut().unwrap().push(place);
                }
                Told::Event(event) if event.kind == Kind::Switch && event.tid == tid => {
                    let for_good = event.state & 0x80 != 0;
                    match unended.take() {
                        Some(old) if for_good => lives[old].push(place),
                        _ => {
                            lives.last_mut().unwrap().push(place);
                            if for_good {
                                lives.push(Vec::new());
                                born = None;
                            }
                        }
                    }
                }
                Told::Event(event) => {
                    let comes = event.kind == Kind::Switch && event.other == tid;
                    let woken = matches!(event.kind, Kind::Wakeup | Kind::WakeupNew) && event.tid == tid;
                    if comes || woken {
                        lives.last_mut().unwrap().push(place);
                    }
                }
                _ => {}
            }
        }
        lives
    }

    /// Who the life is at a place.
    fn who(&self, life: &[usize], place: usize) -> Option<Identity> {
        let before = life.iter().take_while(|there| **there <= place);
        before
            .filter_map(|there| if let Told::Identity(identity) = self.told[*there] { Some(identity) } else { None })
            .last()
    }

    /// The name of whoever had a number in a switch; idle tasks have none here.
    fn name_of(&self, tid: u32, place: usize) -> Option<String> {
        let lives = self.lives(tid);
        // The one that has this very place, as the one that leaves or comes.
        let life = lives.iter().find(|life| life.contains(&place))?;
        self.who(life, place).map(|identity| comm(&identity))
    }

    fn tids(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self
            .told
            .iter()
            .flat_map(|told| match told {
                Told::Event(event) if event.kind == Kind::Switch => vec![event.tid, event.other],
                Told::Event(event) => vec![event.tid],
                Told::Identity(identity) => vec![identity.tid],
                Told::Lost(_) => Vec::new(),
            })
            .filter(|tid| *tid != 0)
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn inside(&self, at: u64) -> bool {
        at >= self.range.0 && at <= self.range.1
    }

    /// The waits of every task, by the family's definition.
    pub fn waits(&self, wanted: Who) -> Found {
        let mut found = Found { out_of_order: self.out_of_order, ..Found::default() };
        for tid in self.tids() {
            let lives = self.lives(tid);
            for (number, life) in lives.iter().enumerate() {
                let next = lives.get(number + 1).and_then(|next| next.first()).copied();
                self.waits_of(tid, life, next, wanted, &mut found);
            }
        }
        found.rows.sort_by_key(|row| row.at);
        found
    }

    /// The waits of one life, whose number was another's from the place `next` on.
    fn waits_of(&self, tid: u32, life: &[usize], next: Option<usize>, wanted: Who, found: &mut Found) {
        let mut wait: Option<(u64, &'static str)> = None;
        let mut met = false;
        for &place in life.iter().filter(|place| next.is_none_or(|next| **place < next)) {
            let Told::Event(event) = &self.told[place] else { continue };
            let who = self.who(life, place);
            if who.is_some_and(|who| who.flags & who::RECORDER != 0) {
                continue;
            }
            let counts = self.inside(event.at) && who.is_some_and(|who| wanted(&who, Some(event.cpu)));
            let trusted = |start: u64| start > self.lost_until(place);
            if event.kind != Kind::Switch {
                if event.flags & flag::ON_CPU != 0 {
                    continue;
                }
                if wait.is_some_and(|(start, _)| !trusted(start)) {
                    found.gap += u64::from(counts);
                    wait = None;
                }
                let cause = if event.kind == Kind::Wakeup { "wakeup" } else { "new" };
                wait = wait.or(Some((event.at, cause)));
                met = true;
            } else if event.tid == tid {
                if let Some((start, _)) = wait.take().filter(|_| counts) {
                    *if trusted(start) { &mut found.switch_in_unseen } else { &mut found.gap } += 1;
                }
                let cause = if event.flags & flag::THROTTLED != 0 { "throttle" } else { "preempt" };
                wait = runnable(event).then_some((event.at, cause));
                met = true;
            } else {
                let began = wait.take();
                let Some(who) = who else {
                    found.identity_unseen += u64::from(self.inside(event.at));
                    continue;
                };
                match began {
                    _ if !counts => {}
                    None if met || who.born > self.start_ns || self.lost_until(place) > 0 => found.start_unseen += 1,
                    None => found.began_before_window += 1,
                    Some((start, _)) if !trusted(start) => found.gap += 1,
                    Some((start, cause)) => {
                        found.seen += 1;
                        let row = self.row(event, place, &who, event.tid, found);
                        found.rows.push(Row { latency: event.at - start, cause, ..row });
                    }
                }
            }
        }
        // What is open at the end is stated; if the number went to another, the task ran and ended, and nobody saw it run.
        let Some((start, _)) = wait else { return };
        let at = next.map_or(u64::MAX, |next| match &self.told[next] {
            Told::Identity(identity) => identity.at,
            Told::Event(event) => event.at,
            Told::Lost(_) => unreachable!("speaks of no task"),
        });
        let end = next.unwrap_or(self.told.len());
        let Some(who) = self.who(life, end) else { return };
        if who.flags & who::RECORDER != 0 || !wanted(&who, None) || next.is_some() && !self.inside(at) {
            return;
        }
        match start > self.lost_until(end) {
            true if next.is_some() => found.switch_in_unseen += 1,
            true => found.open += 1,
            false => found.gap += 1,
        }
    }

    /// Every task's switch-outs, the idle tasks' aside.
    pub fn switch_outs(&self, wanted: Who) -> Found {
        let mut found = Found { out_of_order: self.out_of_order, ..Found::default() };
        for (place, told) in self.told.iter().enumerate() {
            let Told::Event(event) = told else { continue };
            if event.kind != Kind::Switch || event.tid == 0 || !self.inside(event.at) {
                continue;
            }
            let lives = self.lives(event.tid);
            let life = lives.iter().find(|life| life.contains(&place)).expect("it is in one");
            match self.who(life, place) {
                None => found.identity_unseen += 1,
                Some(who) if who.flags & who::RECORDER != 0 || !wanted(&who, Some(event.cpu)) => {}
                Some(who) => {
                    found.seen += 1;
                    let row = self.row(event, place, &who, event.other, &mut found);
                    found.rows.push(row);
                }
            }
        }
        found
    }

    fn row(&self, event: &Event, place: usize, who: &Identity, other: u32, found: &mut Found) -> Row {
        let other_comm = if other == 0 { Some("idle".to_owned()) } else { self.name_of(other, place) };
        found.identity_unseen += u64::from(other_comm.is_none());
        let cause = if runnable(event) { "involuntary" } else { "voluntary" };
        Row { at: event.at, cpu: event.cpu, tid: who.tid, comm: comm(who), latency: 0, cause, other, other_comm }
    }
}

/// Whether the task that leaves is still runnable; 0x20 only says that it has ended.
fn runnable(event: &Event) -> bool {
    event.flags & flag::PREEMPT != 0 || event.state == 0 || event.state == 0x20
}
