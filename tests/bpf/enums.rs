//! Words and numbers.

use nix::libc;
use schedq::catalog::{FAMILIES, Kind, task};
use schedq::plan::layout::{Mode, flag, op};

use super::{btf, enumerators};

#[track_caller]
fn same(found: Vec<(String, i64)>, prefix: &str, declared: &[(&str, i64)]) {
    let stripped: Vec<(&str, i64)> =
        found.iter().map(|(name, n)| (name.strip_prefix(prefix).unwrap_or_else(|| panic!("{name}")), *n)).collect();
    assert_eq!(stripped, declared, "{prefix}");
}

/// The words of the column `c` of the family `f` are the numbers of `enum f_c`.
#[test]
fn words_of_columns() {
    for family in FAMILIES {
        let btf = btf(family);
        for column in family.own {
            let Kind::Word(words) = column.kind else { continue };
            let upper: Vec<_> =
                words.iter().map(|(word, n)| (word.replace([':', '-'], "_").to_uppercase(), *n)).collect();
            let upper: Vec<_> = upper.iter().map(|(word, n)| (word.as_str(), *n)).collect();
            let found = enumerators(&btf, &format!("{}_{}", family.name, column.name));
            same(found, &format!("{}_", column.name.to_uppercase()), &upper);
        }
    }
}

#[test]
fn policies_are_those_of_the_kernel() {
    let Some(Kind::Word(words)) = task::COLUMNS.iter().find(|c| c.name == "policy").map(|c| c.kind) else {
        panic!("policy is a word")
    };
    let number = |word| words.iter().find(|w| w.0 == word).expect("a policy").1;
    for (word, n) in [
        ("other", libc::SCHED_OTHER),
        ("fifo", libc::SCHED_FIFO),
        ("rr", libc::SCHED_RR),
        ("batch", libc::SCHED_BATCH),
        ("idle", libc::SCHED_IDLE),
        ("deadline", libc::SCHED_DEADLINE),
    ] {
        assert_eq!(number(word), i64::from(n), "{word}");
    }
}

#[test]
fn operators_and_flags() {
    for family in FAMILIES {
        let btf = btf(family);
        let declared = [
            ("EQUAL", op::EQUAL),
            ("NOT_EQUAL", op::NOT_EQUAL),
            ("BETWEEN", op::BETWEEN),
            ("NAME", op::NAME),
            ("NOT_NAME", op::NOT_NAME),
            ("MISSING", op::MISSING),
            ("SLOT_EQUAL", op::SLOT_EQUAL),
            ("SLOT_NOT_EQUAL", op::SLOT_NOT_EQUAL),
            ("SLOT_LESS", op::SLOT_LESS),
            ("SLOT_LESS_OR_EQUAL", op::SLOT_LESS_OR_EQUAL),
            ("NAMES_EQUAL", op::NAMES_EQUAL),
            ("NAMES_NOT_EQUAL", op::NAMES_NOT_EQUAL),
        ];
        same(enumerators(&btf, "term_op"), "TERM_", &declared.map(|(name, n)| (name, i64::from(n))));
        let declared = [("NEGATED", flag::NEGATED), ("LAST", flag::LAST)];
        same(enumerators(&btf, "term_flag"), "TERM_", &declared.map(|(name, n)| (name, i64::from(n))));
    }
}

#[test]
fn modes_and_what_is_kept() {
    for family in FAMILIES {
        let btf = btf(family);
        let declared = [
            ("SINGLE", Mode::Single),
            ("GROUPS", Mode::Groups),
            ("HISTOGRAMS", Mode::Histograms),
            ("ROWS", Mode::Rows),
        ];
        same(enumerators(&btf, "query_mode"), "MODE_", &declared.map(|(name, mode)| (name, mode as i64)));
        // The bits that rodata sets, in its order: sum, extremes, max_at, histogram.
        let declared = [("SUM", 1), ("EXTREMES", 2), ("MAX_AT", 4), ("HISTOGRAM", 8)];
        same(enumerators(&btf, "query_keep"), "KEEP_", &declared);
    }
}
