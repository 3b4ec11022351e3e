/* SPDX-License-Identifier: (MIT OR Apache-2.0) OR GPL-2.0-only
 *
 * The predicate, tested in three stages, each as early as its columns are known.
 */
#ifndef SCHEDQ_TERMS_H
#define SCHEDQ_TERMS_H

/* One comparison; a missing value makes it false, and only then is it turned. */
static __always_inline bool term_holds(const u64 *row, const volatile struct term *t)
{
	u8 op = t->op;
	u64 v = row[t->slot];
	bool holds;

	if (op == TERM_MISSING) {
		holds = v == MISSING;
	} else if (v == MISSING) {
		holds = false;
	} else if (op == TERM_EQUAL) {
		holds = v == t->a;
	} else if (op == TERM_NOT_EQUAL) {
		holds = v != t->a;
	} else if (op == TERM_BETWEEN) {
		holds = (s64)v >= (s64)t->a && (s64)v <= (s64)t->b;
	} else if (op == TERM_NAME) {
		holds = (v & t->mask_a) == t->a && (row[t->slot + 1] & t->mask_b) == t->b;
	} else if (op == TERM_NOT_NAME) {
		holds = (v & t->mask_a) != t->a || (row[t->slot + 1] & t->mask_b) != t->b;
	} else if (row[t->other] == MISSING) {
		holds = false;
	} else if (op == TERM_SLOT_EQUAL) {
		holds = v == row[t->other];
	} else if (op == TERM_SLOT_NOT_EQUAL) {
		holds = v != row[t->other];
	} else if (op == TERM_SLOT_LESS) {
		holds = (s64)v < (s64)row[t->other];
	} else if (op == TERM_SLOT_LESS_OR_EQUAL) {
		holds = (s64)v <= (s64)row[t->other];
	} else if (op == TERM_NAMES_EQUAL) {
		holds = v == row[t->other] && row[t->slot + 1] == row[t->other + 1];
	} else {
		holds = v != row[t->other] || row[t->slot + 1] != row[t->other + 1];
	}
	return holds != !!(t->flags & TERM_NEGATED);
}

/* Terms [from, to): every clause among them has one that holds. A function and a loop on purpose: unrolled and inlined,
 * the unused code is as long as a hundred programs, and removing it costs more at load than the loop ever does. */
static __noinline bool terms_hold(const u64 *row, u32 from, u32 to)
{
	bool clause = false;

	for (u32 i = from; i < to && i < MAX_TERMS; i++) {
		const volatile struct term *t = &query.terms[i];

		if (!clause)
			clause = term_holds(row, t);
		if (t->flags & TERM_LAST) {
			if (!clause)
				return false;
			clause = false;
		}
	}
	return true;
}

static __always_inline void fill(struct task_row *row, struct task_struct *p, u64 mask)
{
	if (NEEDS(mask, struct task_row, child))
		row->child = is_child(p);
	fill_task(row, p, mask);
}

/* What cannot change between the start and the end of a row. False also for schedq itself and for the idle task, which
 * is one task number on every CPU. */
static __always_inline bool fixed_terms_hold(struct task_row *row, struct task_struct *p)
{
	if (!query.idle && p->pid == 0)
		return false;
	if (is_own(p))
		return false;
	if (!query.fixed_terms)
		return true;
	fill(row, p, query.need_fixed);
	/* One term is the usual case, and it is tested three times for every switch: call and loop would cost more than it. */
	if (query.fixed_terms == 1)
		return term_holds((u64 *)row, &query.terms[0]);
	return terms_hold((u64 *)row, 0, query.fixed_terms);
}

static __always_inline bool identity_terms_hold(struct task_row *row, struct task_struct *p)
{
	fill(row, p, query.need_identity);
	if (query.identity_terms == query.fixed_terms)
		return true;
	return terms_hold((u64 *)row, query.fixed_terms, query.identity_terms);
}

static __always_inline bool row_terms_hold(struct task_row *row)
{
	if (query.all_terms == query.identity_terms)
		return true;
	return terms_hold((u64 *)row, query.identity_terms, query.all_terms);
}

/* What only the key or the emitted row needs. */
static __always_inline void fill_output(struct task_row *row, struct task_struct *p)
{
	fill(row, p, query.need_output);
}

/* Whether a program must read the clock for a row that would not need it otherwise. */
static __always_inline bool needs_clock(void)
{
	return query.every_ns || (query.keep & KEEP_MAX_AT) ||
	       NEEDS(query.need_row | query.need_output, struct task_row, at);
}

#endif
