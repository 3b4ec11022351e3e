/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * What was seen, and every way to lose something. A family defines `struct family_counters` before it includes this.
 */
#ifndef SCHEDQ_COUNTERS_H
#define SCHEDQ_COUNTERS_H

/* Per CPU. Every way to lose something has a number here. */
struct counters {
	/* Rows completed inside the window, of tasks that passed the tests of identity. */
	u64 seen;
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

static __always_inline struct counters *my_counters(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&counters, &zero);
}

#endif
