/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * What every family does with its rows, steered by read-only data alone: test the predicate in three stages, then
 * aggregate or emit. A family defines `struct family_counters` before it includes this.
 */
#ifndef SCHEDQ_QUERY_H
#define SCHEDQ_QUERY_H

#include "config.bpf.h"
#include "compat.bpf.h"
#include "row.bpf.h"
#include "histogram.bpf.h"
#include "state.bpf.h"

/* Per CPU. Every way to lose something has a number here. */
struct counters {
	/* Rows completed inside the window, of tasks that passed the tests of identity. */
	u64 seen;
	/* Rows that passed all tests. */
	u64 matched;
	/* Spans begun and ended, inside and outside the window: what is left is still open. */
	u64 opened;
	u64 closed;
	u64 group_full;
	u64 ring_full;
	u64 state_failed;
	/* Values above the histogram's last bucket, counted in it. */
	u64 clamped;
	struct family_counters family;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct counters);
} counters SEC(".maps");

/* A new value is all zero, so the minimum is kept inverted. */
struct cell {
	u64 count;
	u64 sum;
	u64 min_inverted;
	u64 max;
	u64 max_at;
};

DESCRIBED(struct cell);

/* Sizes are the loader's: a cell, then the histogram's buckets. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 8);
} single SEC(".maps");

/* By key, a cell per CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1);
	__uint(key_size, 8);
	__uint(value_size, 8);
} groups SEC(".maps");

/* By key, shared: an array of cells, one per CPU, then one histogram. Per CPU it would take CPUs times the memory. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, 8);
	__uint(value_size, 8);
} histograms SEC(".maps");

/* What a new group starts from. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 8);
} blank SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} ring SEC(".maps");

static __always_inline struct counters *my_counters(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&counters, &zero);
}

/* One comparison; a missing value makes it false, and only then is it turned. */
static __always_inline bool term_holds(const u64 *row, const volatile struct term *t)
{
	u8 op = t->op;
	u64 v = row[t->slot];
	bool holds;

	if (op == TERM_MISSING) {
		holds = v == MISSING;
	} else if (v == MISSING) {
		holds = false;
	} else if (op == TERM_EQUAL) {
		holds = v == t->a;
	} else if (op == TERM_NOT_EQUAL) {
		holds = v != t->a;
	} else if (op == TERM_BETWEEN) {
		holds = (s64)v >= (s64)t->a && (s64)v <= (s64)t->b;
	} else if (op == TERM_NAME) {
		holds = (v & t->mask_a) == t->a && (row[t->slot + 1] & t->mask_b) == t->b;
	} else if (op == TERM_NOT_NAME) {
		holds = (v & t->mask_a) != t->a || (row[t->slot + 1] & t->mask_b) != t->b;
	} else if (row[t->other] == MISSING) {
		holds = false;
	} else if (op == TERM_SLOT_EQUAL) {
		holds = v == row[t->other];
	} else if (op == TERM_SLOT_NOT_EQUAL) {
		holds = v != row[t->other];
	} else if (op == TERM_SLOT_LESS) {
		holds = (s64)v < (s64)row[t->other];
	} else if (op == TERM_SLOT_LESS_OR_EQUAL) {
		holds = (s64)v <= (s64)row[t->other];
	} else if (op == TERM_NAMES_EQUAL) {
		holds = v == row[t->other] && row[t->slot + 1] == row[t->other + 1];
	} else {
		holds = v != row[t->other] || row[t->slot + 1] != row[t->other + 1];
	}
	return holds != !!(t->flags & TERM_NEGATED);
}

/* Terms [from, to): every clause among them has one that holds. A function and a loop on purpose: unrolled and inlined,
 * the unused code is as long as a hundred programs, and removing it costs more at load than the loop ever does. */
static __noinline bool terms_hold(const u64 *row, u32 from, u32 to)
{
	bool clause = false;

	for (u32 i = from; i < to && i < MAX_TERMS; i++) {
		const volatile struct term *t = &query.terms[i];

		if (!clause)
			clause = term_holds(row, t);
		if (t->flags & TERM_LAST) {
			if (!clause)
				return false;
			clause = false;
		}
	}
	return true;
}

static __always_inline void fill(struct task_row *row, struct task_struct *p, u64 mask)
{
	if (NEEDS(mask, struct task_row, child))
		row->child = is_child(p);
	fill_task(row, p, mask);
}

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

/* What cannot change between the start and the end of a row. False also for schedq itself and for the idle task, which
 * is one task number on every CPU. */
static __always_inline bool fixed_terms_hold(struct task_row *row, struct task_struct *p)
{
	if (!query.idle && p->pid == 0)
		return false;
	if (is_own(p))
		return false;
	if (!query.fixed_terms)
		return true;
	fill(row, p, query.need_fixed);
	/* One term is the usual case, and it is tested three times for every switch: call and loop would cost more than it. */
	if (query.fixed_terms == 1)
		return term_holds((u64 *)row, &query.terms[0]);
	return terms_hold((u64 *)row, 0, query.fixed_terms);
}

static __always_inline bool identity_terms_hold(struct task_row *row, struct task_struct *p)
{
	fill(row, p, query.need_identity);
	if (query.identity_terms == query.fixed_terms)
		return true;
	return terms_hold((u64 *)row, query.fixed_terms, query.identity_terms);
}

