/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * Everything in which kernels differ, each difference asked of the running kernel's BTF by existence, never by version.
 */
#ifndef SCHEDQ_COMPAT_H
#define SCHEDQ_COMPAT_H

/* The state that a task has at this moment. */
static __always_inline u64 task_state_now(struct task_struct *p)
{
	if (bpf_core_field_exists(p->__state))
		return p->__state;
	return ((struct task_struct___state *)p)->state;
}

/* The state in which prev leaves. The tracepoint's own argument (fa2c3254d7cf, backported widely) is what the scheduler
 * acted on; the task's field may already have changed again. Whether the argument is there is told by the loader: the
 * verifier refuses to read an argument that the tracepoint does not have. */
static __always_inline u64 switch_state(u64 *ctx, struct task_struct *prev)
{
	if (query.prev_state_argument)
		return (u32)ctx[3];
	return task_state_now(prev);
}

/* Whether its cgroup's quota holds the task back. Told per task where throttling works per task, else by its queue. */
static __always_inline bool task_throttled(struct task_struct *p)
{
	struct task_struct___throttled *t = (void *)p;

	if (bpf_core_field_exists(t->throttled))
		return t->throttled;
	if (bpf_core_field_exists(p->se.cfs_rq) && bpf_core_field_exists(struct cfs_rq, throttle_count)) {
		struct cfs_rq *queue = p->se.cfs_rq;

		/* A real-time task's queue of the fair class says nothing about it. */
		return p->prio >= 100 && queue && queue->throttle_count > 0;
	}
	return false;
}

/* Only kernels for one CPU lack the field; there a task that is woken while it runs is `current`. */
static __always_inline bool task_on_cpu(struct task_struct *p)
{
	if (bpf_core_field_exists(p->on_cpu))
		return p->on_cpu;
	return (u32)bpf_get_current_pid_tgid() == (u32)p->pid;
}

/* The CPU that a task is on, or was on last. */
static __always_inline u32 task_cpu(struct task_struct *p)
{
	struct task_struct___cpu *old = (void *)p;

	if (bpf_core_field_exists(old->cpu))
		return old->cpu;
	if (bpf_core_field_exists(p->thread_info.cpu))
		return p->thread_info.cpu;
	return 0;
}

/* The root group of a hierarchy: the first node of its file system. */
#define ROOT_CGROUP 1

/* In the hierarchy that the query speaks of: v2, or the v1 one of the cpu controller. NULL in v1: a task of the root group
 * whose session has a scheduling group of its own (autogroup), which is no cgroup. */
static __always_inline struct cgroup *task_cgroup(struct task_struct *p)
{
	if (!query.cgroup_v1)
		return p->cgroups->dfl_cgrp;
	if (bpf_core_field_exists(p->sched_task_group))
		return p->sched_task_group->css.cgroup;
	return NULL;
}

static __always_inline u64 task_cgroup_id(struct task_struct *p)
{
	struct cgroup *group = task_cgroup(p);

	if (!group)
		return query.cgroup_v1 ? ROOT_CGROUP : MISSING;
	return group->kn->id;
}

/* The id of the task's cgroup's ancestor at a level (itself included); missing when the group is above that level. The
 * level is fixed when the query starts, so a group born later below it is found. */
static __always_inline u64 task_ancestor_id(struct task_struct *p, u32 level)
{
	struct cgroup *group = task_cgroup(p);
	struct cgroup *ancestor = NULL;
	struct kernfs_node *node = NULL;
	u64 id = MISSING;

	if (!group)
		return query.cgroup_v1 && level == 0 ? ROOT_CGROUP : MISSING;
	if (group->level < (int)level)
		return MISSING;
	/* Elements of a flexible array of pointers can only be had through the helper. */
	if (bpf_core_field_exists(group->ancestors)) {
		bpf_probe_read_kernel(&ancestor, sizeof(ancestor), &group->ancestors[level]);
		bpf_core_read(&node, sizeof(node), &ancestor->kn);
		bpf_core_read(&id, sizeof(id), &node->id);
	} else {
		struct cgroup___ids *old = (void *)group;

		bpf_probe_read_kernel(&id, sizeof(id), &old->ancestor_ids[level]);
	}
	return id;
}

#endif
