/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * What could not be recorded, told in front of the next record of its CPU.
 */
#ifndef SCHEDQ_LOSSES_H
#define SCHEDQ_LOSSES_H

#define CAUSES 2

/* What could not be recorded on a CPU since that was last told, by cause. */
struct losses {
	u64 count[CAUSES];
	/* 0: only the last is known. */
	u64 from[CAUSES];
	u64 to[CAUSES];
};

DESCRIBED(struct losses);

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct losses);
} losses SEC(".maps");

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

#endif
