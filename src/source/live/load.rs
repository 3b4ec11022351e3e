//! Open, configure, load, attach.

use std::io;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use libbpf_rs::{ErrorKind, Link, Object, ObjectBuilder, OpenObject, PrintLevel, set_print};

use super::error::Error;
use super::facts::Facts;
use super::pool::{Key, Pool};
use super::rodata::{self, Decided};
use super::{Processes, object};
use crate::catalog::{Unit, When};
use crate::host::{capability, cgroup, limits, lists, namespace};
use crate::plan::layout::{Layout, Machine, Mode, layout, op};
use crate::plan::{Output, Scan};

pub struct Loaded {
    pub object: Object,
    /// By what it can be found again; `None` for one that is not worth keeping.
    pub key: Option<Key>,
    /// How often it was attached before.
    pub attachment: u16,
    pub links: Vec<Link>,
    pub layout: Layout,
    pub machine: Machine,
    pub notes: Vec<String>,
}

/// Maps of a recording's object that have an entry for each CPU.
const BY_CPU: [&str; 2] = ["rings", "positions"];

/// Files that a load opens for a while or for good, and some to spare.
const FILES: usize = 16;

/// What libbpf said since the last load; its callback is a plain function, so a static takes it.
static LOG: Mutex<String> = Mutex::new(String::new());

fn keep_log(_: PrintLevel, text: String) {
    if let Ok(mut log) = LOG.lock() {
        log.push_str(&text);
    }
}

/// Loads and attaches the variant for `facts`; without them the one that this kernel takes. An object of `pool` that is the
/// same is attached again.
pub fn load(scan: &Scan, processes: Processes, facts: Option<Facts>, pool: Option<&mut Pool>) -> Result<Loaded, Error> {
    let mut none = Pool::new(0);
    let pool = pool.unwrap_or(&mut none);
    match variant(scan, processes, facts, pool) {
        // What waits may hold what is missing now.
        Err(Error::Files | Error::Memory { .. }) if pool.empty() => variant(scan, processes, facts, pool),
        other => other,
    }
}

fn variant(scan: &Scan, processes: Processes, facts: Option<Facts>, pool: &mut Pool) -> Result<Loaded, Error> {
    let missing = capability::missing_for_bpf();
    if !missing.is_empty() {
        return Err(Error::Capabilities(missing));
    }
    if !capability::has_btf() {
        return Err(Error::NoBtf);
    }
    limits::raise_open_files();
    set_print(Some((PrintLevel::Warn, keep_log)));
    if let Some(facts) = facts {
        return attempt(scan, processes, facts, pool);
    }
    // A modern kernel takes the first try. An older one refuses what it does not have, and then it is asked.
    match attempt(scan, processes, Facts::MODERN, pool) {
        Err(error @ (Error::Load { .. } | Error::Refused { .. })) => match Facts::of_kernel() {
            Some(facts) if facts != Facts::MODERN => attempt(scan, processes, facts, pool),
            _ => Err(error),
        },
        other => other,
    }
}

fn attempt(scan: &Scan, processes: Processes, facts: Facts, pool: &mut Pool) -> Result<Loaded, Error> {
    let machine = Machine { cpus: lists::possible_cpus(), task_storage: facts.task_storage };
    let mut layout = layout(scan, machine);
    let decided = decide(&mut layout, processes, facts)?;
    let config = rodata::config(scan, &layout, machine, &decided).bytes;
    let key = Key::of(scan.family.name, &config, &layout, processes);
    let (object, attachment) = match key.as_ref().and_then(|key| pool.take(key, &layout)) {
        Some(kept) => (kept.object, kept.attachment),
        None => (loaded(scan, &layout, machine, &decided, &config)?, 0),
    };
    let links = attach(&object, scan)?;
    let mut notes = Vec::new();
    if decided.pid_namespace.is_some() {
        // Whoever sleeps is switched out, and so the programs learn the kernel's number of this process.
        thread::sleep(Duration::from_millis(1));
    }
    if decided.pid_namespace.is_some() && speaks_of_numbers(scan) {
        notes.push(
            "numbers of threads and processes are those of the whole machine, not of the PID namespace that schedq is in"
                .into(),
        );
    }
    Ok(Loaded { object, key, attachment, links, layout, machine, notes })
}

fn loaded(scan: &Scan, layout: &Layout, machine: Machine, decided: &Decided, config: &[u8]) -> Result<Object, Error> {
    let bytes = object(scan.family.name).ok_or_else(|| Error::Object(format!("none for {}", scan.family.name)))?;
    LOG.lock().map(|mut log| log.clear()).ok();
    let mut open = ObjectBuilder::default()
        .open_memory(bytes)
        .map_err(|e| no_files(&e).unwrap_or_else(|| Error::Object(format!("{e:#}"))))?;
    // With the last file gone in the middle of a load, libbpf takes its own failed probes for what the kernel cannot do.
    if !limits::has_files(FILES) {
        return Err(Error::Files);
    }
    configure(&mut open, scan, layout, machine, decided, config)?;
    open.load().map_err(|e| load_error(&e, layout))
}

fn attach(object: &Object, scan: &Scan) -> Result<Vec<Link>, Error> {
    let mut links = Vec::new();
    let asked = |name: &str| scan.family.programs.iter().any(|p| p.name == name && p.when == When::Asked);
    for program in object.progs_mut().filter(|p| p.autoload() && !p.name().to_str().is_some_and(asked)) {
        let link = program.attach().map_err(|e| {
            no_files(&e).unwrap_or_else(|| Error::Attach {
                program: program.name().to_string_lossy().into_owned(),
                hook: program.section().to_string_lossy().into_owned(),
                error: e.to_string(),
            })
        })?;
        links.push(link);
    }
    Ok(links)
}

