//! Control groups: which hierarchy, and paths to ids and back. An id is the inode number of the group's directory, which
//! on 64-bit kernels is the id that the kernel keeps in its own node (kernfs).

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::name;

/// A mounted hierarchy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hierarchy {
    pub mount: PathBuf,
    /// The group that is mounted there, seen from the hierarchy's root: `/` unless only a part is mounted.
    pub root: String,
    pub v1: bool,
    /// v1 controllers, such as `cpu`.
    pub controllers: Vec<String>,
}

/// A group that was asked for by its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    pub id: u64,
    /// Steps below the hierarchy's root.
    pub level: u32,
    pub v1: bool,
}

#[derive(Debug)]
pub enum Error {
    /// No hierarchy that holds the cpu controller, and no v2 one, is mounted.
    NoHierarchy,
    /// The path is in a mounted hierarchy that says nothing about CPUs.
    OtherHierarchy {
        mount: PathBuf,
        controllers: Vec<String>,
    },
    Missing {
        path: PathBuf,
        error: io::Error,
    },
}

/// All that are mounted, in the order of /proc/self/mountinfo.
pub fn hierarchies() -> Vec<Hierarchy> {
    fs::read("/proc/self/mountinfo").map(|text| parse_mounts(&text)).unwrap_or_default()
}

fn parse_mounts(text: &[u8]) -> Vec<Hierarchy> {
    let mut found: Vec<Hierarchy> = Vec::new();
    for line in text.split(|b| *b == b'\n') {
        let words: Vec<&[u8]> = line.split(|b| *b == b' ').collect();
        let Some(dash) = words.iter().position(|w| *w == b"-") else { continue };
        if dash < 6 || words.len() < dash + 4 {
            continue;
        }
        let v1 = match words[dash + 1] {
            b"cgroup" => true,
            b"cgroup2" => false,
            _ => continue,
        };
        let options = String::from_utf8_lossy(words[dash + 3]);
        let controllers = options.split(',').filter(|o| *o != "rw" && *o != "ro").map(str::to_owned).collect();
        let hierarchy = Hierarchy {
            mount: PathBuf::from(OsStr::from_bytes(&unescape_mount(words[4]))),
            root: String::from_utf8_lossy(&unescape_mount(words[3])).into_owned(),
            v1,
            controllers: if v1 { controllers } else { Vec::new() },
        };
        found.push(hierarchy);
    }
    found
}

/// mountinfo writes space, tab, newline and backslash as three octal digits.
fn unescape_mount(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let octal = bytes.get(i + 1..i + 4).and_then(|d| u8::from_str_radix(std::str::from_utf8(d).ok()?, 8).ok());
        match (bytes[i], octal) {
            (b'\\', Some(byte)) => {
                out.push(byte);
                i += 4;
            }
            (byte, _) => {
                out.push(byte);
                i += 1;
            }
        }
    }
    out
}

/// The hierarchy that says who shares the CPUs: the v1 one that holds the cpu controller, else v2.
pub fn cpu_hierarchy(all: &[Hierarchy]) -> Option<&Hierarchy> {
    all.iter().find(|h| h.v1 && h.controllers.iter().any(|c| c == "cpu")).or_else(|| all.iter().find(|h| !h.v1))
}

/// Finds a group. A path that begins with a mount point names its hierarchy; any other is taken in the cpu controller's.
pub fn resolve(path: &str, all: &[Hierarchy]) -> Result<Group, Error> {
    let asked = Path::new(path);
    let mounted = all.iter().filter(|h| asked.starts_with(&h.mount)).max_by_key(|h| h.mount.as_os_str().len());
    let cpu = cpu_hierarchy(all).ok_or(Error::NoHierarchy)?;
    let (hierarchy, below) = match mounted {
        Some(h) if h == cpu || !h.v1 => (h, asked.strip_prefix(&h.mount).unwrap_or(asked).to_path_buf()),
        Some(h) => {
            return Err(Error::OtherHierarchy { mount: h.mount.clone(), controllers: h.controllers.clone() });
        }
        None => (cpu, asked.strip_prefix("/").unwrap_or(asked).to_path_buf()),
    };
    let full = hierarchy.mount.join(&below);
    let id = match fs::metadata(&full) {
        Ok(meta) if meta.is_dir() => meta.ino(),
        Ok(_) => return Err(Error::Missing { path: full, error: io::ErrorKind::NotADirectory.into() }),
        Err(error) => return Err(Error::Missing { path: full, error }),
    };
    let steps = |p: &Path| p.components().filter(|c| matches!(c, std::path::Component::Normal(_))).count() as u32;
    Ok(Group { id, level: steps(Path::new(&hierarchy.root)) + steps(&below), v1: hierarchy.v1 })
}

/// Every group of a hierarchy that exists now: id to path below the mount, as printable text.
pub fn paths(hierarchy: &Hierarchy) -> HashMap<u64, String> {
    let mut found = HashMap::new();
    let mut open = vec![hierarchy.mount.clone()];
    while let Some(dir) = open.pop() {
        if let Ok(meta) = fs::metadata(&dir) {
            let below = dir.strip_prefix(&hierarchy.mount).unwrap_or(&dir);
            found.insert(meta.ino(), format!("/{}", name::escape(below.as_os_str().as_bytes())));
        }
        let Ok(entries) = fs::read_dir(&dir) else { continue };
        open.extend(entries.flatten().filter(|e| e.file_type().is_ok_and(|t| t.is_dir())).map(|e| e.path()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const HYBRID: &[u8] = b"30 29 0:26 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu\n\
        31 29 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
        32 29 0:28 /pod\\040a /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n\
        33 1 0:5 / /dev rw - devtmpfs dev rw\n";

    #[test]
    fn hierarchies_of_a_hybrid_host() {
        let all = parse_mounts(HYBRID);
        assert_eq!(all.len(), 3);
        assert_eq!(cpu_hierarchy(&all).unwrap().mount, Path::new("/sys/fs/cgroup/cpu"));
        assert_eq!(all[2].root, "/pod a");
        assert!(matches!(resolve("/sys/fs/cgroup/memory/x", &all), Err(Error::OtherHierarchy { .. })));
        assert!(matches!(resolve("/no/such/group", &all), Err(Error::Missing { .. })));
    }

    #[test]
    fn without_v1_the_unified_tree_counts() {
        let all = parse_mounts(b"32 29 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n");
        assert!(!cpu_hierarchy(&all).unwrap().v1);
        assert!(matches!(resolve("/x", &[]), Err(Error::NoHierarchy)));
    }
}
