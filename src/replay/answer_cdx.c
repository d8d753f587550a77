/*
 * The CDX server: lines of the index that a query asks for. In the index's order they are sent as
 * they are read, so that an answer may be larger than memory; for any other order, and for the last
 * lines, what has to be kept is bounded.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/format.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/parse.h"
#include "replay/access.h"
#include "replay/answers.h"
#include "replay/cdx_query.h"
#include "warc/warc_date.h"
#include "warc/zipnum.h"

/*
 * The lines that have the bodies of revisits, by their digests: what resolveRevisits=true of a CDX
 * query needs. They are found among the lines that came before.
 */

enum { ARENA_MAX = 32 << 20 };

VEC_DECLARE(line_vec, struct cdxj);

struct cdx_originals {
	struct arena arena;
	struct strmap numbers; /* digest → number of the line */
	struct line_vec lines; /* only what is asked of them */
};

static struct cdx_originals *cdx_originals_new(void)
{
	struct cdx_originals *o = mem_new(1, sizeof *o);

	arena_init(&o->arena, ARENA_MAX);
	strmap_init(&o->numbers, hash_key_random(), &o->arena);
	return o;
}

/* NULL is fine */
static void cdx_originals_free(struct cdx_originals *o)
{
	if (!o)
		return;
	strmap_release(&o->numbers);
	line_vec_release(&o->lines);
	arena_release(&o->arena);
	free(o);
}

/* Forgets all of them. */
static void cdx_originals_reset(struct cdx_originals *o)
{
	strmap_reset(&o->numbers);
	arena_reset(&o->arena);
	o->lines.len = 0;
}

static void remember(struct cdx_originals *o, const struct cdxj *line)
{
	if (!line->mime.ptr || !line->filename.ptr || arena_full(&o->arena) ||
		!strmap_add(&o->numbers, line->digest, (uint32_t)o->lines.len))
		return;
	line_vec_push(&o->lines, (struct cdxj){.mime = arena_keep(&o->arena, line->mime),
					 .filename = arena_keep(&o->arena, line->filename),
					 .status = line->status,
					 .has_place = line->has_place,
					 .length = line->length,
					 .offset = line->offset});
}

/*
 * Takes a line in. A revisit whose body came before gets its original, and that one's type and
 * status. Memory is bounded: of too many lines the later ones are not remembered.
 */
static void cdx_originals_apply(struct cdx_originals *o, struct cdx_row *row)
{
	bool is_revisit = slice_eq(row->line.mime, SLICE("warc/revisit"));
	uint32_t number;

	if (row->line.digest.len == 0)
		return;
	if (!is_revisit) {
		remember(o, &row->line);
	} else if (strmap_get(&o->numbers, row->line.digest, &number)) {
		row->original = &o->lines.ptr[number];
		row->line.mime = row->original->mime;
		row->line.status = row->original->status;
	}
}

enum {
	KEPT_MAX = 100000, /* lines that are kept to be sorted */
	KEPT_BYTES_MAX = 64 << 20,
	STAGE_SIZE = 32 << 10, /* bytes made before they are sent */
	OUT_MAX = 4 << 20,     /* a line may be long */
	KEY_SIZE_MAX = 8 << 10,
};

/* A query being answered: a cursor over the lines that fit. */
struct cursor {
	struct cdx_query q;
	const struct collection *c;
	struct work *work;
	struct index_set *set;
	struct cdxj_scan *scan;
	int64_t now;
	struct buf scratch; /* strings of the line */
	struct buf group;   /* key and digits of the line before, for collapseTime */
	struct cdx_row row;
	struct cdx_originals *originals; /* with resolveRevisits */
	int64_t time;
	uint64_t given; /* lines so far */
	uint64_t end;   /* lines in all, of which the next one comes only for its key */
	bool ended;
	struct buf out;
	size_t out_at;
};

static void cursor_free(void *context)
{
	struct cursor *x = context;

	cdx_query_release(&x->q);
	cdxj_scan_close(x->scan);
	index_set_drop(x->set);
	cdx_originals_free(x->originals);
	buf_release(&x->scratch);
	buf_release(&x->group);
	buf_release(&x->out);
	free(x);
}

