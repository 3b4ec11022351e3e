//! What the running kernel has, asked of its BTF by existence. Parsing the BTF costs as much as all the rest of a start,
//! so it is only done when the programs of a modern kernel were refused.

use libbpf_rs::btf::types::{FuncProto, Ptr, Struct, Typedef};
use libbpf_rs::btf::{Btf, ReferencesType};

use crate::host::lists;
use crate::plan::layout::Machine;

/// The differences that change what is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// BPF_MAP_TYPE_TASK_STORAGE can be used from tracing programs.
    pub task_storage: bool,
    /// sched_switch passes prev_state as its fourth argument.
    pub prev_state_argument: bool,
}

impl Facts {
    pub const MODERN: Facts = Facts { task_storage: true, prev_state_argument: true };

    /// `None` when the kernel's BTF cannot be read.
    pub fn of_kernel() -> Option<Facts> {
        let btf = Btf::from_vmlinux().ok()?;
        Some(Facts {
            // The member came together with the map's use in tracing programs (5.12, a10787e6d58c).
            task_storage: member_of_task(&btf, "bpf_storage"),
            prev_state_argument: arguments(&btf, "btf_trace_sched_switch") == Some(5),
        })
    }
}

/// Parameters of a tracepoint, the leading context pointer included.
fn arguments(btf: &Btf<'_>, name: &str) -> Option<usize> {
    let pointer: Ptr<'_> = btf.type_by_name::<Typedef<'_>>(name)?.referenced_type().try_into().ok()?;
    let function: FuncProto<'_> = pointer.referenced_type().try_into().ok()?;
    Some(function.iter().count())
}

fn member_of_task(btf: &Btf<'_>, member: &str) -> bool {
    btf.type_by_name::<Struct<'_>>("task_struct")
        .is_some_and(|task| task.iter().any(|m| m.name.is_some_and(|n| n == member)))
}

/// This machine, for the layout; as [`Facts::MODERN`] until a load says otherwise.
pub fn machine() -> Machine {
    Machine { cpus: lists::possible_cpus(), task_storage: true }
}
