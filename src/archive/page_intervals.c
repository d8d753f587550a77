/*
 * From captures of a page to intervals with and without a change. What the site says is compared
 * with what was seen with some slack: Last-Modified counts seconds and comes from another clock,
 * lastmod is often a day without a time.
 */
#include "archive/page_table.h"

static const double NS = 1e9;

static const int64_t SECOND = INT64_C(1000000000);
static const int64_t SLACK_HTTP = INT64_C(2000000000), SLACK_SITEMAP = INT64_C(86400000000000);

static bool has_digest(const struct page_seen *s)
{
	return s->digest != LISTED_NO_DIGEST;
}

static bool is_comparable(const struct page_seen *a, const struct page_seen *b)
{
	return has_digest(a) && has_digest(b) && ((a->digest ^ b->digest) & LISTED_ALGORITHM) == 0;
}

static enum page_word word_of(const struct page_seen *s)
{
	return has_digest(s) ? PAGE_WORD_HTTP : PAGE_WORD_SITEMAP;
}

static int64_t slack_of(const struct page_seen *s)
{
	return has_digest(s) ? SLACK_HTTP : SLACK_SITEMAP;
}

/* Whether it says when the page was modified; a time in the future says nothing. */
static bool has_word(const struct page_seen *s)
{
	return s->modified != 0 && s->modified <= s->time + slack_of(s);
}

/* ---- trust ---- */

struct witness {
	const struct page_seen *before;  /* the last capture with a digest */
	const struct page_seen *promise; /* a sitemap since then that asserts a change */
	int64_t changed_after; /* the last change that was seen came after this; 0: none */
	int64_t said[PAGE_WORD_SITEMAP + 1]; /* by word: the last time that it named */
	unsigned lies;
};

static void compare(struct witness *w, const struct page_seen *now)
{
	bool known = w->before && is_comparable(w->before, now);
	bool same = known && w->before->digest == now->digest;

	if (known && !same)
		w->changed_after = w->before->time;
	if (same && w->promise && w->promise->modified > w->before->time + SLACK_SITEMAP)
		w->lies |= PAGE_WORD_SITEMAP;
	if (same && has_word(now) && now->modified > w->before->time + SLACK_HTTP)
		w->lies |= PAGE_WORD_HTTP;
	w->promise = NULL;
	w->before = now;
}

static void hear(struct witness *w, const struct page_seen *now)
{
	enum page_word word = word_of(now);
	int64_t latest = now->modified + slack_of(now);

	if (latest < w->said[word] || latest < w->changed_after)
		w->lies |= word;
	w->said[word] = now->modified;
	if (word == PAGE_WORD_SITEMAP)
		w->promise = now;
}

unsigned page_entry_lies(const struct page_entry *page)
{
	struct witness w = {.lies = page->lies};

	for (uint32_t i = 0; i < page->len; i++) {
		if (has_digest(&page->seen[i]))
			compare(&w, &page->seen[i]);
		if (has_word(&page->seen[i]))
			hear(&w, &page->seen[i]);
	}
	return w.lies;
}

/* ---- intervals ---- */

/* `from` is the end of what the intervals so far cover; `before` shows the state then. */
struct teller {
	struct rate_intervals *out;
	struct page_summary summary;
	const struct page_seen *before; /* NULL: the state is not known */
	int64_t from;                   /* 0: nothing is covered yet */
	bool knows_first;               /* PAGE_WORD_FIRST */
};

static void push(struct teller *t, int64_t length, bool changed, bool exact)
{
	rate_intervals_push(
		t->out, (struct rate_interval){
				.length = (double)length / NS, .changed = changed, .exact = exact});
}

/*
 * The page is as old as its word says, which for Last-Modified is cut to seconds: a change just now
 * was half a second ago. At the first look that may be all, unless it is known to be a change: it
 * may be new.
 */
static void push_age(struct teller *t, const struct page_seen *now)
{
	int64_t since = now->modified + (has_digest(now) ? SECOND : 0);
	int64_t age = since < now->time ? now->time - since : 0;
	bool is_change = t->from != 0 || t->knows_first;

	if (is_change && age < SECOND / 2)
		age = SECOND / 2; /* an interval without a length would not count */
	t->summary.words |= word_of(now);
	push(t, age, is_change, is_change);
}

static bool tells_age(const struct teller *t, const struct page_seen *now, unsigned trusted)
{
	return (trusted & word_of(now)) && has_word(now) &&
	       (t->from == 0 || now->modified > t->from + slack_of(now));
}

/* A sitemap: nothing has changed since `from`, or something has, or it is too near to tell. */
static void take_word(struct teller *t, const struct page_seen *now, unsigned trusted)
{
	if (!(trusted & PAGE_WORD_SITEMAP) || !has_word(now) || now->time <= t->from)
		return;
	if (tells_age(t, now, trusted)) {
		push_age(t, now);
		t->before = NULL;
	} else if (now->modified + SLACK_SITEMAP <= t->from) {
		t->summary.words |= PAGE_WORD_SITEMAP;
		push(t, now->time - t->from, false, false);
	} else {
		return;
	}
	t->from = now->time;
}

static void take_capture(struct teller *t, const struct page_seen *now, unsigned trusted)
{
	bool comparable = t->before && is_comparable(t->before, now);
	bool changed = comparable && t->before->digest != now->digest;

	t->summary.compared += comparable;
	t->summary.changes += changed;
	t->summary.last_change = changed ? now->time : t->summary.last_change;
	if ((changed || t->from == 0) && tells_age(t, now, trusted))
		push_age(t, now);
	else if (comparable)
		push(t, now->time - t->from, changed, false);
	t->before = now;
	t->from = now->time;
}

struct page_summary page_entry_intervals(
	const struct page_entry *page, unsigned trusted, struct rate_intervals *out)
{
	struct teller t = {.out = out,
		.summary = {.changes = page->gone_changes},
		.knows_first = (trusted & PAGE_WORD_FIRST) != 0};

	out->len = 0;
	for (uint32_t i = 0; i < page->len; i++) {
		const struct page_seen *now = &page->seen[i];

		if (has_digest(now) || now->modified == 0)
			t.summary.last_seen = now->time;
		(has_digest(now) ? take_capture : take_word)(&t, now, trusted);
	}
	return t.summary;
}
