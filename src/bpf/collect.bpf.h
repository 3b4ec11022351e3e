/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * Rows that passed every test: added up in one of three layouts, or emitted.
 */
#ifndef SCHEDQ_COLLECT_H
#define SCHEDQ_COLLECT_H

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
	if (query.mode == MODE_SINGLE)
		add_single(value, at, count);
	else if (query.mode == MODE_ROWS)
		emit_row((u64 *)row, count);
	else
		add_group((u64 *)row, value, at, count);
}

#endif
