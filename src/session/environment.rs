//! The machine as frames: what results can be told apart by, and what can be asked here.

use jiff::Timestamp;

use crate::catalog::{FAMILIES, Family};
use crate::diagnostic::Source;
use crate::frame::meta::Meta;
use crate::frame::{ColumnKind, Frame, MadeColumn, Role};
use crate::host::{cgroup, environment, interrupts, quota, settings, topology};
use crate::lang;
use crate::lang::ast::Statement;
use crate::plan::{self, CheckOptions, Params, Plan};
use crate::source::Values;

/// Frames that are always there.
pub const NAMES: &[&str] = &["env_host", "env_family", "env_cpu", "env_irq", "env_sysctl", "env_cgroup"];

/// Those that `env` shows to people; the others are longer than a screen.
pub const SHORT: &[&str] = &["env_host", "env_family"];

/// One of them without rows; nothing is tried for it.
pub fn schema(name: &str) -> Option<Frame> {
    made(name, &[]).map(Frame::without_rows)
}

/// One of them, as it is now.
pub fn frame(name: &str) -> Option<Frame> {
    made(name, FAMILIES)
}

fn made(name: &str, of_families: &[&'static Family]) -> Option<Frame> {
    let columns = match name {
        "env_host" => pairs(environment::facts()),
        "env_sysctl" => pairs(settings::all()),
        "env_family" => families(of_families),
        "env_cpu" => cpus(),
        "env_irq" => irqs(),
        "env_cgroup" => cgroups(),
        _ => return None,
    };
    let now = i64::try_from(Timestamp::now().as_nanosecond()).unwrap_or_default();
    Frame::made(columns, Meta::of_no_window(format!("show {name}"), now, environment::facts())).ok()
}

/// Columns of rows of one shape.
struct Table<'r, R> {
    rows: &'r [R],
    columns: Vec<MadeColumn>,
}

impl<R> Table<'_, R> {
    fn of(rows: &[R]) -> Table<'_, R> {
        Table { rows, columns: Vec::new() }
    }

    fn add(mut self, name: &'static str, kind: ColumnKind, values: Values) -> Self {
        let role = if self.columns.is_empty() { Role::Key } else { Role::Stat };
        self.columns.push(MadeColumn { name, kind, role, values });
        self
    }

    fn text(self, name: &'static str, of: impl Fn(&R) -> Option<String>) -> Self {
        let values = Values::Text(self.rows.iter().map(of).collect());
        self.add(name, ColumnKind::Text, values)
    }

    fn int(self, name: &'static str, kind: ColumnKind, of: impl Fn(&R) -> Option<i64>) -> Self {
        let values = Values::Int(self.rows.iter().map(of).collect());
        self.add(name, kind, values)
    }

    fn flag(self, name: &'static str, of: impl Fn(&R) -> bool) -> Self {
        let values = Values::Bool(self.rows.iter().map(|row| Some(of(row))).collect());
        self.add(name, ColumnKind::YesNo, values)
    }
}

/// Printable: a command line of the kernel may hold anything.
fn pairs(rows: Vec<(String, String)>) -> Vec<MadeColumn> {
    let escaped = |text: &str| Some(crate::name::escape(text.as_bytes()));
    Table::of(&rows).text("name", |row| escaped(&row.0)).text("value", |row| escaped(&row.1)).columns
}

fn cpus() -> Vec<MadeColumn> {
    let number = ColumnKind::Number;
    Table::of(&topology::cpus())
        .int("cpu", number, |cpu| Some(cpu.number.into()))
        .flag("online", |cpu| cpu.online)
        .flag("isolated", |cpu| cpu.isolated)
        .flag("nohz_full", |cpu| cpu.nohz_full)
        .int("node", number, |cpu| cpu.node.map(i64::from))
        .int("package", number, |cpu| cpu.package)
        .int("core", number, |cpu| cpu.core)
        .int("llc", number, |cpu| cpu.llc.map(i64::from))
        .text("siblings", |cpu| cpu.siblings.clone())
        .text("governor", |cpu| cpu.governor.clone())
        .int("khz", number, |cpu| cpu.frequency_khz)
        .int("max_khz", number, |cpu| cpu.max_frequency_khz)
        .int("capacity", number, |cpu| cpu.capacity)
        .columns
}

fn irqs() -> Vec<MadeColumn> {
    Table::of(&interrupts::all())
        .text("irq", |one| Some(one.irq.clone()))
        .text("name", |one| Some(crate::name::escape(one.name.as_bytes())).filter(|name| !name.is_empty()))
        .int("count", ColumnKind::Count, |one| i64::try_from(one.count).ok())
        .text("cpus", |one| one.cpus.clone())
        .columns
}

fn cgroups() -> Vec<MadeColumn> {
    let hierarchies = cgroup::hierarchies();
    let groups = cgroup::cpu_hierarchy(&hierarchies).map(quota::all).unwrap_or_default();
    let ns = |us: Option<i64>| us.map(|us| us.saturating_mul(1000));
    Table::of(&groups)
        .text("cgroup", |group| Some(group.path.clone()))
        .int("quota_ns", ColumnKind::Duration, |group| ns(group.quota_us))
        .int("period_ns", ColumnKind::Duration, |group| ns(group.period_us))
        .int("weight", ColumnKind::Number, |group| group.weight)
        .int("tasks", ColumnKind::Count, |group| group.tasks)
        .int("periods", ColumnKind::Count, |group| group.periods)
        .int("throttled", ColumnKind::Count, |group| group.throttled)
        .int("throttled_ns", ColumnKind::Duration, |group| group.throttled_ns)
        .columns
}

/// Every family, whether it can be asked of the running system, and what is missing for it.
fn families(all: &[&'static Family]) -> Vec<MadeColumn> {
    let rows: Vec<(&Family, Option<String>)> = all.iter().map(|family| (*family, missing(family))).collect();
    Table::of(&rows)
        .text("family", |(family, _)| Some(family.name.to_owned()))
        .flag("live", |(_, missing)| missing.is_none())
        .text("missing", |(_, missing)| missing.clone())
        .flag("recordings", |(family, _)| family.replay.is_some())
        .columns
}

/// Tried with its example, which is the only way to know: rights, lockdown, the verifier and the kernel's types all have
/// a say.
#[cfg(feature = "live")]
fn missing(family: &Family) -> Option<String> {
    use crate::source::live::{Live, Processes};
    let Some(plan) = example(family) else { return Some("its example cannot be planned".into()) };
    let own = Processes { own: std::process::id(), child: None };
    let error = Live::attach(&plan.scan, own).err()?.diagnostic();
    Some(crate::name::escape(error.title.as_bytes()))
}

#[cfg(not(feature = "live"))]
fn missing(family: &Family) -> Option<String> {
    let tried = example(family).map_or("its example cannot be planned", |_| "this build has no live source");
    Some(tried.to_owned())
}

fn example(family: &Family) -> Option<Plan> {
    let parsed = lang::parse(&Source::new("example", family.example));
    let Some(Statement::Query(query)) = parsed.statements().next() else { return None };
    plan::check(query, &Params::new(), &CheckOptions::default()).ok()
}
