/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * The few kernel types that the programs read, kept by hand: only the members in use, in any order. Every access is
 * relocated to the running kernel's layout through its BTF, so neither offsets nor order mean anything here. A type with
 * three underscores in its name is another form of the type before them, as some kernels have it.
 */
#ifndef SCHEDQ_VMLINUX_H
#define SCHEDQ_VMLINUX_H

typedef unsigned char __u8;
typedef short int __s16;
typedef unsigned short int __u16;
typedef int __s32;
typedef unsigned int __u32;
typedef long long int __s64;
typedef unsigned long long int __u64;
typedef __u8 u8;
typedef __s16 s16;
typedef __u16 u16;
typedef __s32 s32;
typedef __u32 u32;
typedef __s64 s64;
typedef __u64 u64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;
typedef _Bool bool;

#define true 1
#define false 0
#define NULL ((void *)0)

/* Puts a type into the object's BTF, where a test compares it with the Rust side: what only lives on a stack or is only a
 * number would not be there. No map is made of this section. */
#define DESCRIBED(type) DESCRIBED_AS(type, __COUNTER__)
#define DESCRIBED_AS(type, n) DESCRIBED_NAMED(type, n)
#define DESCRIBED_NAMED(type, n) type *described_##n __attribute__((section(".data.types")))

enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_HASH = 5,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_ARRAY_OF_MAPS = 12,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};

enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
	BPF_F_NO_PREALLOC = 1,
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1,
	BPF_RB_NO_WAKEUP = 1,
	BPF_RB_PROD_POS = 3,
};

/* What the helper for PID namespaces fills. */
struct bpf_pidns_info {
	u32 pid;
	u32 tgid;
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct kernfs_node {
	u64 id;
};

struct cgroup {
	int level;
	struct kernfs_node *kn;
	struct cgroup *ancestors[];
};

/* Before 6.1 (7f203bc89eb6) a cgroup held its ancestors' ids. */
struct cgroup___ids {
	int level;
	u64 ancestor_ids[];
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct task_group {
	struct cgroup_subsys_state css;
};

struct cfs_rq {
	int throttle_count;
};

struct sched_entity {
	struct cfs_rq *cfs_rq;
};

struct thread_info {
	u32 cpu;
};

struct task_struct {
	struct thread_info thread_info;
	int pid;
	int tgid;
	char comm[16];
	unsigned int flags;
	int on_cpu;
	int prio;
	int static_prio;
	unsigned int policy;
	int exit_state;
	unsigned int __state;
	u64 start_time;
	struct sched_entity se;
	struct task_struct *group_leader;
	struct task_struct *real_parent;
	struct css_set *cgroups;
	struct task_group *sched_task_group;
};

/* Before 5.14 (2f064a59a11f) the state was a signed long without the underscores. */
struct task_struct___state {
	volatile long state;
};

/* From 4.9 to 5.15 (bcf9033e5449), where the kernel keeps its thread_info in the task. */
struct task_struct___cpu {
	unsigned int cpu;
};

/* From 6.18 a throttled task is taken off the run queue by itself and says so. */
struct task_struct___throttled {
	bool throttled;
};

struct seq_file;

/* What an iterator's program gets. */
struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

#endif