/* Whether the line agrees with the one before in key, status and collapseTime digits. */
static bool is_collapsed(struct cursor *x)
{
	const struct cdxj *line = &x->row.line;
	struct buf group;
	bool same;

	if (x->q.collapse == 0)
		return false;
	buf_init(&group, CDXJ_LINE_MAX + TIMESTAMP_SIZE + FORMAT_U64_SIZE);
	buf_add(&group, line->key);
	buf_printf(&group, " %.*s %u", (int)x->q.collapse, line->timestamp, line->status);
	same = !group.error && slice_eq(buf_slice(&group), buf_slice(&x->group));
	buf_release(&x->group);
	x->group = group;
	return same;
}

/* "archive/a.warc.gz" of other tools' indexes: bare names are shown. */
static slice bare(slice filename)
{
	size_t start = filename.len;

	while (start > 0 && filename.ptr[start - 1] != '/')
		start--;
	return filename.ptr ? slice_sub(filename, start, filename.len) : filename;
}

/* Reads a line of the index into x->line; false for one that is not shown. */
static bool is_shown(struct cursor *x, slice text)
{
	if (cdxj_parse(text, &x->scratch, &x->row.line) || !x->row.line.url.ptr ||
		warc_date_parse(slice_str(x->row.line.timestamp), &x->time) ||
		!access_allows(x->c->access, x->row.line.key, x->time, x->now))
		return false;
	x->row.line.filename = bare(x->row.line.filename);
	x->row.original = NULL;
	if (x->originals)
		cdx_originals_apply(x->originals, &x->row);
	return cdx_query_fits(&x->q, &x->row, x->time) && !is_collapsed(x);
}

/*
 * The next line that fits: 0, ERR_END, or an error. patient: where lines that fit are rare, does
 * not let others have their turn (ERR_STATE) before there is one.
 */
static int cursor_look(struct cursor *x, bool patient, struct err *err)
{
	for (;;) {
		slice text, key;
		bool past = false;
		int rc = work_check(x->work, err);

		if (rc == 0)
			rc = cdxj_scan_next(x->scan, &text, err);
		if (rc)
			return rc;
		key = text;
		key = slice_take(&key, ' ');
		if (!cdx_query_fits_key(&x->q, key, &past)) {
			if (past)
				return ERR_END;
			continue;
		}
		if (is_shown(x, text))
			return 0;
		if (!patient && work_turn_is_long(x->work))
			return ERR_STATE;
	}
}

static int cursor_next(struct cursor *x, struct err *err)
{
	return cursor_look(x, true, err);
}

static int cursor_open(struct cursor *x, slice from, struct err *err)
{
	cdxj_scan_close(x->scan);
	x->scan = NULL;
	buf_reset(&x->group);
	if (x->originals)
		cdx_originals_reset(x->originals);
	return cdxj_scan_open(x->set->sources.ptr, x->set->sources.len, from, &x->scan, err);
}

/* ---- resuming ---- */

/* Names a line: key, timestamp, offset and file. */
static void add_resume_key(struct cursor *x, struct buf *out)
{
	const struct cdxj *line = &x->row.line;

	buf_printf(out, "%.*s %s %llu %.*s", (int)line->key.len, line->key.ptr, line->timestamp,
		(unsigned long long)line->offset, (int)line->filename.len, line->filename.ptr);
}

/* Blanks as "+", and what has a meaning in queries escaped. */
static int print_resume_key(struct cursor *x, struct buf *out)
{
	struct buf plain;
	int rc;

	buf_init(&plain, KEY_SIZE_MAX);
	add_resume_key(x, &plain);
	buf_add_char(out, '\n');
	for (size_t i = 0; i < plain.len; i++) {
		char c = plain.ptr[i];

		if (c == ' ')
			buf_add_char(out, '+');
		else if ((unsigned char)c < '!' || strchr("%&+#=", c) || (unsigned char)c > '~')
			buf_printf(out, "%%%02X", (unsigned)(unsigned char)c);
		else
			buf_add_char(out, c);
	}
	buf_add_char(out, '\n');
	rc = plain.error;
	buf_release(&plain);
	return rc ? rc : out->error;
}

/*
 * Goes to the line that a resume key names, which is the next one then; where it is gone, to the
 * first behind it.
 */
