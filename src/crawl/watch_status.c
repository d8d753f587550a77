#include "crawl/watch_status.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/format.h"
#include "base/json.h"
#include "base/parse.h"
#include "base/table.h"

#define HEADER "stillpoint-watch 1"

enum { FIELDS_MAX = 9, FILE_BYTES_MAX = 256 << 20 };

void watch_status_init(struct watch_status *s)
{
	*s = (struct watch_status){0};
	arena_init(&s->arena, FILE_BYTES_MAX);
}

void watch_status_release(struct watch_status *s)
{
	watch_site_list_release(&s->sites);
	look_signals_release(&s->signals);
	arena_release(&s->arena);
	*s = (struct watch_status){0};
}

/* ---- text ---- */

static int add_number(struct buf *out, double value, char end)
{
	char text[FORMAT_DOUBLE_SIZE];

	if (!isfinite(value))
		return buf_printf(out, "-%c", end);
	return buf_printf(out, "%.*s%c", (int)format_double(value, text), text, end);
}

static int format_signal(const struct look_signal *s, struct buf *out)
{
	TRY(buf_printf(out, "signal\t%.*s\t", (int)s->name.len, s->name.ptr));
	TRY(add_number(out, s->precision, '\t'));
	TRY(add_number(out, s->recall, '\t'));
	return buf_printf(out, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", s->polls,
		s->not_modified, s->checked, s->lies);
}

int watch_status_format(const struct watch_status *s, struct buf *out)
{
	const struct look_signal *signal = s->signals.ptr;

	TRY(buf_add_str(out, HEADER "\nbudget\t"));
	TRY(add_number(out, s->requests, '\t'));
	TRY(buf_printf(out, "%" PRIu64 "\t", s->spent));
	TRY(add_number(out, s->per_day, '\n'));
	TRY(buf_printf(out, "totals\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", s->pages, s->looks,
		s->changes));
	TRY(buf_printf(out, "retired\t%" PRIu64 "\n", s->retired));
	for (size_t i = 0; i < s->sites.len; i++) {
		TRY(buf_printf(out, "site\t%.*s\t%.*s\t%" PRIu64 "\t", (int)s->sites.ptr[i].url.len,
			s->sites.ptr[i].url.ptr, (int)s->sites.ptr[i].policy.len,
			s->sites.ptr[i].policy.ptr, s->sites.ptr[i].pages));
		TRY(add_number(out, s->sites.ptr[i].fresh_expected, '\t'));
		TRY(add_number(out, s->sites.ptr[i].fresh_measured, '\t'));
		TRY(add_number(out, s->sites.ptr[i].fresh_error, '\t'));
		TRY(buf_printf(out, "%" PRIu64 "\t", s->sites.ptr[i].due));
		TRY(add_number(out, s->sites.ptr[i].sharp_expected, '\n'));
		for (size_t k = 0; k < s->sites.ptr[i].signals; k++)
			TRY(format_signal(signal++, out));
	}
	return 0;
}

static int read_number(slice text, double *ret)
{
	if (slice_eq(text, SLICE("-"))) {
		*ret = NAN;
		return 0;
	}
	return parse_double(text, ret);
}

