/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * The part of a row that every family has: of which task it speaks, where and when it ended. A row is an array of 64-bit
 * slots on the stack; only the slots that the query needs are ever filled, and only filled slots are ever read.
 */
#ifndef SCHEDQ_ROW_H
#define SCHEDQ_ROW_H

/* The slots are those of src/catalog/task.rs; a test compares the two through this object's BTF. */
struct task_row {
	u64 at;
	u64 cpu;
	u64 tid;
	u64 tgid;
	u64 comm[2];
	u64 process[2];
	u64 prio;
	u64 policy;
	u64 nice;
	u64 cgroup;
	u64 kthread;
	u64 child;
	u64 under[4];
};

#define SLOT(type, member) (__builtin_offsetof(type, member) / 8)
#define NEEDS(mask, type, member) ((mask) & (1ULL << SLOT(type, member)))

#define PF_KTHREAD 0x00200000

/* Keeps the bytes before the first NUL: not every kernel clears what an older, longer name left behind it. */
static __always_inline u64 until_nul(u64 word, bool *ended)
{
	u64 nul = (word - 0x0101010101010101ULL) & ~word & 0x8080808080808080ULL;

	if (!nul)
		return word;
	*ended = true;
	return word & (((nul & -nul) >> 7) - 1);
}

/* Two plain loads cost a quarter of the string helper. */
static __always_inline void fill_name(u64 *to, struct task_struct *p)
{
	const u64 *from = (const u64 *)__builtin_preserve_access_index(&p->comm[0]);
	bool ended = false;

	to[0] = until_nul(from[0], &ended);
	to[1] = ended ? 0 : until_nul(from[1], &ended);
}

/* The columns of `mask` that cannot change while a row is open. */
static __always_inline void fill_fixed(struct task_row *row, struct task_struct *p, u64 mask)
{
	if (NEEDS(mask, struct task_row, tid))
		row->tid = (u32)p->pid;
	if (NEEDS(mask, struct task_row, tgid))
		row->tgid = (u32)p->tgid;
	if (NEEDS(mask, struct task_row, kthread))
		row->kthread = !!(p->flags & PF_KTHREAD);
}

/* A function of its own: with its reads of cgroups inlined at each use, programs would be several times as long. */
static __noinline int fill_changing(struct task_row *row, struct task_struct *p, u64 mask)
{
	if (NEEDS(mask, struct task_row, process[0]))
		fill_name(row->process, p->group_leader);
	if (NEEDS(mask, struct task_row, prio))
		row->prio = (s64)p->prio;
	if (NEEDS(mask, struct task_row, policy))
		row->policy = p->policy;
	if (NEEDS(mask, struct task_row, nice))
		row->nice = (s64)p->static_prio - 120;
	if (NEEDS(mask, struct task_row, cgroup))
		row->cgroup = task_cgroup_id(p);
	for (u32 i = 0; i < MAX_UNDER; i++) {
		if (mask & (1ULL << (SLOT(struct task_row, under) + i)))
			row->under[i] = task_ancestor_id(p, query.under_level[i]);
	}
	return 0;
}

/* The slots that only fill_changing fills. */
#define CHANGING                                                                                                \
	(1ULL << SLOT(struct task_row, process) | 1ULL << SLOT(struct task_row, prio) |                         \
	 1ULL << SLOT(struct task_row, policy) | 1ULL << SLOT(struct task_row, nice) |                          \
	 1ULL << SLOT(struct task_row, cgroup) | 15ULL << SLOT(struct task_row, under))

/* The columns of `mask` that the task itself tells. */
static __always_inline void fill_task(struct task_row *row, struct task_struct *p, u64 mask)
{
	fill_fixed(row, p, mask);
	if (NEEDS(mask, struct task_row, cpu))
		row->cpu = bpf_get_smp_processor_id();
	if (NEEDS(mask, struct task_row, comm[0]))
		fill_name(row->comm, p);
	if (mask & CHANGING)
		fill_changing(row, p, mask);
}

#endif
