/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * Leaving a CPU, voluntarily or not.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

struct family_counters {
};

struct family_state {
};

#include "query.bpf.h"

enum switch_kind {
	KIND_VOLUNTARY = 0,
	KIND_INVOLUNTARY = 1,
};

enum switch_state {
	STATE_RUNNING = 0,
	STATE_SLEEP = 1,
	STATE_DISK = 2,
	STATE_STOPPED = 3,
	STATE_TRACED = 4,
	STATE_PARKED = 5,
	STATE_IDLE = 6,
	STATE_ZOMBIE = 7,
	STATE_DEAD = 8,
};

/* The kernel's bits, the same since 4.14. */
#define TASK_INTERRUPTIBLE 0x1
#define TASK_UNINTERRUPTIBLE 0x2
#define TASK_STOPPED 0x4
#define TASK_TRACED 0x8
#define EXIT_DEAD 0x10
#define EXIT_ZOMBIE 0x20
#define TASK_PARKED 0x40
#define TASK_DEAD 0x80
#define TASK_NOLOAD 0x400

struct switch_row {
	struct task_row task;
	u64 kind;
	u64 state;
	u64 next_tid;
	u64 next_comm[2];
	u64 next_prio;
};

DESCRIBED(struct switch_row);
DESCRIBED(enum switch_kind);
DESCRIBED(enum switch_state);

static __always_inline u64 state_word(struct task_struct *p, bool waits, u64 state)
{
	if (waits)
		return STATE_RUNNING;
	if (p->exit_state & EXIT_ZOMBIE)
		return STATE_ZOMBIE;
	if ((p->exit_state & EXIT_DEAD) || (state & TASK_DEAD))
		return STATE_DEAD;
	if ((state & TASK_UNINTERRUPTIBLE) && (state & TASK_NOLOAD))
		return STATE_IDLE;
	if (state & TASK_PARKED)
		return STATE_PARKED;
	if (state & TASK_TRACED)
		return STATE_TRACED;
	if (state & TASK_STOPPED)
		return STATE_STOPPED;
	if (state & TASK_INTERRUPTIBLE)
		return STATE_SLEEP;
	/* Also a frozen task and one that waits for a sleeping spinlock: ps shows both as D. */
	return STATE_DISK;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(switch_out, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	u64 need = query.need_row | query.need_output;
	struct counters *count;
	struct switch_row row;
	u64 state, now = 0;
	bool waits;

	/* The first test also learns who schedq is, before the window opens. */
	if (!fixed_terms_hold(&row.task, prev) || !window.open || !identity_terms_hold(&row.task, prev))
		return 0;
	count = my_counters();
	if (!count)
		return 0;
	count->seen++;
	state = switch_state(ctx, prev);
	/* As the kernel counts it in nvcsw and nivcsw: the other side of voluntary is preempted or still runnable. */
	waits = preempt || state == 0;
	row.kind = waits ? KIND_INVOLUNTARY : KIND_VOLUNTARY;
	if (NEEDS(need, struct switch_row, state))
		row.state = state_word(prev, waits, state);
	if (NEEDS(need, struct switch_row, next_tid))
		row.next_tid = (u32)next->pid;
	if (NEEDS(need, struct switch_row, next_comm[0]))
		fill_name(row.next_comm, next);
	if (NEEDS(need, struct switch_row, next_prio))
		row.next_prio = (s64)next->prio;
	if (needs_clock())
		now = bpf_ktime_get_ns();
	row.task.at = now;
	if (!row_terms_hold(&row.task))
		return 0;
	fill_output(&row.task, prev);
	row_matched(&row.task, 0, now, count);
	return 0;
}
