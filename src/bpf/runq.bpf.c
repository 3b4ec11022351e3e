/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * Waiting for a CPU: from runnable to running.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

struct family_counters {
	u64 start_unseen;
	u64 switch_in_unseen;
	u64 negative;
	u64 before_window;
};

struct family_state {
};

#include "query.bpf.h"

enum runq_cause {
	CAUSE_WAKEUP = 0,
	CAUSE_NEW = 1,
	CAUSE_PREEMPT = 2,
	CAUSE_THROTTLE = 3,
};

struct runq_row {
	struct task_row task;
	u64 latency;
	u64 cause;
	u64 prev_tid;
	u64 prev_comm[2];
};

DESCRIBED(struct runq_row);
DESCRIBED(enum runq_cause);

static __always_inline int runnable(struct task_struct *p, u32 cause)
{
	struct task_row row;
	struct task_state *state;
	struct counters *count;

	if (!fixed_terms_hold(&row, p))
		return 0;
	/* Woken before it had left its CPU: it never waits. */
	if (task_on_cpu(p))
		return 0;
	count = my_counters();
	if (!count)
		return 0;
	state = state_of(p, true);
	if (!state) {
		count->state_failed++;
		return 0;
	}
	/* A wait that is running goes on: a wakeup can hit a task that is queued already. */
	if (state->start)
		return 0;
	state->start = bpf_ktime_get_ns();
	state->tag = cause;
	count->opened++;
	return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(runq_wakeup, struct task_struct *p)
{
	return runnable(p, CAUSE_WAKEUP);
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(runq_wakeup_new, struct task_struct *p)
{
	return runnable(p, CAUSE_NEW);
}

/* The task that leaves: still runnable, it starts to wait. */
static __always_inline void leaves(u64 *ctx, bool preempt, struct task_struct *p, struct task_row *row, u64 *now,
				   struct counters *count)
{
	/* A preempted task is runnable whatever state it had begun to take (R+). */
	bool waits = preempt || switch_state(ctx, p) == 0;
	/* Also of one that sleeps: it was seen, so that its next wait cannot have begun before the window. */
	struct task_state *state = state_of(p, true);

	if (!state) {
		if (waits)
			count->state_failed++;
		return;
	}
	if (state->start) {
		/* It ran, so its wait had ended, and we did not see when: a loss, if the query is about this task. */
		state->start = 0;
		count->closed++;
		if (window.open && identity_terms_hold(row, p))
			count->family.switch_in_unseen++;
	}
	if (waits) {
		*now = bpf_ktime_get_ns();
		state->start = *now;
		state->tag = CAUSE_PREEMPT;
		if (NEEDS(query.need_row | query.need_output, struct runq_row, cause) && task_throttled(p))
			state->tag = CAUSE_THROTTLE;
		count->opened++;
	}
}

SEC("tp_btf/sched_switch")
int BPF_PROG(runq_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	u64 need = query.need_row | query.need_output;
	struct counters *count = NULL;
	struct task_state *state;
	struct runq_row row;
	u64 now = 0, start;
	bool wanted;

	/* Each of the two is judged by itself. Both tests of identity come before clock, counters and state are touched. The
	 * idle task is always runnable and never waits, even for a query that names it. */
	if (prev->pid && fixed_terms_hold(&row.task, prev)) {
		count = my_counters();
		if (!count)
			return 0;
		leaves(ctx, preempt, prev, &row.task, &now, count);
	}
	if (!next->pid || !fixed_terms_hold(&row.task, next))
		return 0;
	if (!count)
		count = my_counters();
	if (!count)
		return 0;
	wanted = window.open && identity_terms_hold(&row.task, next);
	state = state_of(next, false);
	if (!state) {
		/* A task that was born inside the window cannot have waited before it. */
		if (wanted && next->start_time > window.start_ns)
			count->family.start_unseen++;
		else if (wanted)
			count->family.before_window++;
		return 0;
	}
	start = state->start;
	if (!start) {
		if (wanted)
			count->family.start_unseen++;
		return 0;
	}
	state->start = 0;
	count->closed++;
	if (!wanted)
		return 0;
	count->seen++;
	if (!now)
		now = bpf_ktime_get_ns();
	if (now < start) {
		count->family.negative++;
		return 0;
	}
	row.task.at = now;
	row.latency = now - start;
	row.cause = state->tag;
	if (NEEDS(need, struct runq_row, prev_tid))
		row.prev_tid = (u32)prev->pid;
	if (NEEDS(need, struct runq_row, prev_comm[0]))
		fill_name(row.prev_comm, prev);
	if (!row_terms_hold(&row.task))
		return 0;
	fill_output(&row.task, next);
	row_matched(&row.task, row.latency, now, count);
	return 0;
}
