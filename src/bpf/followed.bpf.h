/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * Programs of a query that follow the command after `--` and its descendants, for families that do not watch executions
 * and births themselves.
 */
#ifndef SCHEDQ_FOLLOWED_H
#define SCHEDQ_FOLLOWED_H

SEC("tp_btf/sched_process_exec")
int BPF_PROG(command_exec, struct task_struct *p)
{
	command_begins(p);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(child_fork, struct task_struct *parent, struct task_struct *child)
{
	struct counters *count;

	if (child_born(parent, child))
		return 0;
	count = my_counters();
	if (count)
		count->state_failed++;
	return 0;
}

#endif
