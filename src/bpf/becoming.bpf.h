/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * Programs that tell who a task is: at its birth, when it executes or takes another name, and at the start of a recording.
 */
#ifndef SCHEDQ_BECOMING_H
#define SCHEDQ_BECOMING_H

/* Who a task is now, as an event of its own. */
static __always_inline int became(struct task_struct *p, u32 kind, u32 other, bool renamed, u64 first,
				  u64 second)
{
	struct task_state *who;
	void *ring;

	if (!window.open)
		return 0;
	ring = my_ring();
	if (!ring)
		return 0;
	who = state_of(p, true);
	if (!who)
		return lost(LOSS_TASK_STATE);
	look(who, p, renamed, first, second);
	if (CONCERNS(who) && !tell(ring, who, p, kind, other))
		return lost(LOSS_RING_FULL);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(record_fork, struct task_struct *parent, struct task_struct *child)
{
	if (!child_born(parent, child))
		return lost(LOSS_TASK_STATE);
	return became(child, EVENT_FORK, parent->pid, false, 0, 0);
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(record_exec, struct task_struct *p, int old_tid)
{
	command_begins(p);
	return became(p, EVENT_EXEC, old_tid, false, 0, 0);
}

/* Told before the task has the name (__set_task_comm, fs/exec.c). */
SEC("tp_btf/task_rename")
int BPF_PROG(record_rename, struct task_struct *p, const char *name)
{
	u64 comm[2] = {};

	bpf_probe_read_kernel_str(comm, sizeof(comm), name);
	return became(p, EVENT_RENAME, 0, true, comm[0], comm[1]);
}

/* Run by the recorder before its window: who everyone is, and in which state. Sent to whoever reads the iterator, for
 * which no ring is large enough. */
SEC("iter/task")
int record_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *p = ctx->task;
	struct identity_record record;
	struct task_state *who;

	if (!p)
		return 0;
	who = recognised(p);
	/* One that cannot be remembered is told when something happens to it. */
	if (!who || !CONCERNS(who))
		return 0;
	describe(&record, who, p);
	record.kind = EVENT_TASK;
	record.state = task_state_now(p) | p->exit_state;
	if (task_on_cpu(p))
		record.flags |= WHO_RUNNING;
	record.at = bpf_ktime_get_ns();
	bpf_seq_write(ctx->meta->seq, &record, sizeof(record));
	who->tag |= TOLD;
	return 0;
}

#endif
