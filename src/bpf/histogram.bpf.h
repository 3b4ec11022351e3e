/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * The bucket of a value: exact below 16, then 16 buckets to a power of two. The same function as
 * plan::histogram::slot_of, to which a test compares it on the running kernel.
 */
#ifndef SCHEDQ_HISTOGRAM_H
#define SCHEDQ_HISTOGRAM_H

/* Five branches: the builtin that counts leading zeros makes clang 14 eat all memory for this target. */
static __always_inline u64 log2_of(u64 v)
{
	u64 log = 0;

	if (v >> 32) {
		v >>= 32;
		log += 32;
	}
	if (v >> 16) {
		v >>= 16;
		log += 16;
	}
	if (v >> 8) {
		v >>= 8;
		log += 8;
	}
	if (v >> 4) {
		v >>= 4;
		log += 4;
	}
	if (v >> 2) {
		v >>= 2;
		log += 2;
	}
	if (v >> 1)
		log += 1;
	return log;
}

static __always_inline u64 slot_of(u64 value)
{
	u64 log;

	if (value < 16)
		return value;
	log = log2_of(value);
	return ((log - 3) << 4) | ((value >> (log - 4)) & 15);
}

#endif
