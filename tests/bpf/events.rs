//! Records of events: the forms and numbers of `src/catalog/event.rs` are those of the object.

use std::mem::offset_of;

use schedq::catalog::event::{Event, Identity, Kind, LOSSES, flag, who};
use schedq::catalog::{EVENT_SETS, When};
use schedq::source::live::object;
use schedq::source::live::record::{event, gap, identity};

use super::{btf, enumerators, members};

/// Names of members with where they begin.
macro_rules! offsets {
    ($of:ty, $($member:ident),*) => { vec![$((stringify!($member).to_owned(), offset_of!($of, $member))),*] };
}

#[test]
fn records() {
    for set in EVENT_SETS {
        let btf = btf(set);
        let declared = offsets!(Event, at, tid, other, state, cpu, kind, flags);
        assert_eq!(members(&btf, "event_record"), (declared, size_of::<Event>()));
        let declared = offsets!(
            Identity, at, tid, other, state, cpu, kind, flags, born, cgroup, comm, process, tgid, prio, policy, nice
        );
        assert_eq!(members(&btf, "identity_record"), (declared, size_of::<Identity>()));
        let of = |names: [&str; 3], size: usize| {
            let at = |(i, name): (usize, &str)| (name.to_owned(), i * size);
            names.into_iter().enumerate().map(at).collect::<Vec<_>>()
        };
        // Two causes each.
        assert_eq!(members(&btf, "losses"), (of(["count", "from", "to"], 16), 48));
        let (loss, size) = members(&btf, "loss_record");
        assert_eq!(loss[..3], of(["from", "to", "count"], 8));
        let rest: Vec<_> = loss[3..].iter().map(|(name, at)| (name.as_str(), *at)).collect();
        assert_eq!(rest, [("cause", 24), ("cpu", 28), ("kind", 30), ("unused", 31)]);
        assert_eq!(size, 32);
    }
}

#[test]
fn numbers() {
    for set in EVENT_SETS {
        let btf = btf(set);
        let kinds = Kind::ALL.map(|kind| (format!("EVENT_{}", kind.word().to_uppercase()), kind as i64));
        assert_eq!(enumerators(&btf, "event_kind"), kinds);
        let numbers = |prefix: &str, all: &[(&str, u8)]| -> Vec<(String, i64)> {
            all.iter().map(|(name, n)| (format!("{prefix}_{name}"), i64::from(*n))).collect()
        };
        let flags = [("PREEMPT", flag::PREEMPT), ("THROTTLED", flag::THROTTLED), ("ON_CPU", flag::ON_CPU)];
        assert_eq!(enumerators(&btf, "event_flag"), numbers("FLAG", &flags));
        let who = [
            ("KTHREAD", who::KTHREAD),
            ("RECORDER", who::RECORDER),
            ("CHILD", who::CHILD),
            ("RUNNING", who::RUNNING),
            ("WANTED", who::WANTED),
        ];
        assert_eq!(enumerators(&btf, "identity_flag"), numbers("WHO", &who));
        let causes = enumerators(&btf, "loss_cause");
        for (at, (name, number)) in causes.iter().enumerate() {
            assert_eq!((name.as_str(), *number), (format!("LOSS_{}", LOSSES[at].0.to_uppercase()).as_str(), at as i64));
        }
        assert_eq!(causes.len(), 2);
    }
}

/// Programs are declared, each with its hook; a set's filter needs only what the shared row has.
#[test]
fn programs_are_declared() {
    for set in EVENT_SETS {
        let bytes = object(set.name).expect("a declared set has programs");
        let open = libbpf_rs::ObjectBuilder::default().open_memory(bytes).expect("an object");
        let mut built: Vec<_> = open
            .progs()
            .map(|p| (p.name().to_str().expect("ASCII").to_owned(), p.section().to_str().expect("ASCII").to_owned()))
            .collect();
        let mut declared: Vec<_> = set.programs.iter().map(|p| (p.name.to_owned(), p.hook.to_owned())).collect();
        built.sort();
        declared.sort();
        assert_eq!(built, declared);
        assert!(set.programs.iter().any(|p| p.when == When::Asked));
    }
}

#[test]
fn bytes_are_values() {
    let mut bytes = [0u8; 24];
    bytes[..8].copy_from_slice(&7u64.to_ne_bytes());
    bytes[8..12].copy_from_slice(&1000u32.to_ne_bytes());
    bytes[12..16].copy_from_slice(&2000u32.to_ne_bytes());
    bytes[16..20].copy_from_slice(&0x82u32.to_ne_bytes());
    bytes[20..22].copy_from_slice(&300u16.to_ne_bytes());
    (bytes[22], bytes[23]) = (0, flag::PREEMPT | flag::THROTTLED);
    let told = Event { at: 7, tid: 1000, other: 2000, state: 0x82, cpu: 300, kind: Kind::Switch, flags: 3 };
    assert_eq!(event(&bytes), Some(told));
    bytes[22] = 11;
    assert_eq!(event(&bytes), None, "no such kind");
    let mut bytes = [0u8; 88];
    bytes[22] = Kind::Exec as u8;
    bytes[40..45].copy_from_slice(b"nginx");
    bytes[56..60].copy_from_slice(b"init");
    bytes[76..80].copy_from_slice(&(-1i32).to_ne_bytes());
    bytes[84..88].copy_from_slice(&(-20i32).to_ne_bytes());
    let told = identity(&bytes).expect("a kind");
    assert_eq!((told.kind, told.prio, told.nice), (Kind::Exec, -1, -20));
    assert_eq!((&told.comm[..6], &told.process[..5]), (&b"nginx\0"[..], &b"init\0"[..]));
    let mut bytes = [0u8; 32];
    bytes[24] = 1;
    bytes[28] = 3;
    assert_eq!(gap(&bytes).map(|gap| (gap.cause, gap.cpu)), Some(("task_state", Some(3))));
    bytes[24] = 9;
    assert_eq!(gap(&bytes), None, "no such cause");
}
