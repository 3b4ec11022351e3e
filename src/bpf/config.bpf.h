/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * The query, as the program sees it: frozen read-only data, so that the verifier knows every value here and removes every
 * branch that this query does not take. Written by source/live/rodata.rs; a test compares the two through BTF.
 */
#ifndef SCHEDQ_CONFIG_H
#define SCHEDQ_CONFIG_H

#define MAX_TERMS 16
#define MAX_KEY_WORDS 16
#define MAX_RECORD_WORDS 40
#define MAX_UNDER 4

/* A missing value. No number that we store, and no name (whose unused bytes are zero), is equal to it. */
#define MISSING (1ULL << 63)

/* The numbers are those of plan/layout.rs. */
enum term_op {
	TERM_EQUAL = 0,
	TERM_NOT_EQUAL = 1,
	/* a <= value <= b, signed: serves all four orderings too. */
	TERM_BETWEEN = 2,
	/* Both words under their masks: a whole name, or how it begins. */
	TERM_NAME = 3,
	TERM_NOT_NAME = 4,
	TERM_MISSING = 5,
	/* Against another slot. */
	TERM_SLOT_EQUAL = 6,
	TERM_SLOT_NOT_EQUAL = 7,
	TERM_SLOT_LESS = 8,
	TERM_SLOT_LESS_OR_EQUAL = 9,
	/* Two slots against two slots. */
	TERM_NAMES_EQUAL = 10,
	TERM_NAMES_NOT_EQUAL = 11,
};

enum term_flag {
	TERM_NEGATED = 1,
	/* The last one of its clause. */
	TERM_LAST = 2,
};

struct term {
	u8 op;
	u8 slot;
	u8 other;
	u8 flags;
	u32 unused;
	u64 a;
	u64 b;
	u64 mask_a;
	u64 mask_b;
};

enum query_mode {
	MODE_SINGLE = 0,
	MODE_GROUPS = 1,
	MODE_HISTOGRAMS = 2,
	MODE_ROWS = 3,
};

enum query_keep {
	KEEP_SUM = 1,
	KEEP_EXTREMES = 2,
	KEEP_MAX_AT = 4,
	KEEP_HISTOGRAM = 8,
};

struct query_config {
	struct term terms[MAX_TERMS];
	/* Bit n: slot n is filled before the terms of that stage, or before the output. Columns of the task that terms of the
	 * whole row need are filled with those of identity. */
	u64 need_fixed;
	u64 need_identity;
	u64 need_row;
	u64 need_output;
	/* 0: no intervals. */
	u64 every_ns;
	/* Of the PID namespace that schedq is in; 0: that of the whole machine. */
	u64 pid_namespace_device;
	u64 pid_namespace;
	u32 fixed_terms;
	u32 identity_terms;
	u32 all_terms;
	u32 mode;
	u32 keep;
	u32 key_words;
	u32 record_words;
	u32 histogram_slots;
	/* Where the histogram stands in a group's value. */
	u32 histogram_offset;
	u32 cpus;
	/* As schedq's own PID namespace has it; 0: schedq's own threads are wanted. */
	u32 own_tgid;
	/* The command after `--`, in the same namespace; 0: none. */
	u32 child_tgid;
	u32 under_level[MAX_UNDER];
	u8 key_slots[MAX_KEY_WORDS];
	u8 record_slots[MAX_RECORD_WORDS];
	u8 idle;
	u8 task_storage;
	u8 cgroup_v1;
	u8 prev_state_argument;
	u8 unused[4];
};

const volatile struct query_config query = {};

DESCRIBED(enum term_op);
DESCRIBED(enum term_flag);
DESCRIBED(enum query_mode);
DESCRIBED(enum query_keep);

/* Changed while the programs run. */
struct query_window {
	u64 start_ns;
	u64 open;
	/* How often these programs were attached before. */
	u16 attachment;
	u16 unused[3];
	/* The command after `--` has executed: until then its process is a start-up stage of schedq's own. */
	u64 command_runs;
	/* In a PID namespace only: what the kernel's own numbers of schedq and the command are, once one of their threads has
	 * been current; 0 before. */
	u64 own_tgid;
	u64 child_tgid;
};

struct query_window window = {};

#endif