fn speaks_of_numbers(scan: &Scan) -> bool {
    let output = match &scan.output {
        Output::Groups { keys, .. } => keys,
        Output::Rows { columns, .. } => columns,
    };
    let tested = scan.clauses.iter().flat_map(|clause| &clause.terms).flat_map(|term| term.columns());
    tested.chain(output.iter().copied()).any(|column| column.unit == Unit::Task)
}

/// Turns paths of cgroups into ids and levels, and checks that they are of one hierarchy.
fn decide(layout: &mut Layout, processes: Processes, facts: Facts) -> Result<Decided, Error> {
    let mut decided = Decided {
        own_tgid: processes.own,
        child_tgid: processes.child.unwrap_or(0),
        cgroup_v1: false,
        prev_state_argument: facts.prev_state_argument,
        pid_namespace: namespace::pid_namespace(),
        under_level: [0; 4],
    };
    let all = cgroup::hierarchies();
    let mut first: Option<(String, bool)> = None;
    for term in &mut layout.terms {
        let Some(path) = term.path.clone() else { continue };
        let group = cgroup::resolve(&path, &all).map_err(|error| Error::Cgroup { path: path.clone(), error })?;
        match &first {
            None => first = Some((path.clone(), group.v1)),
            Some((other, v1)) if *v1 != group.v1 => {
                return Err(Error::TwoHierarchies { first: other.clone(), second: path });
            }
            Some(_) => {}
        }
        term.a = group.id;
        if let Some(at) = layout.under.iter().position(|p| *p == path).filter(|_| term.op == op::EQUAL) {
            decided.under_level[at] = group.level;
        }
    }
    decided.cgroup_v1 = first.map_or_else(|| cgroup::cpu_hierarchy(&all).is_some_and(|h| h.v1), |f| f.1);
    Ok(decided)
}

fn configure(
    open: &mut OpenObject,
    scan: &Scan,
    layout: &Layout,
    machine: Machine,
    decided: &Decided,
    config: &[u8],
) -> Result<(), Error> {
    let broken = |e: libbpf_rs::Error| Error::Object(e.to_string());
    for mut map in open.maps_mut() {
        let name = map.name().to_string_lossy().into_owned();
        // libbpf puts the object's name before those of its data sections.
        if name.ends_with(".rodata") {
            let value = map.initial_value_mut().ok_or_else(|| Error::Object("no read-only data".into()))?;
            if value.len() != config.len() {
                return Err(Error::Object(format!("{} bytes of read-only data, not {}", value.len(), config.len())));
            }
            value.copy_from_slice(config);
        } else if let Some(size) = layout.map(&name) {
            // What is remembered of a task is the family's own struct.
            if !matches!(size.kind, "ring buffer" | "task storage") && name != "state_hash" {
                map.set_key_size(size.key_bytes).map_err(broken)?;
                map.set_value_size(size.value_bytes).map_err(broken)?;
            }
            map.set_max_entries(size.entries).map_err(broken)?;
        } else if name == "blank" {
            let group = layout.maps.first().filter(|_| matches!(layout.mode, Mode::Groups | Mode::Histograms));
            match group {
                Some(group) => map.set_value_size(group.value_bytes).map_err(broken)?,
                None => map.set_autocreate(false).map_err(broken)?,
            }
        } else if BY_CPU.contains(&name.as_str()) {
            map.set_max_entries(machine.cpus).map_err(broken)?;
        } else if !matches!(name.as_str(), "counters" | "losses") && !name.ends_with(".bss") {
            map.set_autocreate(false).map_err(broken)?;
        }
    }
    let child = layout.reads_child(scan);
    for mut program in open.progs_mut() {
        let name = program.name().to_string_lossy().into_owned();
        let declared = scan.family.programs.iter().find(|p| p.name == name);
        let wanted = match declared.map(|p| p.when) {
            Some(When::Always | When::Asked) => true,
            Some(When::Command) => decided.child_tgid != 0,
            Some(When::Child) => child,
            Some(When::HashState) => !machine.task_storage && (scan.family.state || child),
            None => return Err(Error::Object(format!("{name} is not declared by the family"))),
        };
        program.set_autoload(wanted);
    }
    Ok(())
}

/// Whether no more files could be had, which are what maps, programs and links are held by. libbpf-rs keeps the code to
/// itself and gives its words.
pub(super) fn no_files(error: &libbpf_rs::Error) -> Option<Error> {
    let said = format!("{error:#}");
    let is = |code| said.ends_with(&io::Error::from_raw_os_error(code).to_string());
    (is(nix::libc::EMFILE) || is(nix::libc::ENFILE)).then_some(Error::Files)
}

fn load_error(error: &libbpf_rs::Error, layout: &Layout) -> Error {
    if let Some(error) = no_files(error) {
        return error;
    }
    let log = LOG.lock().map(|log| log.clone()).unwrap_or_default();
    let kind = error.kind();
    let code = io::Error::last_os_error().raw_os_error();
    match kind {
        ErrorKind::PermissionDenied if !log.contains("BEGIN PROG LOAD LOG") => {
            Error::Refused { what: "to load the programs".into(), log }
        }
        ErrorKind::OutOfMemory => Error::Memory { bytes: layout.total_bytes() },
        _ if code == Some(nix::libc::ENOMEM) => Error::Memory { bytes: layout.total_bytes() },
        _ => Error::Load { error: error.to_string(), log },
    }
}
