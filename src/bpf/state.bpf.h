/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * What is remembered of a task while one of its rows is open. In task storage where the kernel has it: freed with the
 * task, never mixed up by a reused number, no limit, and half the cost. Else in a hash by the task's address, which is
 * given to no other task before this one's entry is deleted. A family defines `struct family_state` before it includes
 * this.
 */
#ifndef SCHEDQ_STATE_H
#define SCHEDQ_STATE_H

struct task_state {
	/* When the open span began; 0: none is open. */
	u64 start;
	/* The family's own note on how it began. */
	u16 tag;
	/* Of which attachment of the programs all this is. */
	u16 attachment;
	/* The command after `--` or a descendant of it. */
	u32 child;
	struct family_state family;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
} state_storage SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, u64);
	__type(value, struct task_state);
} state_hash SEC(".maps");

static __always_inline struct task_state *any_state_of(struct task_struct *p, bool create)
{
	struct task_state zero = {};
	struct task_state *state;
	u64 key = (u64)p;

	if (query.task_storage)
		return bpf_task_storage_get(&state_storage, p, NULL, create ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	state = bpf_map_lookup_elem(&state_hash, &key);
	if (!state && create) {
		bpf_map_update_elem(&state_hash, &key, &zero, BPF_NOEXIST);
		state = bpf_map_lookup_elem(&state_hash, &key);
	}
	return state;
}

/* What an earlier attachment has left says nothing: meanwhile nobody saw the task. */
static __always_inline struct task_state *state_of(struct task_struct *p, bool create)
{
	struct task_state *state = any_state_of(p, create);

	if (state && state->attachment != window.attachment) {
		if (!create)
			return NULL;
		__builtin_memset(state, 0, sizeof(*state));
		state->attachment = window.attachment;
	}
	return state;
}

static __always_inline bool is_child(struct task_struct *p)
{
	u32 child = query.pid_namespace ? window.child_tgid : query.child_tgid;
	struct task_state *state;

	if (child && (u32)p->tgid == child)
		return window.command_runs;
	state = state_of(p, false);
	return state && state->child;
}

#endif
