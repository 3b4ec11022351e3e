//! Why the kernel gave no answer, and the words for it.

use std::path::Path;

use crate::diagnostic::{Diagnostic, Exit};
use crate::host::{cgroup, namespace};

#[derive(Debug)]
pub enum Error {
    /// These capabilities are not in the effective set.
    Capabilities(Vec<&'static str>),
    /// The kernel was built without BTF.
    NoBtf,
    /// Refused although the capabilities are there.
    Refused {
        what: String,
        log: String,
    },
    /// The verifier or libbpf refused a program; the log's last lines say why.
    Load {
        error: String,
        log: String,
    },
    Attach {
        program: String,
        hook: String,
        error: String,
    },
    /// No more files can be opened.
    Files,
    /// A map could not be read or written.
    Read(String),
    Cgroup {
        path: String,
        error: cgroup::Error,
    },
    /// Paths of both hierarchies in one query.
    TwoHierarchies {
        first: String,
        second: String,
    },
    /// The object does not fit the program: a broken build.
    Object(String),
    Memory {
        bytes: u64,
    },
}

impl Error {
    pub fn read(error: libbpf_rs::Error) -> Error {
        super::load::no_files(&error).unwrap_or_else(|| Error::Read(format!("{error:#}")))
    }

    pub fn diagnostic(&self) -> Diagnostic {
        let not_possible = |code, title: String| Diagnostic::new(code, Exit::NotPossible, title);
        match self {
            Error::Capabilities(missing) => {
                let list = missing.join(" and ");
                not_possible("no-capability", format!("watching the scheduler needs {list}, which this process does not have"))
                    .help("run it as root, for example with sudo")
                    .help(format!("or let this binary do it for everyone: sudo setcap cap_bpf,cap_perfmon+ep {}", own_path()))
                    .help("parse, check, explain, fmt, list and describe work without")
            }
            Error::NoBtf => not_possible("no-btf", "this kernel does not describe its types: /sys/kernel/btf/vmlinux is missing".into())
                .help("boot a kernel with CONFIG_DEBUG_INFO_BTF=y; those of Debian 11, Ubuntu 20.10, RHEL 8.2 and later have it")
                .help("in a container, /sys must be the host's"),
            Error::Refused { what, log } => {
                let mut made = not_possible("refused", format!("the kernel refused {what} (EPERM), although the capabilities are there"))
                    .help("a seccomp filter (containers), kernel lockdown, or a security module stands in the way");
                if namespace::in_user_namespace() {
                    made = made.help("this process is in a user namespace: the kernel takes BPF only from capabilities outside of it");
                }
                for line in last_lines(log, 1) {
                    made = made.help(format!("libbpf said: {line}"));
                }
                made
            }
            Error::Files => not_possible("open-files", "too many files are open: a query holds about a dozen".into())
                .help("allow more (ulimit -n), or ask fewer questions at once"),
            Error::Load { error, log } => {
                let mut made = not_possible("load", format!("the kernel did not take the program: {error}"));
                for line in last_lines(log, 4) {
                    made = made.help(format!("it said: {line}"));
                }
                made.help("this is a fault of schedq or a kernel that it does not know: please report it with all of this and `uname -r`")
            }
            Error::Attach { program, hook, error } => {
                not_possible("attach", format!("{program} could not be attached to {hook}: {error}"))
            }
            Error::Read(error) => Diagnostic::new("read", Exit::Failed, format!("the kernel's maps could not be read: {error}")),
            Error::Cgroup { path, error } => cgroup_diagnostic(path, error),
            Error::TwoHierarchies { first, second } => Diagnostic::new(
                "two-hierarchies",
                Exit::Wrong,
                format!("{first:?} and {second:?} are in different cgroup hierarchies"),
            )
            .help("one query speaks of one hierarchy: name both groups in the same one"),
            Error::Object(what) => Diagnostic::new("object", Exit::Failed, format!("the built-in BPF object does not fit: {what}")),
            Error::Memory { bytes } => not_possible("memory", format!("the kernel had no memory for maps of {} MiB", bytes >> 20))
                .help("use keys with fewer values, or a smaller budget: --map-memory 32MiB"),
        }
    }
}

fn cgroup_diagnostic(path: &str, error: &cgroup::Error) -> Diagnostic {
    let (title, help) = match error {
        cgroup::Error::NoHierarchy => {
            ("no cgroup hierarchy is mounted".to_owned(), "mount one: mount -t cgroup2 none /sys/fs/cgroup".to_owned())
        }
        cgroup::Error::OtherHierarchy { mount, controllers } => (
            format!("{path:?} is in the hierarchy of {} ({})", show(mount), controllers.join(",")),
            "that hierarchy says nothing about CPUs: name the group in the one of the cpu controller, or in v2"
                .to_owned(),
        ),
        cgroup::Error::Missing { path: full, error } => (
            format!("there is no cgroup {path:?}: {}: {error}", show(full)),
            "it must exist when the query starts; groups born later below it are found".to_owned(),
        ),
    };
    Diagnostic::new("cgroup", Exit::NotPossible, title).help(help)
}

fn show(path: &Path) -> String {
    crate::name::escape(path.as_os_str().as_encoded_bytes())
}

/// Where this program is, for a command that a person may copy.
fn own_path() -> String {
    let path = std::env::current_exe().unwrap_or_else(|_| "schedq".into());
    format!("'{}'", show(&path))
}

/// What libbpf and the verifier printed last that says something, in order.
fn last_lines(log: &str, most: usize) -> Vec<&str> {
    let says = |l: &&str| !l.is_empty() && !l.starts_with("-- END") && !l.starts_with("processed ");
    let mut lines: Vec<&str> = log.lines().rev().map(str::trim).filter(says).take(most).collect();
    lines.reverse();
    lines
}
