/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * What every family does with its rows, steered by read-only data alone: test the predicate in three stages, then
 * aggregate or emit. A family defines `struct family_counters` and `struct family_state` before it includes this.
 */
#ifndef SCHEDQ_QUERY_H
#define SCHEDQ_QUERY_H

#include "config.bpf.h"
#include "compat.bpf.h"
#include "row.bpf.h"
#include "counters.bpf.h"
#include "state.bpf.h"
#include "lineage.bpf.h"
#include "followed.bpf.h"
#include "terms.bpf.h"
#include "histogram.bpf.h"
#include "collect.bpf.h"

char LICENSE[] SEC("license") = "Dual MIT/GPL";

#endif
