//! Layouts: a slot that is read where another one was written is no error to the verifier, only a wrong answer.

use schedq::catalog::{FAMILIES, SHARED_LOSSES, task};
use schedq::lang::ast::Stat;
use schedq::plan::layout::{CELL_BYTES, MAX_KEY_WORDS, MAX_RECORD_WORDS, MAX_TERMS, Machine, layout};
use schedq::source::live::COUNTERS;
use schedq::source::live::rodata::{self, Decided};

use super::{btf, capacity, members};

/// Names of columns with the byte at which their slots begin.
fn slots(columns: &[schedq::catalog::Column]) -> Vec<(String, usize)> {
    columns.iter().map(|c| (c.name.to_owned(), usize::from(c.slot) * 8)).collect()
}

#[test]
fn the_rows_of_a_task() {
    for family in FAMILIES {
        let (mut found, size) = members(&btf(family), "task_row");
        let under = found.pop().expect("members");
        assert_eq!(under, ("under".to_owned(), usize::from(task::UNDER_SLOTS[0]) * 8), "{}", family.name);
        assert_eq!(capacity(&btf(family), "task_row", "under"), task::UNDER_SLOTS.len());
        assert!(task::UNDER_SLOTS.is_sorted_by(|a, b| a + 1 == *b));
        assert_eq!(found, slots(task::COLUMNS), "{}", family.name);
        assert_eq!(size, usize::from(task::OWN_SLOT) * 8, "{}", family.name);
    }
}

#[test]
fn the_rows_of_families() {
    for family in FAMILIES {
        let name = format!("{}_row", family.name);
        let (mut found, size) = members(&btf(family), &name);
        assert_eq!(found.remove(0), ("task".to_owned(), 0), "{name}");
        assert_eq!(found, slots(family.own), "{name}");
        let last = family.own.iter().map(|c| usize::from(c.slot + c.kind.slots())).max();
        assert_eq!(size, last.unwrap_or(usize::from(task::OWN_SLOT)) * 8, "{name}");
        for column in family.columns() {
            let next = family.columns().map(|c| c.slot).filter(|s| *s > column.slot).min();
            assert!(
                next.is_none_or(|next| column.slot + column.kind.slots() <= next),
                "{name}: {} overlaps",
                column.name
            );
        }
        // Masks of slots are 64 bits wide.
        assert!(size / 8 <= 64, "{name}");
    }
}

#[test]
fn counters_and_cells() {
    for family in FAMILIES {
        let btf = btf(family);
        let (mut found, size) = members(&btf, "counters");
        assert_eq!(found.pop(), Some(("family".to_owned(), COUNTERS.len() * 8)), "{}", family.name);
        let shared: Vec<_> = COUNTERS.iter().enumerate().map(|(i, name)| ((*name).to_owned(), i * 8)).collect();
        assert_eq!(found, shared, "{}", family.name);
        assert!(SHARED_LOSSES.iter().all(|loss| COUNTERS.contains(&loss.counter)));
        let (own, own_size) = members(&btf, "family_counters");
        let declared: Vec<_> = family.losses.iter().enumerate().map(|(i, l)| (l.counter.to_owned(), i * 8)).collect();
        assert_eq!(own, declared, "{}", family.name);
        assert_eq!(size, COUNTERS.len() * 8 + own_size, "{}", family.name);
        let (cell, size) = members(&btf, "cell");
        let names: Vec<_> = cell.iter().map(|m| m.0.as_str()).collect();
        assert_eq!(names, ["count", "sum", "min_inverted", "max", "max_at"]);
        assert_eq!(size, CELL_BYTES as usize);
    }
}

#[test]
fn the_query() {
    for family in FAMILIES {
        let btf = btf(family);
        let plan = crate::plans::plan(family.name, &["comm"], &[Stat::Count]);
        let machine = Machine { cpus: 3, task_storage: true };
        let decided = Decided {
            own_tgid: 1,
            child_tgid: 2,
            cgroup_v1: true,
            prev_state_argument: true,
            pid_namespace: None,
            under_level: [1, 2, 3, 4],
        };
        let config = rodata::config(&plan.scan, &layout(&plan.scan, machine), machine, &decided);
        let owned = |m: Vec<(&str, usize)>| m.into_iter().map(|(n, at)| (n.to_owned(), at)).collect::<Vec<_>>();
        let (found, size) = members(&btf, "query_config");
        assert_eq!(owned(config.members), found, "{}", family.name);
        assert_eq!(config.bytes.len(), size, "{}", family.name);
        let (term, term_size) = members(&btf, "term");
        assert_eq!(owned(config.term_members), term, "{}", family.name);
        assert_eq!(found[1].1, MAX_TERMS * term_size, "{}", family.name);
        assert_eq!(capacity(&btf, "query_config", "terms"), MAX_TERMS);
        assert_eq!(capacity(&btf, "query_config", "key_slots"), MAX_KEY_WORDS);
        assert_eq!(capacity(&btf, "query_config", "record_slots"), MAX_RECORD_WORDS);
        assert_eq!(capacity(&btf, "query_config", "under_level"), task::UNDER_SLOTS.len());
        let (window, _) = members(&btf, "query_window");
        assert_eq!(
            window,
            owned(vec![
                ("start_ns", 0),
                ("open", 8),
                ("attachment", 16),
                ("unused", 18),
                ("command_runs", 24),
                ("own_tgid", 32),
                ("child_tgid", 40)
            ])
        );
        // Every column of the widest family fits into a record.
        let words: u8 = family.columns().map(|c| c.kind.slots()).sum();
        assert!(usize::from(words) <= MAX_RECORD_WORDS, "{}", family.name);
    }
}