static int resume(struct cursor *x, struct err *err)
{
	slice rest = x->q.resume, key = slice_take(&rest, ' '), stamp = slice_take(&rest, ' ');
	slice wanted = slice_sub(x->q.resume, 0, key.len + 1 + stamp.len);
	struct buf here;
	uint64_t passed = 0;
	bool found = false;
	int rc;

	if (key.len == 0 || stamp.len == 0 || rest.len == 0)
		return err_set(err, ERR_USAGE, "resumeKey is not one that was given out");
	buf_init(&here, KEY_SIZE_MAX);
	rc = cursor_open(x, wanted, err);
	while (rc == 0 && !found && (rc = cursor_next(x, err)) == 0) {
		slice at;

		passed++;
		buf_reset(&here);
		add_resume_key(x, &here);
		rc = err_code(err, here.error);
		at = buf_slice(&here);
		found = slice_eq(at, x->q.resume);
		if (!slice_starts_with(at, wanted))
			break;
	}
	buf_release(&here);
	if (rc && rc != ERR_END)
		return rc;
	rc = cursor_open(x, wanted, err);
	for (uint64_t i = 1; found && rc == 0 && i < passed; i++)
		rc = cursor_next(x, err);
	return rc == ERR_END ? 0 : rc;
}

/* ---- in the index's order ---- */

/* Makes the next bytes of the answer in x->out: 0, also at the end, and when a turn is over. */
static int fill(struct cursor *x, bool patient, struct err *err)
{
	int rc = 0;

	buf_reset(&x->out);
	x->out_at = 0;
	while (rc == 0 && !x->ended && x->out.len < STAGE_SIZE) {
		if (x->given >= x->end && !x->q.show_resume) {
			x->ended = true;
			break;
		}
		rc = cursor_look(x, patient, err);
		if (rc == ERR_END)
			x->ended = true;
		if (rc == ERR_END || rc == ERR_STATE)
			return 0;
		if (rc)
			return rc;
		if (x->given >= x->end) {
			x->ended = true;
			return err_code(err, print_resume_key(x, &x->out));
		}
		x->given++;
		rc = err_code(err, cdx_query_print(&x->q, &x->row, &x->out));
	}
	return rc;
}

static ssize_t read_some(void *context, char *out, size_t room)
{
	struct cursor *x = context;
	struct err ignored = {0};
	slice rest;

	if (x->out_at == x->out.len && fill(x, false, &ignored))
		return -1;
	if (x->out.len == 0 && !x->ended)
		return HTTPD_AGAIN;
	rest = slice_sub(buf_slice(&x->out), x->out_at, SIZE_MAX);
	room = rest.len < room ? rest.len : room;
	if (room)
		memcpy(out, rest.ptr, room);
	x->out_at += room;
	return (ssize_t)room;
}

/* ---- in another order ---- */

struct kept {
	slice text; /* as it is printed */
	uint64_t distance;
	uint64_t number;
};

VEC_DECLARE(kept_vec, struct kept);

struct keeping {
	struct kept_vec list;
	struct arena arena;
};

