//! Control groups for tests: made where the hierarchies are mounted, and gone when dropped.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

/// A cgroup that the test made.
pub struct Cgroup {
    folder: PathBuf,
    mount: PathBuf,
}

impl Cgroup {
    /// A group in the hierarchy of version 1 that holds the cpu controller; `None` where there is none.
    pub fn v1_cpu(name: &str) -> Option<Cgroup> {
        let mount = mounts().into_iter().find(|m| m.kind == "cgroup" && m.options.split(',').any(|o| o == "cpu"))?;
        Some(Cgroup::make(mount.at, name))
    }

    /// A group in the unified hierarchy; `None` where there is none.
    pub fn v2(name: &str) -> Option<Cgroup> {
        let mount = mounts().into_iter().find(|m| m.kind == "cgroup2")?;
        Some(Cgroup::make(mount.at, name))
    }

    /// A group of [`Cgroup::v2`] to which the cpu controller is handed down.
    pub fn v2_cpu(name: &str) -> Option<Cgroup> {
        Cgroup::v2(name).filter(|group| group.folder.join("cpu.max").exists())
    }

    fn make(mount: PathBuf, name: &str) -> Cgroup {
        // Test runs beside each other must not share groups.
        let folder = mount.join(format!("schedq-test-{}-{name}", std::process::id()));
        fs::create_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        Cgroup { folder, mount }
    }

    /// A group below this one. It must be dropped before its parent.
    pub fn child(&self, name: &str) -> Cgroup {
        let folder = self.folder.join(name);
        fs::create_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        Cgroup { folder, mount: self.mount.clone() }
    }

    /// The folder, mount point included.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The group's path inside its hierarchy, as in `/proc/PID/cgroup`.
    pub fn path(&self) -> String {
        let inside = self.folder.strip_prefix(&self.mount).expect("made below its mount");
        format!("/{}", inside.display())
    }

    /// The group's id, as BPF sees it: the inode of its folder.
    pub fn id(&self) -> u64 {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(&self.folder).expect("the group").ino()
    }

    /// Moves a process, with all its threads.
    pub fn attach(&self, pid: i32) {
        self.write("cgroup.procs", &pid.to_string());
    }

    /// Lets the group run `quota` of every `period`.
    pub fn quota(&self, quota: Duration, period: Duration) {
        let (quota, period) = (quota.as_micros(), period.as_micros());
        if self.folder.join("cpu.max").exists() {
            self.write("cpu.max", &format!("{quota} {period}"));
        } else {
            self.write("cpu.cfs_period_us", &period.to_string());
            self.write("cpu.cfs_quota_us", &quota.to_string());
        }
    }

    /// How long the group has been throttled, from cpu.stat, in nanoseconds.
    pub fn throttled_ns(&self) -> u64 {
        let stat = fs::read_to_string(self.folder.join("cpu.stat")).expect("cpu.stat");
        let field = |name: &str| stat.lines().find_map(|l| l.strip_prefix(name)?.trim().parse::<u64>().ok());
        let v2 = || field("throttled_usec ").map(|us| us * 1000);
        field("throttled_time ").or_else(v2).expect("cpu.stat says how long it throttled")
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.folder.join(file);
        fs::write(&path, text).unwrap_or_else(|e| panic!("{text} > {}: {e}", path.display()));
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        // What still runs in it goes back to the root; a group whose last process is on its way out is busy for a moment.
        let end = Instant::now() + Duration::from_secs(5);
        loop {
            let pids = fs::read_to_string(self.folder.join("cgroup.procs")).unwrap_or_default();
            for pid in pids.lines() {
                // It may have ended meanwhile.
                let _ = fs::write(self.mount.join("cgroup.procs"), pid);
            }
            match fs::remove_dir(&self.folder) {
                Err(e) if e.kind() == io::ErrorKind::ResourceBusy && Instant::now() < end => {
                    thread::sleep(Duration::from_millis(20));
                }
                Err(e) => {
                    eprintln!("{} stays behind: {e}", self.folder.display());
                    return;
                }
                Ok(()) => return,
            }
        }
    }
}

struct Mount {
    at: PathBuf,
    kind: String,
    options: String,
}

fn mounts() -> Vec<Mount> {
    let text = fs::read_to_string("/proc/mounts").expect("/proc/mounts");
    let mount = |line: &str| {
        let mut fields = line.split(' ').skip(1).map(str::to_owned);
        Some(Mount { at: fields.next()?.into(), kind: fields.next()?, options: fields.next()? })
    };
    text.lines().filter_map(mount).collect()
}
