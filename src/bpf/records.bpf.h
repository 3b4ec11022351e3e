/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * What the recorder gets: the forms and numbers of src/catalog/event.rs. A test compares the two through BTF.
 */
#ifndef SCHEDQ_RECORDS_H
#define SCHEDQ_RECORDS_H

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

struct event_record {
	u64 at;
	u32 tid;
	u32 other;
	u32 state;
	u16 cpu;
	u8 kind;
	u8 flags;
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

enum identity_flag {
	WHO_KTHREAD = 1,
	WHO_RECORDER = 2,
	WHO_CHILD = 4,
	WHO_RUNNING = 8,
	WHO_WANTED = 16,
};

struct identity_record {
	u64 at;
	u32 tid;
	u32 other;
	u32 state;
	u16 cpu;
	u8 kind;
	u8 flags;
	u64 born;
	u64 cgroup;
	u64 comm[2];
	u64 process[2];
	u32 tgid;
	s32 prio;
	u32 policy;
	s32 nice;
};

DESCRIBED(struct event_record);
DESCRIBED(struct identity_record);
DESCRIBED(struct loss_record);
DESCRIBED(enum event_kind);
DESCRIBED(enum event_flag);
DESCRIBED(enum identity_flag);
DESCRIBED(enum loss_cause);

#endif