static __always_inline bool row_terms_hold(struct task_row *row)
{
	if (query.all_terms == query.identity_terms)
		return true;
	return terms_hold((u64 *)row, query.identity_terms, query.all_terms);
}

/* What only the key or the emitted row needs. */
static __always_inline void fill_output(struct task_row *row, struct task_struct *p)
{
	fill(row, p, query.need_output);
}

/* Whether a program must read the clock for a row that would not need it otherwise. */
static __always_inline bool needs_clock(void)
{
	return query.every_ns || (query.keep & KEEP_MAX_AT) ||
	       NEEDS(query.need_row | query.need_output, struct task_row, at);
}

static __always_inline void cell_add(struct cell *cell, u64 value, u64 at)
{
	cell->count++;
	if (query.keep & KEEP_SUM)
		cell->sum += value;
	if (query.keep & KEEP_EXTREMES) {
		if (~value > cell->min_inverted)
			cell->min_inverted = ~value;
	}
	if (query.keep & (KEEP_EXTREMES | KEEP_MAX_AT)) {
		/* Of equal maxima the earliest is told; the first value may be zero. */
		if (value > cell->max || cell->count == 1) {
			cell->max = value;
			if (query.keep & KEEP_MAX_AT)
				cell->max_at = at;
		}
	}
}

/* The bucket, kept inside the histogram that the loader made. */
static __always_inline u64 bounded_slot(u64 value, struct counters *count)
{
	u64 slot = slot_of(value);

	if (slot >= query.histogram_slots) {
		count->clamped++;
		slot = query.histogram_slots - 1;
	}
	/* Or the compiler folds the check away and the verifier, which knows less, refuses the access. */
	barrier_var(slot);
	if (slot >= query.histogram_slots)
		slot = 0;
	return slot;
}

static __always_inline void add_single(u64 value, u64 at, struct counters *count)
{
	u32 zero = 0;
	struct cell *cell = bpf_map_lookup_elem(&single, &zero);

	if (!cell)
		return;
	cell_add(cell, value, at);
	if (query.keep & KEEP_HISTOGRAM) {
		u64 *buckets = (void *)cell + query.histogram_offset;

		buckets[bounded_slot(value, count)]++;
	}
}

static __always_inline void *group_of(void *map, const u64 *key)
{
	void *group = bpf_map_lookup_elem(map, key);
	u32 zero = 0;
	void *start;

	if (group)
		return group;
	start = bpf_map_lookup_elem(&blank, &zero);
	if (!start)
		return NULL;
	/* Another CPU may have been first: then this fails, and its group is found. */
	bpf_map_update_elem(map, key, start, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, key);
}

static __always_inline void add_group(const u64 *row, u64 value, u64 at, struct counters *count)
{
	u64 key[MAX_KEY_WORDS + 1];
	u64 *next = key;
	void *group;

	if (query.every_ns) {
		u64 start = window.start_ns;

		*next++ = at > start ? (at - start) / query.every_ns : 0;
	}
	for (u32 i = 0; i < query.key_words && i < MAX_KEY_WORDS; i++)
		next[i] = row[query.key_slots[i]];
	if (query.mode == MODE_GROUPS) {
		group = group_of(&groups, key);
		if (!group) {
			count->group_full++;
			return;
		}
		cell_add(group, value, at);
	} else {
		u64 cpu = bpf_get_smp_processor_id();
		u64 *buckets;

		group = group_of(&histograms, key);
		if (!group) {
			count->group_full++;
			return;
		}
		barrier_var(cpu);
		if (cpu >= query.cpus)
			cpu = 0;
		cell_add((struct cell *)group + cpu, value, at);
		buckets = group + query.histogram_offset;
		__sync_fetch_and_add(&buckets[bounded_slot(value, count)], 1);
	}
}

/* Woken by nobody: the reader looks by time, since a wake-up would cost ten times the row and make rows of its own. */
static __always_inline void emit_row(const u64 *row, struct counters *count)
{
	u64 *record = bpf_ringbuf_reserve(&ring, query.record_words * 8, 0);

	if (!record) {
		count->ring_full++;
		return;
	}
	for (u32 i = 0; i < query.record_words && i < MAX_RECORD_WORDS; i++)
		record[i] = row[query.record_slots[i]];
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
}

/* A row that passed every test. */
static __always_inline void row_matched(struct task_row *row, u64 value, u64 at, struct counters *count)
{
	count->matched++;
	if (query.mode == MODE_SINGLE)
		add_single(value, at, count);
	else if (query.mode == MODE_ROWS)
		emit_row((u64 *)row, count);
	else
		add_group((u64 *)row, value, at, count);
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(command_exec, struct task_struct *p)
{
	if (query.pid_namespace) {
		if (current_tgid_here() == query.child_tgid) {
			window.child_tgid = p->tgid;
			window.command_runs = 1;
		}
		return 0;
	}
	if ((u32)p->tgid == query.child_tgid)
		window.command_runs = 1;
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(child_fork, struct task_struct *parent, struct task_struct *child)
{
	struct task_state *state;
	struct counters *count;

	if (!is_child(parent))
		return 0;
	state = state_of(child, true);
	if (state) {
		state->child = 1;
	} else {
		count = my_counters();
		if (count)
			count->state_failed++;
	}
	return 0;
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

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#endif
