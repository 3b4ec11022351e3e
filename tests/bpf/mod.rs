//! The two sides of the kernel's border, held against each other through the objects' own BTF: no root is needed.

mod enums;
mod events;
mod structs;

use libbpf_rs::btf::types::{Array, Enum, MemberAttr, Struct};
use libbpf_rs::btf::{Btf, HasSize};
use schedq::catalog::{EVENT_SETS, FAMILIES, Family};
use schedq::source::live;

/// The types of a family's object.
fn btf(family: &Family) -> Btf<'static> {
    let object = live::object(family.name).expect("a declared family has programs");
    Btf::from_raw(family.name, object).expect("an object").expect("an object with BTF")
}

/// Names of a struct's members and where they begin, in bytes; and the struct's size.
#[track_caller]
fn members(btf: &Btf<'_>, name: &str) -> (Vec<(String, usize)>, usize) {
    let found: Struct<'_> = btf.type_by_name(name).unwrap_or_else(|| panic!("no struct {name} in the BTF"));
    let member = |m: libbpf_rs::btf::types::StructMember<'_>| {
        let MemberAttr::Normal { offset } = m.attr else { panic!("{name} has a bit field") };
        let member = m.name.expect("a name").to_str().expect("ASCII").to_owned();
        (member, offset as usize / 8)
    };
    (found.iter().map(member).collect(), found.size())
}

/// Elements of a member that is an array.
#[track_caller]
fn capacity(btf: &Btf<'_>, name: &str, member: &str) -> usize {
    let found: Struct<'_> = btf.type_by_name(name).unwrap_or_else(|| panic!("no struct {name} in the BTF"));
    let member = found.iter().find(|m| m.name.is_some_and(|n| n == member)).expect("a member");
    btf.type_by_id::<Array<'_>>(member.ty).expect("an array").capacity()
}

/// Names and numbers of an enum.
#[track_caller]
fn enumerators(btf: &Btf<'_>, name: &str) -> Vec<(String, i64)> {
    let found: Enum<'_> = btf.type_by_name(name).unwrap_or_else(|| panic!("no enum {name} in the BTF"));
    found.iter().map(|e| (e.name.expect("a name").to_str().expect("ASCII").to_owned(), e.value)).collect()
}

/// A family is declared once, and built, and tested.
#[test]
fn families_are_the_same_everywhere() {
    let sorted = |mut names: Vec<String>| {
        names.sort();
        names
    };
    let declared = sorted(FAMILIES.iter().map(|f| f.name.to_owned()).collect());
    let all = sorted(FAMILIES.iter().chain(EVENT_SETS).map(|f| f.name.to_owned()).collect());
    assert_eq!(all, sorted(live::families().map(str::to_owned).collect()), "programs in src/bpf");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/families");
    let entries = std::fs::read_dir(folder).expect("tests/families").flatten();
    let folders = entries.filter(|e| e.path().is_dir()).map(|e| e.file_name().into_string().expect("ASCII"));
    assert_eq!(declared, sorted(folders.collect()), "folders in tests/families");
}
