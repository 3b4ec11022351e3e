/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * Records on their way to the recorder: a ring per CPU, and what found no room in it.
 *
 * Room is taken first and the clock is read then. So whoever has read a ring up to a position that was asked for at a time
 * has all that happened on its CPUs before that time.
 */
#ifndef SCHEDQ_EMIT_H
#define SCHEDQ_EMIT_H

/* The numbers and forms of records are those of src/catalog/event.rs; a test compares the two through BTF. */
enum event_kind {
	EVENT_SWITCH = 0,
	EVENT_WAKING = 1,
	EVENT_WAKEUP = 2,
	EVENT_WAKEUP_NEW = 3,
	EVENT_MIGRATE = 4,
	EVENT_EXIT = 5,
	EVENT_TASK = 6,
	EVENT_FORK = 7,
	EVENT_EXEC = 8,
	EVENT_RENAME = 9,
	EVENT_LOSS = 10,
};

enum event_flag {
	FLAG_PREEMPT = 1,
	FLAG_THROTTLED = 2,
	FLAG_ON_CPU = 4,
};

/* The order is that of the first causes in src/catalog/event.rs. */
enum loss_cause {
	LOSS_RING_FULL = 0,
	LOSS_TASK_STATE = 1,
};

#define CAUSES 2

struct event_record {
	u64 at;
	u32 tid;
	u32 other;
	u32 state;
	u16 cpu;
	u8 kind;
	u8 flags;
};

/* What could not be recorded on a CPU since that was last told, by cause. */
struct losses {
	u64 count[CAUSES];
	/* 0: only the last is known. */
	u64 from[CAUSES];
	u64 to[CAUSES];
};

struct loss_record {
	u64 from;
	u64 to;
	u64 count;
	u32 cause;
	u16 cpu;
	u8 kind;
	u8 unused;
};

DESCRIBED(struct event_record);
DESCRIBED(struct loss_record);
DESCRIBED(struct losses);
DESCRIBED(enum event_kind);
DESCRIBED(enum event_flag);
DESCRIBED(enum loss_cause);

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

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct losses);
} losses SEC(".maps");

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

/* One thing that happened is not recorded. The count comes last and by itself: programs that run with interrupts on can be
 * interrupted here by one that tells of losses. */
static __noinline int lost(u32 cause)
{
	u32 zero = 0;
	struct losses *here = bpf_map_lookup_elem(&losses, &zero);
	u64 now = bpf_ktime_get_ns();

	if (!here || cause >= CAUSES)
		return 0;
	if (!here->from[cause])
		here->from[cause] = now;
	here->to[cause] = now;
	__sync_fetch_and_add(&here->count[cause], 1);
	return 0;
}

static __noinline int tell_loss(void *ring, struct losses *here, u32 cause)
{
	struct loss_record *record;
	u64 count;

	if (cause >= CAUSES)
		return 0;
	count = here->count[cause];
	if (!count)
		return 0;
	record = bpf_ringbuf_reserve(ring, sizeof(*record), 0);
	if (!record)
		return 0;
	record->to = here->to[cause];
	record->from = here->from[cause] ? here->from[cause] : here->to[cause];
	record->count = count;
	record->cause = cause;
	record->cpu = bpf_get_smp_processor_id();
	record->kind = EVENT_LOSS;
	record->unused = 0;
	here->from[cause] = 0;
	__sync_fetch_and_add(&here->count[cause], -count);
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	return 0;
}

/* Only from programs that run with interrupts off, so that none tells the same twice. */
static __always_inline void tell_losses(void *ring)
{
	u32 zero = 0;
	struct losses *here = bpf_map_lookup_elem(&losses, &zero);

	if (!here || !(here->count[LOSS_RING_FULL] | here->count[LOSS_TASK_STATE]))
		return;
	tell_loss(ring, here, LOSS_RING_FULL);
	tell_loss(ring, here, LOSS_TASK_STATE);
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