static int by_distance(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int keep_line(struct cursor *x, struct keeping *k, struct err *err)
{
	struct kept line = {.number = x->given++};
	uint64_t time = (uint64_t)x->time, closest = (uint64_t)x->q.closest;

	line.distance = x->time < x->q.closest ? closest - time : time - closest;
	buf_reset(&x->out);
	TRY(err_code(err, cdx_query_print(&x->q, &x->row, &x->out)));
	line.text = arena_keep(&k->arena, buf_slice(&x->out));
	if (arena_full(&k->arena) || k->list.len >= KEPT_MAX)
		return err_set(err, ERR_USAGE,
			"there are too many lines to sort: ask for fewer by from, to or filter");
	kept_vec_push(&k->list, line);
	return 0;
}

static int answer_sorted(struct asked *a, struct cursor *x, struct err *err)
{
	struct keeping k = {0};
	size_t count, first = 0;
	int rc = 0;

	arena_init(&k.arena, KEPT_BYTES_MAX);
	while (rc == 0 && (rc = cursor_next(x, err)) == 0)
		rc = keep_line(x, &k, err);
	count = k.list.len;
	if (x->q.sort == CDX_SORT_CLOSEST && count)
		qsort(k.list.ptr, count, sizeof k.list.ptr[0], by_distance);
	if (x->q.has_limit && x->q.limit < count) {
		first = x->q.from_end != (x->q.sort == CDX_SORT_REVERSE)
				? count - (size_t)x->q.limit
				: 0;
		count = (size_t)x->q.limit;
	}
	for (size_t i = 0; rc == ERR_END && i < count; i++)
		buf_add(&a->response->body,
			k.list.ptr[first + (x->q.sort == CDX_SORT_REVERSE ? count - 1 - i : i)]
				.text);
	if (rc == ERR_END)
		rc = err_code(err, a->response->body.error);
	kept_vec_release(&k.list);
	arena_release(&k.arena);
	return rc;
}

/* ---- pages ---- */

static int answer_pages(struct asked *a, struct cursor *x, struct err *err)
{
	uint64_t lines = 0, size = x->q.page_size;
	struct json j;
	int rc;

	while ((rc = cursor_next(x, err)) == 0)
		lines++;
	if (rc != ERR_END)
		return rc;
	json_init_buf(&j, &a->response->body, JSON_LINES);
	json_object_begin(&j);
	json_put_uint(&j, "pages", lines / size + (lines % size != 0));
	json_put_uint(&j, "pageSize", size);
	json_put_uint(&j, "blocks", (lines + ZIPNUM_LINES - 1) / ZIPNUM_LINES);
	json_object_end(&j);
	return err_code(err, json_finish(&j));
}

/* Passes over the pages before; the first page is there even if it is empty. */
static int go_to_page(struct cursor *x, struct err *err)
{
	uint64_t before = x->q.page * x->q.page_size;
	int rc = 0;

	/* One line of the page itself, too: a page without any is behind the end. */
	for (uint64_t i = 0; rc == 0 && x->q.page > 0 && i < before + 1; i++)
		rc = cursor_next(x, err);
	if (rc == ERR_END)
		return err_set(err, ERR_USAGE, "page=%llu is behind the last one",
			(unsigned long long)x->q.page);
	if (rc)
		return rc;
	x->end = x->q.page_size;
	if (x->q.has_limit && x->q.limit < x->end)
		x->end = x->q.limit;
	if (x->q.page > 0) {
		x->given = 1;
		rc = err_code(err, cdx_query_print(&x->q, &x->row, &x->out));
	}
	return rc;
}

/* ---- the answer ---- */

static const char *type_of(const struct cdx_query *q)
{
	if (q->show_pages)
		return "application/json";
	return q->output == CDX_OUTPUT_JSON   ? "text/x-ndjson; charset=utf-8"
	       : q->output == CDX_OUTPUT_CDXJ ? "text/x-cdxj; charset=utf-8"
					      : "text/plain; charset=utf-8";
}

/* *ret_streams: the response has taken the cursor over. */
static int begin(struct asked *a, struct cursor *x, bool *ret_streams, struct err *err)
{
	int rc = cursor_open(x, cdx_query_start(&x->q), err);

	x->end = x->q.has_limit ? x->q.limit : UINT64_MAX;
	if (rc == 0 && x->q.show_pages)
		return answer_pages(a, x, err);
	if (rc == 0 && (x->q.sort != CDX_SORT_DEFAULT || x->q.from_end))
		return answer_sorted(a, x, err);
	if (rc == 0 && x->q.resume.ptr)
		rc = resume(x, err);
	else if (rc == 0 && x->q.has_page)
		rc = go_to_page(x, err);
	if (rc == 0 && x->out.len == 0)
		rc = fill(x, true, err); /* failures at the beginning have a status of their own */
	if (rc)
		return rc;
	a->response->stream = (struct httpd_stream){
		.read = read_some, .free = cursor_free, .context = x, .slow = true};
	*ret_streams = true;
	return 0;
}

void answer_cdx(struct asked *a)
{
	struct cursor *x;
	struct err err = {0};
	bool streams = false;
	int rc;

	if (!asked_is_read(a))
		return;
	x = mem_new(1, sizeof *x);
	x->c = a->collection;
	x->work = a->request->work;
	x->now = clock_realtime(clock_system());
	x->set = collection_indexes(a->collection);
	buf_init(&x->scratch, CDXJ_LINE_MAX);
	buf_init(&x->group, CDXJ_LINE_MAX + TIMESTAMP_SIZE);
	buf_init(&x->out, OUT_MAX);
	rc = cdx_query_parse(a->route.query, &x->q, &err);
	if (rc == 0 && x->q.resolve)
		x->originals = cdx_originals_new();
	if (rc == 0)
		rc = begin(a, x, &streams, &err);
	if (rc == 0) {
		a->response->status = STATUS_OK;
		answer_header(a, "Content-Type", "%s", type_of(&x->q));
		answer_header(a, "X-Content-Type-Options", "nosniff");
	} else {
		answer_failure(a, &err);
	}
	if (!streams)
		cursor_free(x);
}
