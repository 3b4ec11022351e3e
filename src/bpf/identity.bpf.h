/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * Who a task is: remembered with the task, told again only when something of it is different, and judged by the filter
 * only then.
 */
#ifndef SCHEDQ_IDENTITY_H
#define SCHEDQ_IDENTITY_H

/* What is known of a task, in task_state.tag. */
enum standing {
	/* Its fields are remembered. */
	KNOWN = 1,
	/* And the recorder has been told. */
	TOLD = 2,
	WANTED = 4,
	/* It was wanted when it was last told and is not any more: the recorder is still to hear of that. */
	LEFT = 8,
};

/* Whether an event in which the task takes part is for the recorder. */
#define CONCERNS(state) ((state)->tag & (WANTED | LEFT))

static __always_inline const u64 *comm_words(struct task_struct *p)
{
	return (const u64 *)__builtin_preserve_access_index(&p->comm[0]);
}

/* Bytes behind a name's end are compared too, which at worst tells a task once more. */
static __always_inline bool is_same(const struct family_state *was, struct task_struct *p)
{
	const u64 *comm = comm_words(p), *process = comm_words(p->group_leader);

	return was->comm[0] == comm[0] && was->comm[1] == comm[1] && was->process[0] == process[0] &&
	       was->process[1] == process[1] && was->prio == p->prio && was->static_prio == p->static_prio &&
	       was->policy == p->policy && was->cgroup == task_cgroup_id(p);
}

static __always_inline void copy_name(u64 *to, const u64 *from)
{
	bool ended = false;

	to[0] = until_nul(from[0], &ended);
	to[1] = ended ? 0 : until_nul(from[1], &ended);
}

/* The filter's word about a task as it is remembered. */
static __noinline bool is_wanted(struct task_state *state, struct task_struct *p)
{
	struct task_row row = {};

	if (!query.all_terms)
		return true;
	if (!query.idle && p->pid == 0)
		return false;
	row.tid = (u32)p->pid;
	row.tgid = (u32)p->tgid;
	row.kthread = !!(p->flags & PF_KTHREAD);
	row.child = is_child(p);
	row.cgroup = state->family.cgroup;
	copy_name(row.comm, state->family.comm);
	copy_name(row.process, state->family.process);
	for (u32 i = 0; i < MAX_UNDER; i++) {
		if ((query.need_fixed | query.need_identity) & (1ULL << (SLOT(struct task_row, under) + i)))
			row.under[i] = task_ancestor_id(p, query.under_level[i]);
	}
	return terms_hold((u64 *)&row, 0, query.all_terms);
}

/* Looks at a task anew. `renamed`: to the name in these two words, which it does not have yet. */
static __noinline int look(struct task_state *state, struct task_struct *p, bool renamed, u64 first, u64 second)
{
	struct family_state *is = &state->family;
	bool was_wanted = state->tag & (WANTED | LEFT);

	is->comm[0] = renamed ? first : comm_words(p)[0];
	is->comm[1] = renamed ? second : comm_words(p)[1];
	if (p->group_leader == p) {
		is->process[0] = is->comm[0];
		is->process[1] = is->comm[1];
	} else {
		is->process[0] = comm_words(p->group_leader)[0];
		is->process[1] = comm_words(p->group_leader)[1];
	}
	is->prio = p->prio;
	is->static_prio = p->static_prio;
	is->policy = p->policy;
	is->cgroup = task_cgroup_id(p);
	state->tag = KNOWN | (is_wanted(state, p) ? WANTED : was_wanted ? LEFT : 0);
	return 0;
}

/* A task with its verdict; NULL when there is no memory for it. */
static __always_inline struct task_state *recognised(struct task_struct *p)
{
	struct task_state *state = state_of(p, true);

	if (state && !((state->tag & KNOWN) && is_same(&state->family, p)))
		look(state, p, false, 0, 0);
	return state;
}

/* The same for events that say nothing of the task but that it is there: whether it is different now is looked at in the
 * next event that does. A filter's verdict must hold now. */
static __always_inline struct task_state *remembered(struct task_struct *p)
{
	struct task_state *state;

	if (query.all_terms)
		return recognised(p);
	state = state_of(p, true);
	if (state && !(state->tag & KNOWN))
		look(state, p, false, 0, 0);
	return state;
}

static __noinline int describe(struct identity_record *record, struct task_state *state, struct task_struct *p)
{
	record->tid = (u32)p->pid;
	record->other = 0;
	record->state = 0;
	record->cpu = bpf_get_smp_processor_id();
	record->flags = (p->flags & PF_KTHREAD ? WHO_KTHREAD : 0) | (is_own(p) ? WHO_RECORDER : 0) |
			(is_child(p) ? WHO_CHILD : 0) | (state->tag & WANTED ? WHO_WANTED : 0);
	record->born = p->start_time;
	record->cgroup = state->family.cgroup;
	copy_name(record->comm, state->family.comm);
	copy_name(record->process, state->family.process);
	record->tgid = (u32)p->tgid;
	record->prio = state->family.prio;
	record->policy = state->family.policy;
	record->nice = state->family.static_prio - 120;
	return 0;
}

/* Tells who a task is. False when there was no room: then it stays untold. */
static __noinline bool tell(void *ring, struct task_state *state, struct task_struct *p, u32 kind, u32 other)
{
	struct identity_record *record = bpf_ringbuf_reserve(ring, sizeof(*record), 0);

	if (!record)
		return false;
	describe(record, state, p);
	record->kind = kind;
	record->other = other;
	record->at = bpf_ktime_get_ns();
	/* After the clock was read: whoever finds it told has a later time. */
	state->tag = (state->tag & ~LEFT) | TOLD;
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	return true;
}

static __always_inline bool is_told(void *ring, struct task_state *state, struct task_struct *p)
{
	return (state->tag & TOLD) || tell(ring, state, p, EVENT_TASK, 0);
}

#endif
