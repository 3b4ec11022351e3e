/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * The scheduler's events as they are, for a recording. Before an event it is told who its tasks are, as far as that is not
 * told yet.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

/* Who a task was when it was last looked at: what can change, in the kernel's own form. */
struct family_state {
	u64 comm[2];
	u64 process[2];
	u64 cgroup;
	s32 prio;
	s32 static_prio;
	u32 policy;
	u32 unused;
};

#include "config.bpf.h"
#include "compat.bpf.h"
#include "row.bpf.h"
#include "state.bpf.h"
#include "lineage.bpf.h"
#include "terms.bpf.h"
#include "records.bpf.h"
#include "losses.bpf.h"
#include "emit.bpf.h"
#include "identity.bpf.h"
#include "becoming.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

SEC("tp_btf/sched_switch")
int BPF_PROG(record_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct task_state *from, *to;
	u32 flags = 0;
	void *ring;
	u64 state;

	if (!window.open)
		return 0;
	ring = my_ring();
	if (!ring)
		return 0;
	from = recognised(prev);
	to = recognised(next);
	if (!from || !to)
		return lost(LOSS_TASK_STATE);
	if (!CONCERNS(from) && !CONCERNS(to))
		return 0;
	tell_losses(ring);
	if (!is_told(ring, from, prev) || !is_told(ring, to, next))
		return lost(LOSS_RING_FULL);
	state = switch_state(ctx, prev);
	if (preempt)
		flags |= FLAG_PREEMPT;
	if ((preempt || !state) && task_throttled(prev))
		flags |= FLAG_THROTTLED;
	emit(ring, EVENT_SWITCH, flags, prev->pid, next->pid, state | prev->exit_state);
	return 0;
}

/* An event of one task, and of the one that is current when `current_too`. */
static __always_inline int happened(struct task_struct *p, u32 kind, u32 flags, u32 other, u32 state, bool current_too)
{
	struct task_state *who;
	void *ring;

	if (!window.open)
		return 0;
	ring = my_ring();
	if (!ring)
		return 0;
	who = kind == EVENT_WAKING || kind == EVENT_MIGRATE ? remembered(p) : recognised(p);
	if (!who)
		return lost(LOSS_TASK_STATE);
	if (!CONCERNS(who))
		return 0;
	/* Ends are the only events of this kind that can be interrupted. */
	if (kind != EVENT_EXIT)
		tell_losses(ring);
	if (!is_told(ring, who, p))
		return lost(LOSS_RING_FULL);
	/* The helper (5.11) is older than task storage in tracing programs (5.12). */
	if (current_too && query.task_storage) {
		struct task_struct *current = (void *)bpf_get_current_task_btf();

		who = remembered(current);
		if (!who)
			return lost(LOSS_TASK_STATE);
		if (!is_told(ring, who, current))
			return lost(LOSS_RING_FULL);
	}
	emit(ring, kind, flags, p->pid, other, state);
	return 0;
}

static __always_inline u32 current_tid(void)
{
	return bpf_get_current_pid_tgid();
}

SEC("tp_btf/sched_waking")
int BPF_PROG(record_waking, struct task_struct *p)
{
	return happened(p, EVENT_WAKING, 0, current_tid(), task_cpu(p), true);
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(record_wakeup, struct task_struct *p)
{
	return happened(p, EVENT_WAKEUP, task_on_cpu(p) ? FLAG_ON_CPU : 0, 0, task_cpu(p), false);
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(record_wakeup_new, struct task_struct *p)
{
	return happened(p, EVENT_WAKEUP_NEW, task_on_cpu(p) ? FLAG_ON_CPU : 0, current_tid(), task_cpu(p), true);
}

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(record_migrate, struct task_struct *p, int dest_cpu)
{
	return happened(p, EVENT_MIGRATE, 0, task_cpu(p), dest_cpu, false);
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(record_exit, struct task_struct *p)
{
	return happened(p, EVENT_EXIT, 0, 0, 0, false);
}
