/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * Which tasks are schedq's own, and which are the command after `--` or descend from it.
 */
#ifndef SCHEDQ_LINEAGE_H
#define SCHEDQ_LINEAGE_H

/* The current task's process, as schedq's PID namespace numbers it; 0 when it is not in it. */
static __always_inline u32 current_tgid_here(void)
{
	struct bpf_pidns_info here = {};

	if (bpf_get_ns_current_pid_tgid(query.pid_namespace_device, query.pid_namespace, &here, sizeof(here)))
		return 0;
	return here.tgid;
}

/* In a PID namespace nobody tells schedq the kernel's number of itself. It is learned from the first event in which one of
 * its threads is current: before it has slept once, nothing of it is measured. Its only child is the command. */
static __always_inline bool is_own_in_namespace(struct task_struct *p)
{
	u32 tgid = p->tgid;

	if (!window.own_tgid && current_tgid_here() == query.own_tgid)
		window.own_tgid = bpf_get_current_pid_tgid() >> 32;
	if (!window.own_tgid)
		return false;
	if (tgid == window.own_tgid)
		return true;
	return query.child_tgid && !window.command_runs && p->real_parent->tgid == window.own_tgid;
}

/* Threads of schedq, and the process that is to become the command while it is still held. */
static __always_inline bool is_own(struct task_struct *p)
{
	u32 tgid = p->tgid;

	if (!query.own_tgid)
		return false;
	if (query.pid_namespace)
		return is_own_in_namespace(p);
	return tgid == query.own_tgid || (query.child_tgid && tgid == query.child_tgid && !window.command_runs);
}

/* The current task has executed: if it is the command after `--`, that runs now. */
static __always_inline void command_begins(struct task_struct *p)
{
	if (query.pid_namespace) {
		if (current_tgid_here() == query.child_tgid) {
			window.child_tgid = p->tgid;
			window.command_runs = 1;
		}
		return;
	}
	if ((u32)p->tgid == query.child_tgid)
		window.command_runs = 1;
}

/* A child of the command or of a descendant is a descendant. False when that could not be remembered. */
static __always_inline bool child_born(struct task_struct *parent, struct task_struct *child)
{
	struct task_state *state;

	if (!is_child(parent))
		return true;
	state = state_of(child, true);
	if (!state)
		return false;
	state->child = 1;
	return true;
}

/* Not at sched_process_exit: a task is switched out, and often waits, several times after that. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(state_free, struct task_struct *p)
{
	u64 key = (u64)p;

	if (!query.task_storage)
		bpf_map_delete_elem(&state_hash, &key);
	return 0;
}

#endif