static int read_line(struct watch_status *s, slice line)
{
	slice f[FIELDS_MAX] = {{0}};
	size_t count = 0;
	int rc = 0;

	while (line.len > 0 && count < FIELDS_MAX)
		f[count++] = slice_take(&line, '\t');
	if (slice_eq(f[0], SLICE("site")) && count == FIELDS_MAX - 1)
		f[count++] = SLICE("-"); /* as earlier versions wrote it */
	if (slice_eq(f[0], SLICE("site")) && count == FIELDS_MAX) {
		struct watch_site_status site = {.url = f[1], .policy = f[2]};

		rc = parse_u64(f[3], &site.pages);
		if (rc == 0)
			rc = read_number(f[4], &site.fresh_expected);
		if (rc == 0)
			rc = read_number(f[5], &site.fresh_measured);
		if (rc == 0)
			rc = read_number(f[6], &site.fresh_error);
		if (rc == 0)
			rc = parse_u64(f[7], &site.due);
		if (rc == 0)
			rc = read_number(f[8], &site.sharp_expected);
		return rc ? ERR_SYNTAX : watch_site_list_push(&s->sites, site);
	}
	if (slice_eq(f[0], SLICE("signal")) && count == FIELDS_MAX - 1) {
		struct look_signal signal = {.name = f[1]};

		rc = s->sites.len > 0 ? read_number(f[2], &signal.precision) : ERR_SYNTAX;
		if (rc == 0)
			rc = read_number(f[3], &signal.recall);
		if (rc || parse_u64(f[4], &signal.polls) || parse_u64(f[5], &signal.not_modified) ||
			parse_u64(f[6], &signal.checked) || parse_u64(f[7], &signal.lies))
			return ERR_SYNTAX;
		s->sites.ptr[s->sites.len - 1].signals++;
		look_signals_push(&s->signals, signal);
		return 0;
	}
	if (slice_eq(f[0], SLICE("budget")) && count == 4)
		rc = read_number(f[1], &s->requests) || parse_u64(f[2], &s->spent) ||
		     read_number(f[3], &s->per_day);
	else if (slice_eq(f[0], SLICE("totals")) && count == 4)
		rc = parse_u64(f[1], &s->pages) || parse_u64(f[2], &s->looks) ||
		     parse_u64(f[3], &s->changes);
	else if (slice_eq(f[0], SLICE("retired")) && count == 2)
		rc = parse_u64(f[1], &s->retired);
	else
		rc = ERR_SYNTAX;
	return rc ? ERR_SYNTAX : 0;
}

int watch_status_parse(struct watch_status *s, slice text)
{
	const char *copy = arena_strdup(&s->arena, text);
	slice rest = {copy, text.len};

	if (!copy)
		return ERR_NOMEM;
	if (!slice_eq(slice_take(&rest, '\n'), SLICE(HEADER)))
		return ERR_SYNTAX;
	while (rest.len > 0)
		TRY(read_line(s, slice_take(&rest, '\n')));
	return 0;
}

/* ---- the file ---- */

static int fail(const char *archive, const char *what, struct err *err)
{
	return err_set(err, ERR_IO, "%s/" WATCH_STATUS_NAME ": %s", archive, what);
}

static int replace(int dir, const char *archive, slice text, struct err *err)
{
	static const char FRESH[] = WATCH_STATUS_NAME ".new";
	int fd = file_open_new(dir, FRESH), problem = 0;

	if (fd < 0)
		return fail(archive, file_problem(errno), err);
	if (io_write(fd, text.ptr, text.len))
		problem = errno;
	if (close(fd) && !problem)
		problem = errno;
	if (!problem && renameat(dir, FRESH, dir, WATCH_STATUS_NAME))
		problem = errno;
	return problem ? fail(archive, strerror(problem), err) : 0;
}

int watch_status_write(const struct watch_status *s, const char *archive, struct err *err)
{
	int dir = file_open_dir(archive), rc;
	struct buf text;

	if (dir < 0)
		return fail(archive, strerror(errno), err);
	buf_init(&text, FILE_BYTES_MAX);
	rc = err_code(err, watch_status_format(s, &text));
	if (rc == 0)
		rc = replace(dir, archive, buf_slice(&text), err);
	buf_release(&text);
	(void)close(dir);
	return rc;
}

static int read_all(int fd, struct buf *text)
{
	enum { PIECE = 64 << 10 };

	for (;;) {
		ssize_t got;
		int rc = buf_reserve(text, PIECE);

		if (rc)
			return rc;
		got = io_read_at(fd, text->ptr + text->len, PIECE, text->len);
		if (got < 0)
			return ERR_IO;
		if (got == 0)
			return 0;
		text->len += (size_t)got;
	}
}

int watch_status_read(struct watch_status *s, const char *archive, struct err *err)
{
	int dir = file_open_dir(archive);
	int fd = dir < 0 ? -1 : file_open_inside(dir, WATCH_STATUS_NAME), rc;
	struct buf text;

	if (dir >= 0)
		(void)close(dir);
	if (fd < 0 && errno == ENOENT)
		return err_set(err, ERR_NOTFOUND,
			"%s: nothing here is under watch; run 'stillpoint watch CONFIG'", archive);
	if (fd < 0)
		return fail(archive, file_problem(errno), err);
	buf_init(&text, FILE_BYTES_MAX);
	rc = read_all(fd, &text);
	if (rc == 0)
		rc = watch_status_parse(s, buf_slice(&text));
	if (rc == ERR_SYNTAX)
		(void)fail(archive, "this is no status of a watch; delete it", err);
	else if (rc)
		(void)fail(archive, rc == ERR_IO ? strerror(errno) : err_name(rc), err);
	buf_release(&text);
	(void)close(fd);
	return rc ? err->code : 0;
}

