//! What a question needs of a recording: columns that it does not need are neither read nor unpacked.

use super::Needs;
use super::schema::{IDENTITIES, Id};
use crate::catalog::event::{Kind, flag};
use crate::catalog::task::slot;

/// Kind and task of an event are always there; fields that are not wanted are 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// A bit for each kind of event, by its number; kinds of identities and losses are left alone here.
    pub kinds: u16,
    /// `Event::at`, where it stands in columns that are in order; else it is always there.
    pub at: bool,
    /// `Event::cpu` and `Identity::cpu`.
    pub cpu: bool,
    /// `Event::other`.
    pub other: bool,
    /// `Event::state` of switches and `Identity::state`.
    pub state: bool,
    /// `Event::state` of wakes and migrations: the CPU to which.
    pub target: bool,
    /// The bits of [`flag`] that are wanted.
    pub flags: u8,
    /// Whether to tell who tasks are.
    pub identities: bool,
    /// Of identities, `comm` and `prio`, which stand in columns that all events have.
    pub comm: bool,
    pub prio: bool,
}

impl Wanted {
    pub const ALL: Wanted = Wanted {
        kinds: u16::MAX,
        at: true,
        cpu: true,
        other: true,
        state: true,
        target: true,
        flags: u8::MAX,
        identities: true,
        comm: true,
        prio: true,
    };

    /// Only what was lost, with its CPU.
    pub const LOSSES: Wanted = Wanted {
        kinds: 0,
        at: true,
        cpu: true,
        other: false,
        state: false,
        target: false,
        flags: 0,
        identities: false,
        comm: false,
        prio: false,
    };

    /// For a scan that looks at this.
    pub fn of(needs: &Needs) -> Wanted {
        let has = |slot: usize| needs.identity & (1 << slot) != 0;
        Wanted {
            kinds: Wanted::kinds(needs.kinds),
            at: needs.fields.at,
            cpu: needs.fields.cpu,
            other: needs.fields.other,
            state: needs.fields.state,
            target: false,
            flags: needs.fields.flags,
            identities: true,
            comm: has(slot::COMM),
            prio: has(slot::PRIO),
        }
    }

    pub fn kinds(kinds: &[Kind]) -> u16 {
        kinds.iter().fold(0, |bits, kind| bits | 1 << *kind as u16)
    }

    /// Of the columns that are paged: whether rows of these kinds (a bit each) make it needed. Time and event always are.
    pub(super) fn needs(&self, column: Id, there: u16) -> bool {
        let events = self.kinds & there & !(IDENTITIES | 1 << Kind::Loss as u16);
        let has = |kinds: &[Kind]| events & Wanted::kinds(kinds) != 0;
        let told = self.identities && there & IDENTITIES != 0;
        match column {
            Id::At | Id::Event => true,
            Id::Cpu => self.cpu && (events != 0 || told || there & 1 << Kind::Loss as u16 != 0),
            Id::Tid => events != 0 || told,
            Id::Comm => told && self.comm,
            Id::Prio => told && self.prio,
            Id::StateBits => self.state && (has(&[Kind::Switch]) || told),
            Id::Preempted => self.flags & flag::PREEMPT != 0 && has(&[Kind::Switch]),
            Id::Throttled => self.flags & flag::THROTTLED != 0 && has(&[Kind::Switch]),
            Id::NextTid => self.other && has(&[Kind::Switch]),
            Id::OnCpu => self.flags & flag::ON_CPU != 0 && has(&[Kind::Waking, Kind::Wakeup, Kind::WakeupNew]),
            Id::WakerTid => self.other && has(&[Kind::Waking, Kind::WakeupNew]),
            Id::FromCpu => self.other && has(&[Kind::Migrate]),
            Id::TargetCpu => self.target && has(&[Kind::Waking, Kind::Wakeup, Kind::WakeupNew, Kind::Migrate]),
            // For other programs: this one knows names by the identities.
            _ => false,
        }
    }
}
