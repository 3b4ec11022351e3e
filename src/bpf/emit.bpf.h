/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * Records on their way to the recorder: a ring per CPU.
 *
 * Room is taken first and the clock is read then. So whoever has read a ring up to a position that was asked for at a time
 * has all that happened on its CPUs before that time.
 */
#ifndef SCHEDQ_EMIT_H
#define SCHEDQ_EMIT_H

struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

/* By CPU; the rings are the loader's. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, u32);
	__array(values, struct ring);
} rings SEC(".maps");

/* Up to where each CPU's ring is taken, as last asked. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u64);
} positions SEC(".maps");

static __always_inline void *my_ring(void)
{
	u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&rings, &cpu);
}

/* Woken by nobody: the recorder looks by time. */
static __always_inline void emit(void *ring, u32 kind, u32 flags, u32 tid, u32 other, u32 state)
{
	struct event_record *record = bpf_ringbuf_reserve(ring, sizeof(*record), 0);

	if (!record) {
		lost(LOSS_RING_FULL);
		return;
	}
	record->tid = tid;
	record->other = other;
	record->state = state;
	record->cpu = bpf_get_smp_processor_id();
	record->kind = kind;
	record->flags = flags;
	record->at = bpf_ktime_get_ns();
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
}

/* Run by the recorder: up to where the rings of CPUs [ctx[0], ctx[1]) are taken at this moment. */
SEC("raw_tp")
int record_positions(u64 *ctx)
{
	u64 first = ctx[0], end = ctx[1];

	for (u32 cpu = 0; cpu < query.cpus; cpu++) {
		u32 key = cpu;
		void *ring;
		u64 *position;

		if (cpu < first || cpu >= end)
			continue;
		ring = bpf_map_lookup_elem(&rings, &key);
		position = bpf_map_lookup_elem(&positions, &key);
		if (ring && position)
			*position = bpf_ringbuf_query(ring, BPF_RB_PROD_POS);
	}
	return 0;
}

#endif