/* ---- printing ---- */

#define SIGNAL(member) MEMBER(struct look_signal, member)

static const struct column SIGNALS[] = {
	{"source", TABLE_JSON, SIGNAL(name)},
	{"precision", TABLE_JSON, SIGNAL(precision)},
	{"recall", TABLE_JSON, SIGNAL(recall)},
	{"polls", TABLE_JSON, SIGNAL(polls)},
	{"not_modified", TABLE_JSON, SIGNAL(not_modified)},
	{"checked", TABLE_JSON, SIGNAL(checked)},
	{"lies", TABLE_JSON, SIGNAL(lies)},
};

/* Those that no site has taken yet. */
struct signals_left {
	const struct look_signal **next;
};

/* Takes those of the site: rows are put in their order. */
static void put_signals(const struct table *t, size_t row, struct json *j)
{
	const struct signals_left *left = t->context;
	struct table signals = {.columns = SIGNALS,
		.count = sizeof SIGNALS / sizeof *SIGNALS,
		.first = *left->next,
		.stride = sizeof **left->next,
		.rows = ((const struct watch_site_status *)t->first)[row].signals};

	json_key(j, "signals");
	table_json(&signals, j);
	if (signals.rows) /* NULL where no site has any */
		*left->next += signals.rows;
}

#define SITE(member) MEMBER(struct watch_site_status, member)
#define BOTH         (TABLE_TEXT | TABLE_JSON)

static const struct column SITES[] = {
	{"url", BOTH, SITE(url), .heading = "site", .at = 8, .gap = 1},
	{"policy", BOTH, SITE(policy), .at = 7, .gap = 2, .width = -12},
	{"pages", BOTH, SITE(pages), .at = 5, .gap = 1, .width = 9},
	{"fresh_expected", BOTH, SITE(fresh_expected), UNIT_SHARE, .heading = "expected", .at = 1,
		.width = 9, .none = "-"},
	{"fresh_measured", BOTH, SITE(fresh_measured), UNIT_SHARE, .heading = "measured", .at = 2,
		.gap = 1, .width = 9, .none = "-"},
	{"fresh_error", BOTH, SITE(fresh_error), UNIT_SHARE, .heading = "± error", .at = 3,
		.gap = 1, .width = 9, .none = "-"},
	{"due", BOTH, SITE(due), .at = 6, .gap = 1, .width = 9},
	{"sharp_expected", BOTH, SITE(sharp_expected), UNIT_SHARE, .heading = "sharp", .at = 4,
		.gap = 1, .width = 9, .none = "-"},
	{.forms = TABLE_JSON, .put = put_signals},
};

static struct table sites_of(const struct watch_status *s)
{
	return (struct table){.columns = SITES,
		.count = sizeof SITES / sizeof *SITES,
		.first = s->sites.ptr,
		.stride = sizeof *s->sites.ptr,
		.rows = s->sites.len};
}

int watch_status_print_json(const struct watch_status *s, FILE *file)
{
	const struct look_signal *signals = s->signals.ptr;
	struct table sites = sites_of(s);
	struct json j;

	sites.context = &(struct signals_left){&signals};
	json_init_file(&j, file, JSON_LINES);
	json_document_begin(&j);
	json_key(&j, "budget");
	json_object_begin(&j);
	json_put_double(&j, "requests", s->requests);
	json_put_uint(&j, "spent", s->spent);
	json_put_double(&j, "per_day", s->per_day);
	json_object_end(&j);
	json_key(&j, "sites");
	table_json(&sites, &j);
	json_put_uint(&j, "pages", s->pages);
	json_put_uint(&j, "looks", s->looks);
	json_put_uint(&j, "changes", s->changes);
	json_object_end(&j);
	return json_finish(&j);
}

void watch_status_print(const struct watch_status *s, FILE *file)
{
	struct table sites = sites_of(s);

	fprintf(file,
		"%" PRIu64 " of %.0f requests in the last 24 hours; %zu site%s, %" PRIu64
		" pages, %" PRIu64 " looks, %" PRIu64 " changes\n\n",
		s->spent, s->per_day, s->sites.len, s->sites.len == 1 ? "" : "s", s->pages,
		s->looks, s->changes);
	table_text(&sites, file);
}
