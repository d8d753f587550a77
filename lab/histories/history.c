#include "histories/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/lists.h"
#include "base/vec.h"
#include "histories/gz_lines.h"
#include "histories/history_file.h"

enum { EVENTS_MAX = 50000000 };

#define TEXT_MAX ((size_t)2 << 30)

static const double SECONDS_PER_DAY = 86400;

struct event {
	int64_t at_s;
	uint32_t page;
	uint32_t commit;
	bool gone;
};

VEC_DECLARE(event_list, struct event);

struct builder {
	struct arena text; /* paths */
	struct strmap pages;
	struct slice_vec paths;
	struct arena commit_text;
	struct strmap commits;
	struct u32_vec sizes; /* by commit: pages that it touched */
	struct event_list events;
};

static int find_page(struct builder *b, slice path, uint32_t *ret_page)
{
	char *copy;
	int rc;

	if (strmap_get(&b->pages, path, ret_page))
		return 0;
	copy = arena_strdup(&b->text, path);
	if (!copy)
		return ERR_NOMEM;
	*ret_page = (uint32_t)b->paths.len;
	rc = slice_vec_push(&b->paths, (slice){copy, path.len});
	return rc ? rc : strmap_put(&b->pages, (slice){copy, path.len}, *ret_page);
}

static int find_commit(struct builder *b, slice name, uint32_t *ret_commit)
{
	int rc;

	if (strmap_get(&b->commits, name, ret_commit))
		return 0;
	*ret_commit = (uint32_t)b->sizes.len;
	rc = u32_vec_push(&b->sizes, 0);
	return rc ? rc : strmap_put(&b->commits, name, *ret_commit);
}

static int add_line(void *context, slice text, struct err *err)
{
	struct builder *b = context;
	char room[HISTORY_PATH_MAX];
	struct history_line line;
	struct event e;
	int rc = history_file_parse(text, room, &line, err);

	if (rc)
		return rc;
	e = (struct event){.at_s = line.at_s, .gone = line.gone};
	if (b->events.len > 0 && e.at_s < b->events.ptr[b->events.len - 1].at_s)
		return err_set(err, ERR_RANGE,
			"the time is before that of the line above; sort the file by time");
	if (b->events.len >= EVENTS_MAX)
		return ERR_LIMIT;
	rc = find_page(b, line.path, &e.page);
	if (rc == 0)
		rc = find_commit(b, line.commit, &e.commit);
	if (rc)
		return rc;
	b->sizes.ptr[e.commit]++;
	return event_list_push(&b->events, e);
}

static int allocate(const struct builder *b, struct history *h)
{
	size_t events = b->events.len;

	h->from = calloc(h->n + 2, sizeof *h->from);
	h->times = calloc(events + 1, sizeof *h->times);
	h->touched = calloc(events + 1, sizeof *h->touched);
	h->gone = calloc(events + 1, sizeof *h->gone);
	return h->from && h->times && h->touched && h->gone ? 0 : ERR_NOMEM;
}

/* Events in the order of pages; those of each stay in the order of time. */
static void sort_events(const struct builder *b, struct history *h)
{
	/* Counted two places ahead: filling moves each start to where it belongs. */
	for (size_t i = 0; i < b->events.len; i++)
		h->from[b->events.ptr[i].page + 2]++;
	for (size_t i = 2; i < h->n + 2; i++)
		h->from[i] += h->from[i - 1];
	for (size_t i = 0; i < b->events.len; i++) {
		const struct event *e = &b->events.ptr[i];
		size_t at = h->from[e->page + 1]++;

		h->times[at] = (double)(e->at_s - h->began_s) / SECONDS_PER_DAY;
		h->touched[at] = b->sizes.ptr[e->commit];
		h->gone[at] = e->gone;
	}
}

/* Takes texts and paths over. */
static int build(struct builder *b, struct history *ret)
{
	struct history h = {.n = b->paths.len};
	const struct event *events = b->events.ptr;
	int rc = allocate(b, &h);

	if (rc) {
		history_release(&h);
		return rc;
	}
	h.began_s = events[0].at_s;
	h.days = (double)(events[b->events.len - 1].at_s - h.began_s) / SECONDS_PER_DAY;
	sort_events(b, &h);
	h.paths = b->paths.ptr;
	b->paths = (struct slice_vec){0};
	h.text = b->text;
	b->text = (struct arena){0};
	*ret = h;
	return 0;
}

int history_load(const char *file, struct history *ret_history, struct err *err)
{
	struct builder b = {0};
	int rc;

	arena_init(&b.text, TEXT_MAX);
	arena_init(&b.commit_text, TEXT_MAX);
	strmap_init(&b.pages, hash_key_random(), NULL);
	strmap_init(&b.commits, hash_key_random(), &b.commit_text);
	rc = gz_lines_read(file, add_line, &b, err);
	if (rc == 0 && b.events.len == 0) {
		rc = err_set(err, ERR_SYNTAX, "%.200s: the history is empty", file);
	} else if (rc == 0) {
		rc = build(&b, ret_history);
		if (rc)
			(void)err_set(err, rc, "%.200s: %s", file, err_name(rc));
	}
	strmap_release(&b.pages);
	strmap_release(&b.commits);
	slice_vec_release(&b.paths);
	u32_vec_release(&b.sizes);
	event_list_release(&b.events);
	arena_release(&b.commit_text);
	arena_release(&b.text);
	return rc;
}

void history_release(struct history *h)
{
	free(h->paths);
	free(h->from);
	free(h->times);
	free(h->touched);
	free(h->gone);
	arena_release(&h->text);
	*h = (struct history){0};
}

bool history_alive(const struct history *h, uint32_t page, double t)
{
	size_t until = change_history_until(history_events(h, page), t);

	return until > 0 && !h->gone[h->from[page] + until - 1];
}

double history_last_change(const struct history *h, uint32_t page, double t)
{
	return h->times[h->from[page] + change_history_until(history_events(h, page), t) - 1];
}

bool history_changed(const struct history *h, uint32_t page, double from, double to, uint32_t bulk)
{
	struct change_history events = history_events(h, page);
	size_t end = change_history_until(events, to);

	for (size_t i = change_history_before(events, from); i < end; i++)
		if (h->touched[h->from[page] + i] < bulk)
			return true;
	return false;
}
