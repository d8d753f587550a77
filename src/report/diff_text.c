#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/live.h"
#include "base/table.h"
#include "base/utf8.h"
#include "proof/acted.h"
#include "proof/report_json.h"
#include "report/diff.h"
#include "report/html.h"

/* What the page and the terminal say of both looks alike. */
enum { FACTS = 4, FACT_SIZE = CLOCK_TEXT_SIZE + 64 };

struct fact {
	const char *name;
	slice a, b;
};

static void find_facts(
	const struct diff *d, char room[2 * FACTS][FACT_SIZE], struct fact ret[FACTS])
{
	const struct look *looks[] = {d->visit, d->revisit};

	for (int i = 0; i < 2; i++) {
		const struct look *l = looks[i];

		clock_format(l->attempt->wall.sent, CLOCK_ROUND_DOWN, room[i]);
		(void)snprintf(room[2 + i], FACT_SIZE, "%u", l->status);
		(void)snprintf(room[4 + i], FACT_SIZE, "%" PRIu64 " bytes%s%s", l->size,
			l->whole ? "" : ", cut off", l->readable ? "" : ", not decoded");
	}
	ret[0] = (struct fact){"time", slice_str(room[0]), slice_str(room[1])};
	ret[1] = (struct fact){"status", slice_str(room[2]), slice_str(room[3])};
	ret[2] = (struct fact){
		"type", buf_slice(&d->visit->media_type), buf_slice(&d->revisit->media_type)};
	ret[3] = (struct fact){"size", slice_str(room[4]), slice_str(room[5])};
}

/* The fields of that name, "NAME: ", if they count: all, if there are several. */
static slice diff_field(const struct look *l, slice name)
{
	slice left = buf_slice(&l->head), found = {0};

	while (left.len > 0) {
		slice line = slice_take(&left, '\n');

		if (!slice_starts_with(line, name))
			continue;
		if (!found.ptr)
			found.ptr = line.ptr + name.len;
		found.len = (size_t)(line.ptr + line.len - found.ptr);
	}
	return found;
}

/* The fields of the heads that differ: their number. The texts are those of the looks, or in room.
 */
static size_t diff_head(
	const struct diff *d, char room[2][DIFF_HEAD_TEXT], struct diff_row ret[DIFF_HEAD_ROWS])
{
	const struct look *x = d->visit, *y = d->revisit;
	struct diff_row rows[DIFF_HEAD_ROWS] = {
		{.where = SLICE("status")},
		{.where = SLICE("Location"),
			.a = diff_field(x, SLICE("Location: ")),
			.b = diff_field(y, SLICE("Location: "))},
		{.where = SLICE("Refresh"),
			.a = diff_field(x, SLICE("Refresh: ")),
			.b = diff_field(y, SLICE("Refresh: "))},
		{.where = SLICE("Content-Disposition"),
			.a = diff_field(x, SLICE("Content-Disposition: ")),
			.b = diff_field(y, SLICE("Content-Disposition: "))},
		{.where = SLICE("Content-Type"),
			.a = buf_slice(&x->media_type),
			.b = buf_slice(&y->media_type)},
	};
	size_t count = 0;

	(void)snprintf(room[0], DIFF_HEAD_TEXT, "%u", x->status);
	(void)snprintf(room[1], DIFF_HEAD_TEXT, "%u", y->status);
	rows[0].a = slice_str(room[0]);
	rows[0].b = slice_str(room[1]);
	for (size_t i = 0; i < DIFF_HEAD_ROWS; i++) {
		if (slice_eq(rows[i].a, rows[i].b))
			continue;
		rows[i].a = rows[i].a.len ? rows[i].a : (slice){0};
		rows[i].b = rows[i].b.len ? rows[i].b : (slice){0};
		ret[count++] = rows[i];
	}
	return count;
}

static struct diff_row diff_row_of(const struct proof_place *p)
{
	return (struct diff_row){.where = p->where, .rule = p->rule, .a = p->a, .b = p->b};
}

/* How many places of the bodies are explained, or not. */
static size_t diff_count(const struct diff *d, bool explained)
{
	size_t count = 0;

	for (size_t i = 0; i < d->pair->proof.places.len; i++)
		count += (d->pair->proof.places.ptr[i].rule.ptr != NULL) == explained;
	return count;
}

static void diff_result(const struct diff *d, char out[DIFF_RESULT_SIZE])
{
	char room[2][DIFF_HEAD_TEXT];
	struct diff_row head[DIFF_HEAD_ROWS];
	size_t differ = diff_head(d, room, head) + diff_count(d, false);
	size_t masked = diff_count(d, true), duties = d->pair->proof.duties.len;

	if (d->same && strcmp(d->same, "bytes") == 0)
		(void)snprintf(out, DIFF_RESULT_SIZE,
			"The two versions are the same, byte for byte (evidence: bytes).");
	else if (d->same)
		(void)snprintf(out, DIFF_RESULT_SIZE,
			"The two versions are the same but for noise (evidence: normalised). "
			"Places that differ: %zu; rules explain all of them.",
			masked);
	else if (d->pair->doubt || d->pair->proof.limit)
		(void)snprintf(out, DIFF_RESULT_SIZE,
			"The two versions do not count as the same: %s. Unexplained places: "
			"%zu; explained by rules: %zu.",
			d->pair->doubt ? d->pair->doubt : d->pair->proof.limit, differ, masked);
	else if (differ == 0 && duties)
		(void)snprintf(out, DIFF_RESULT_SIZE,
			"The two versions differ in the names of %zu resources, which are not "
			"known to be the same.",
			duties);
	else
		(void)snprintf(out, DIFF_RESULT_SIZE,
			"The two versions differ. Unexplained places: %zu; explained by rules: "
			"%zu.",
			differ, masked);
}

/* ---- JSON ---- */

static const struct column RULES[] = {
	{"name", TABLE_JSON, MEMBER(struct proof_rule, name)},
	{"count", TABLE_JSON, MEMBER(struct proof_rule, count)},
};
static const struct column DUTIES[] = {
	{"a", TABLE_JSON, MEMBER(struct proof_duty, a)},
	{"b", TABLE_JSON, MEMBER(struct proof_duty, b)},
};

void diff_json_proof(struct json *j, const struct proof *p)
{
	json_key(j, "rules");
	table_json(&(struct table)TABLE_OF(RULES, p->rules), j);
	json_put_double(j, "masked_visible", p->masked);
	json_key(j, "changed_in");
	json_array_begin(j);
	for (unsigned i = 0; i < PROOF_IN_COUNT; i++)
		if (p->changed_in >> i & 1)
			json_string(j, proof_in_name(i));
	json_array_end(j);
	json_key(j, "duties");
	table_json(&(struct table)TABLE_OF(DUTIES, p->duties), j);
	json_put_string(j, "limit", p->limit);
}

static void put_buf(struct json *j, const char *key, const struct buf *b)
{
	json_text(j, key, b->len ? buf_slice(b) : (slice){0});
}

static void put_look(struct json *j, const char *key, const struct look *l)
{
	char digest[DIGEST_TEXT_SIZE];

	(void)digest_format(&l->digest, digest);
	json_key(j, key);
	json_object_begin(j);
	json_put_uint(j, "attempt", l->attempt->number);
	report_json_time(j, "from", l->attempt->wall.sent, CLOCK_ROUND_DOWN);
	report_json_time(j, "to", l->attempt->wall.last_byte, CLOCK_ROUND_UP);
	json_put_uint(j, "status", l->status);
	put_buf(j, "media_type", &l->media_type);
	put_buf(j, "location", &l->location);
	json_text(j, "refresh", diff_field(l, SLICE("Refresh: ")));
	json_text(j, "content_disposition", diff_field(l, SLICE("Content-Disposition: ")));
	put_buf(j, "coding", &l->coding);
	json_put_bool(j, "whole", l->whole);
	json_put_bool(j, "close_delimited", l->close_delimited);
	json_put_uint(j, "size", l->size);
	json_put_string(j, "digest", digest);
	json_text(j, "warc", l->attempt->warc);
	json_put_uint_if(j, "offset", l->attempt->warc.ptr != NULL, l->attempt->offset);
	put_buf(j, "refers_to", &l->original);
	json_object_end(j);
}

static void json_put_row(struct json *j, const struct diff_row *row)
{
	json_object_begin(j);
	if (row->rule.ptr)
		json_text(j, "rule", row->rule);
	json_text(j, "where", row->where);
	json_text(j, "a", row->a);
	json_text(j, "b", row->b);
	json_object_end(j);
}

static void put_places(struct json *j, const struct diff *d, bool explained)
{
	for (size_t i = 0; i < d->pair->proof.places.len; i++) {
		struct diff_row row = diff_row_of(&d->pair->proof.places.ptr[i]);

		if ((row.rule.ptr != NULL) == explained)
			json_put_row(j, &row);
	}
}

static void put_rows(struct json *j, const struct diff *d)
{
	char room[2][DIFF_HEAD_TEXT];
	struct diff_row head[DIFF_HEAD_ROWS];
	size_t heads = diff_head(d, room, head);

	json_put_uint(j, "differ_count", heads + diff_count(d, false));
	json_key(j, "differs");
	json_array_begin(j);
	for (size_t i = 0; i < heads; i++)
		json_put_row(j, &head[i]);
	put_places(j, d, false);
	json_array_end(j);
	json_put_uint(j, "masked_count", diff_count(d, true));
	json_key(j, "masked");
	json_array_begin(j);
	put_places(j, d, true);
	json_array_end(j);
}

void diff_json(const struct diff *d, struct json *j)
{
	json_document_begin(j);
	json_text(j, "url", d->url);
	json_put_uint(j, "capture", d->capture->id);
	json_text(j, "site", d->capture->site);
	json_put_string(j, "same", d->same);
	json_put_string(j, "doubt", d->pair->doubt);
	put_look(j, "visit", d->visit);
	put_look(j, "revisit", d->revisit);
	diff_json_proof(j, &d->pair->proof);
	put_rows(j, d);
	json_object_end(j);
}

static const char STYLE[] =
	":root{color-scheme:light dark;--paper:#fff;--text:#1b1f24;--quiet:#57606a;--rule:#d8dce1;"
	"--old:#fde8e4;--new:#e2f3e8;--noise:#fbf3d5;--mark-old:#f5b5a8;--mark-new:#a5d9b6;--mark-"
	"noise:#ecd57a}\n"
	"@media screen and (prefers-color-scheme:dark){:root{--paper:#14171a;--text:#e6e8ea;"
	"--quiet:#a0a8b0;--rule:#2c3238;--old:#3a1f1b;--new:#17301f;--noise:#332c14;"
	"--mark-old:#7c3327;--mark-new:#266b3c;--mark-noise:#6b5a1c}}\n"
	"body{margin:0 auto;max-width:90rem;padding:1.5rem;background:var(--paper);"
	"color:var(--text);font:16px/1.5 system-ui,sans-serif}\n"
	"h1{font-size:1.3rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin-top:2rem}"
	"h3{font-size:1rem;margin:1.2rem 0 0}\n"
	"table{table-layout:fixed;width:100%;border-collapse:collapse;font-size:.9rem}\n"
	"th,td{text-align:start;vertical-align:top;padding:.25rem .5rem;border:1px solid "
	"var(--rule);font-weight:normal}\n"
	"td{width:50%;white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:isolate;"
	"font-family:ui-monospace,monospace}\n"
	".looks th:first-child{width:6rem}.where{color:var(--quiet);overflow-wrap:anywhere}\n"
	".old{background:var(--old)}.new{background:var(--new)}.noise{background:var(--noise)}\n"
	".old mark{background:var(--mark-old)}.new mark{background:var(--mark-new)}"
	".noise mark{background:var(--mark-noise)}mark{color:inherit}\n"
	"summary,.quiet{color:var(--quiet)}\n";

/* Text without characters that would change how the rest is shown. */
static void put_text(FILE *file, slice text)
{
	size_t from = 0, n;

	if (!text.ptr)
		return;
	for (size_t at = 0; at < text.len; at += n) {
		const unsigned char *p = (const unsigned char *)text.ptr + at;
		bool ok, bad;

		n = utf8_length(p, text.len - at, &ok);
		bad = (n == 1 && (*p < ' ' || *p == 0x7f) && *p != '\n' && *p != '\t') ||
		      (n == 2 && p[0] == 0xc2 && p[1] < 0xa0) ||
		      (n == 3 && p[0] == 0xe2 && p[1] == 0x80 && p[2] >= 0xaa && p[2] <= 0xae) ||
		      (n == 3 && p[0] == 0xe2 && p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9);
		if (!bad)
			continue;
		html_text(file, slice_sub(text, from, at));
		(void)fputs(UTF8_REPLACEMENT, file);
		from = at + n;
	}
	html_text(file, slice_sub(text, from, text.len));
}

/* ---- cells ---- */

struct common {
	size_t front, back; /* bytes at both ends that the two have in common */
};

static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static struct common find_common(slice a, slice b)
{
	size_t least = a.len < b.len ? a.len : b.len;
	struct common c = {0};

	while (c.front < least && a.ptr[c.front] == b.ptr[c.front])
		c.front++;
	while (c.front > 0 && ((c.front < a.len && continues(a.ptr[c.front])) ||
				      (c.front < b.len && continues(b.ptr[c.front]))))
		c.front--;
	while (c.back < least - c.front && a.ptr[a.len - 1 - c.back] == b.ptr[b.len - 1 - c.back])
		c.back++;
	while (c.back > 0 && continues(a.ptr[a.len - c.back]))
		c.back--;
	return c;
}

static void put_cell(FILE *file, const char *class, slice text, struct common common)
{
	size_t end = text.len - common.back;
	bool marked = common.front < end;

	(void)fprintf(file, "<td dir=\"auto\"%s%s%s>", class ? " class=\"" : "", class ? class : "",
		class ? "\"" : "");
	put_text(file, slice_sub(text, 0, common.front));
	if (marked) {
		(void)fputs("<mark>", file);
		put_text(file, slice_sub(text, common.front, end));
		(void)fputs("</mark>", file);
	}
	put_text(file, slice_sub(text, marked ? end : common.front, text.len));
	(void)fputs("</td>", file);
}

static void put_row(FILE *file, const struct diff_row *row)
{
	struct common common = {.front = SIZE_MAX}; /* nothing is marked */

	if (row->where.len) {
		(void)fputs("<tr><th class=\"where\" colspan=\"2\">", file);
		put_text(file, row->where);
		(void)fputs("</th></tr>\n", file);
	}
	if (row->a.ptr && row->b.ptr)
		common = find_common(row->a, row->b);
	(void)fputs("<tr>", file);
	put_cell(file, !row->a.ptr ? NULL : row->rule.ptr ? "noise" : "old", row->a, common);
	put_cell(file, !row->b.ptr ? NULL : row->rule.ptr ? "noise" : "new", row->b, common);
	(void)fputs("</tr>\n", file);
}

static void begin_table(FILE *file)
{
	(void)fputs("<table><thead><tr><th scope=\"col\">visit</th><th scope=\"col\">revisit</th>"
		    "</tr></thead><tbody>\n",
		file);
}

static void end_table(FILE *file)
{
	(void)fputs("</tbody></table>\n", file);
}

/* ---- parts ---- */

static void put_fact(FILE *file, const char *name, slice a, slice b)
{
	(void)fprintf(file, "<tr><th scope=\"row\">%s</th><td>", name);
	put_text(file, a);
	(void)fputs("</td><td>", file);
	put_text(file, b);
	(void)fputs("</td></tr>\n", file);
}

static void put_looks(FILE *file, const struct diff *d)
{
	char a[DIGEST_TEXT_SIZE], b[DIGEST_TEXT_SIZE], room[2 * FACTS][FACT_SIZE];
	struct fact facts[FACTS];

	find_facts(d, room, facts);
	(void)fputs("<table class=\"looks\"><thead><tr><th></th><th scope=\"col\">visit</th>"
		    "<th scope=\"col\">revisit</th></tr></thead><tbody>\n",
		file);
	for (size_t i = 0; i < FACTS; i++)
		put_fact(file, facts[i].name, facts[i].a, facts[i].b);
	(void)digest_format(&d->visit->digest, a);
	(void)digest_format(&d->revisit->digest, b);
	put_fact(file, "digest", slice_str(a), slice_str(b));
	end_table(file);
}

static void put_unexplained(FILE *file, const struct diff *d)
{
	char room[2][DIFF_HEAD_TEXT];
	struct diff_row head[DIFF_HEAD_ROWS];
	size_t heads = diff_head(d, room, head);

	if (heads + diff_count(d, false) == 0)
		return;
	(void)fputs("<h2>Unexplained</h2>\n", file);
	begin_table(file);
	for (size_t i = 0; i < heads; i++)
		put_row(file, &head[i]);
	for (size_t i = 0; i < d->pair->proof.places.len; i++) {
		struct diff_row row = diff_row_of(&d->pair->proof.places.ptr[i]);

		if (!row.rule.ptr)
			put_row(file, &row);
	}
	end_table(file);
}

static void put_rule(FILE *file, const struct diff *d, const struct proof_rule *r)
{
	(void)fputs("<h3>", file);
	put_text(file, r->name);
	(void)fputs("</h3>\n<p class=\"quiet\">", file);
	html_printf(file, "%" PRIu64 "×: %s", r->count, acted_summary(r->name));
	(void)fputs("</p>\n", file);
	begin_table(file);
	for (size_t i = 0; i < d->pair->proof.places.len; i++) {
		struct diff_row row = diff_row_of(&d->pair->proof.places.ptr[i]);

		if (row.rule.ptr && slice_eq(row.rule, r->name))
			put_row(file, &row);
	}
	end_table(file);
}

static void put_explained(FILE *file, const struct diff *d)
{
	const struct proof *p = &d->pair->proof;

	(void)fprintf(file,
		"<h2>Explained by rules</h2>\n<p>Share of the visible text in these places: %.2f "
		"%%.</p>\n",
		p->masked * 100);
	for (size_t i = 0; i < p->rules.len; i++)
		put_rule(file, d, &p->rules.ptr[i]);
}

static void put_duties(FILE *file, const struct diff *d)
{
	const struct proof_duties *duties = &d->pair->proof.duties;

	if (duties->len == 0)
		return;
	(void)fprintf(file, "<h2>%s</h2>\n",
		d->is_settled ? "Resources under other names, which are the same"
			      : "Resources that must be the same");
	begin_table(file);
	for (size_t i = 0; i < duties->len; i++)
		put_row(file, &(struct diff_row){.rule = SLICE("duty"),
				      .a = duties->ptr[i].a,
				      .b = duties->ptr[i].b});
	end_table(file);
}

void diff_html(const struct diff *d, FILE *file)
{
	char result[DIFF_RESULT_SIZE];

	(void)fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		    "<title>Two versions of ",
		file);
	put_text(file, d->url);
	(void)fprintf(file, "</title>\n<style>%s</style>\n</head>\n<body>\n<h1>", STYLE);
	put_text(file, d->url);
	(void)fprintf(file, "</h1>\n<p class=\"quiet\">capture %u of ", (unsigned)d->capture->id);
	put_text(file, d->capture->site);
	(void)fputs("</p>\n<main>\n<p><strong>", file);
	diff_result(d, result);
	html_text(file, slice_str(result));
	(void)fputs("</strong></p>\n", file);
	put_looks(file, d);
	put_unexplained(file, d);
	if (d->pair->proof.rules.len)
		put_explained(file, d);
	put_duties(file, d);
	(void)fputs("</main>\n</body>\n</html>\n", file);
}

enum {
	DEFAULT_WIDTH = 80,
	WIDTH_MIN = 40,
	LABEL_WIDTH = 8,
	MIDDLE = 3,      /* " | " between the columns */
	CELL_LINES = 12, /* of a cell that differs */
	RULE_ROWS = 10,  /* of what a rule explains */
};

struct screen {
	FILE *file;
	size_t width;
	bool colours;
};

static struct screen look_at(FILE *file)
{
	struct screen s = {.file = file, .width = DEFAULT_WIDTH};
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
	struct winsize w = {0};
	int fd = fileno(file);

	if (fd < 0 || isatty(fd) != 1)
		return s;
	if (ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_col)
		s.width = w.ws_col > WIDTH_MIN ? w.ws_col : WIDTH_MIN;
	s.colours = !(no_colour && *no_colour) && term && *term && strcmp(term, "dumb") != 0;
	return s;
}

#define BOLD   "1"
#define DIM    "2"
#define RED    "31"
#define GREEN  "32"
#define YELLOW "33"

static void colour(const struct screen *s, const char *code)
{
	if (s->colours && code)
		(void)fprintf(s->file, "\033[%sm", code);
}

static void plain(const struct screen *s, const char *code)
{
	if (s->colours && code)
		(void)fputs("\033[0m", s->file);
}

static void print_heading(const struct screen *s, const char *text)
{
	(void)putc('\n', s->file);
	colour(s, BOLD);
	(void)fputs(text, s->file);
	plain(s, BOLD);
	(void)putc('\n', s->file);
}

/* ---- cells ---- */

static uint32_t decode(const unsigned char *p, size_t len)
{
	uint32_t code = len > 1 ? p[0] & (0xffU >> (len + 1)) : p[0];

	for (size_t i = 1; i < len; i++)
		code = code << 6 | (p[i] & 0x3fU);
	return code;
}

/* What a terminal would obey, or what would change the order of what stands beside it. */
static bool is_control(uint32_t code)
{
	return code < ' ' || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
	       (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

struct character {
	const char *text; /* what is printed for it */
	size_t len;       /* of that */
	size_t columns;
	size_t bytes; /* of the cell */
};

static struct character first_character(slice s)
{
	struct character c = {.text = s.ptr, .columns = 1};
	uint32_t code;
	bool ok;

	c.bytes = c.len = utf8_length((const unsigned char *)s.ptr, s.len, &ok);
	code = ok ? decode((const unsigned char *)s.ptr, c.len) : 0;
	if (code == '\t' || code == '\n' || code == '\r')
		c.text = " ";
	else if (!ok || is_control(code))
		c.text = "?";
	else
		c.columns = live_char_columns(code);
	if (c.text != s.ptr)
		c.len = 1;
	return c;
}

/* Bytes of the next line of a cell, broken behind a blank where there is one. */
static size_t line_bytes(slice rest, size_t width)
{
	size_t columns = 0, at = 0, blank = 0;

	while (at < rest.len) {
		struct character c = first_character(slice_sub(rest, at, rest.len));

		if (columns + c.columns > width)
			return blank ? blank : at;
		columns += c.columns;
		at += c.bytes;
		if (c.text[0] == ' ')
			blank = at;
	}
	return at;
}

static slice trim_end(slice s)
{
	while (slice_ends_with(s, SLICE(" ")))
		s.len--;
	return s;
}

/* Prints a line of a cell and fills it up to the width. */
static void print_line(const struct screen *s, slice line, size_t width, const char *code)
{
	size_t columns = 0;

	colour(s, line.len ? code : NULL);
	for (size_t at = 0; at < line.len;) {
		struct character c = first_character(slice_sub(line, at, line.len));

		(void)fwrite(c.text, 1, c.len, s->file);
		columns += c.columns;
		at += c.bytes;
	}
	plain(s, line.len ? code : NULL);
	if (columns < width)
		(void)fprintf(s->file, "%*s", (int)(width - columns), "");
}

struct cells {
	slice a, b;
	const char *mark; /* between them */
	const char *colour_a, *colour_b;
	unsigned lines; /* at most; the rest is cut */
};

static slice take_line(slice *rest, size_t width, unsigned number, unsigned lines)
{
	size_t bytes = line_bytes(*rest, width);
	slice line = trim_end(slice_sub(*rest, 0, bytes));

	*rest = slice_sub(*rest, bytes, rest->len);
	if (number + 1 < lines || rest->len == 0)
		return line;
	*rest = (slice){0};
	return SLICE("…");
}

static void print_cells(const struct screen *s, const struct cells *c, size_t indent)
{
	size_t width = (s->width - 1 - indent - MIDDLE) / 2;
	slice a = c->a, b = c->b;

	for (unsigned n = 0; n == 0 || a.len || b.len; n++) {
		slice line_a = take_line(&a, width, n, c->lines);
		slice line_b = take_line(&b, width, n, c->lines);

		if (n > 0)
			(void)fprintf(s->file, "%*s", (int)indent, "");
		print_line(s, line_a, width, c->colour_a);
		(void)fprintf(s->file, " %s%s", c->mark, line_b.len ? " " : "");
		print_line(s, line_b, 0, c->colour_b);
		(void)putc('\n', s->file);
	}
}

/* ---- parts ---- */

static void print_pair(const struct screen *s, const char *label, slice a, slice b)
{
	(void)fprintf(s->file, "%-*s", LABEL_WIDTH, label);
	print_cells(
		s, &(struct cells){.a = a, .b = b, .mark = " ", .lines = CELL_LINES}, LABEL_WIDTH);
}

static void print_digest(const struct screen *s, const char *label, const struct look *l)
{
	char text[DIGEST_TEXT_SIZE];

	(void)digest_format(&l->digest, text);
	(void)fprintf(s->file, "%-*s%s\n", LABEL_WIDTH, label, text);
}

static void print_looks(const struct screen *s, const struct diff *d)
{
	char room[2 * FACTS][FACT_SIZE];
	struct fact facts[FACTS];

	find_facts(d, room, facts);
	print_pair(s, "", SLICE("visit"), SLICE("revisit"));
	for (size_t i = 0; i < FACTS; i++)
		print_pair(s, facts[i].name, facts[i].a, facts[i].b);
	if (d->visit->original.len || d->revisit->original.len)
		print_pair(s, "record",
			d->visit->original.len ? SLICE("revisit record") : SLICE("response"),
			d->revisit->original.len ? SLICE("revisit record") : SLICE("response"));
	if (d->pair->proof.limit || d->pair->proof.places.len == 0) {
		print_digest(s, "visit", d->visit);
		print_digest(s, "revisit", d->revisit);
	}
}

/* Text of ours, in lines. */
SP_PRINTF(3, 4)
static void print_prose(const struct screen *s, const char *code, const char *format, ...)
{
	char text[DIFF_RESULT_SIZE];
	va_list arguments;
	slice rest;

	va_start(arguments, format);
	(void)vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	for (rest = slice_str(text); rest.len;) {
		size_t n = line_bytes(rest, s->width - 1);

		print_line(s, trim_end(slice_sub(rest, 0, n)), 0, code);
		(void)putc('\n', s->file);
		rest = slice_sub(rest, n, rest.len);
	}
}

static void print_place(const struct screen *s, slice where, size_t indent)
{
	slice shown = slice_sub(where, 0, line_bytes(where, s->width - 1 - indent));

	(void)fprintf(s->file, "%*s", (int)indent, "");
	/* The end of a long place says more than its beginning. */
	if (shown.len < where.len) {
		size_t keep = s->width - 2 - indent;
		size_t from = where.len > keep ? where.len - keep : 0;

		while (from < where.len && (where.ptr[from] & 0xc0) == 0x80)
			from++;
		(void)fputs("…", s->file);
		shown = slice_sub(where, from, where.len);
	}
	print_line(s, shown, 0, DIM);
	(void)putc('\n', s->file);
}

static void print_row(const struct screen *s, const struct diff_row *row)
{
	bool masked = row->rule.ptr;

	(void)fputs("  ", s->file);
	print_cells(s,
		&(struct cells){
			.a = row->a,
			.b = row->b,
			.mark = row->a.ptr && row->b.ptr ? "|"
				: row->a.ptr             ? "<"
							 : ">",
			.lines = CELL_LINES,
			.colour_a = masked ? YELLOW : RED,
			.colour_b = masked ? YELLOW : GREEN,
		},
		2);
}

static void print_unexplained(const struct screen *s, const struct diff *d)
{
	char room[2][DIFF_HEAD_TEXT];
	struct diff_row head[DIFF_HEAD_ROWS];
	size_t heads = diff_head(d, room, head);

	if (heads + diff_count(d, false) == 0)
		return;
	print_heading(s, "Unexplained");
	for (size_t i = 0; i < heads; i++) {
		print_place(s, head[i].where, 0);
		print_row(s, &head[i]);
	}
	for (size_t i = 0; i < d->pair->proof.places.len; i++) {
		struct diff_row row = diff_row_of(&d->pair->proof.places.ptr[i]);

		if (row.rule.ptr)
			continue;
		print_place(s, row.where, 0);
		print_row(s, &row);
	}
}

static void print_rule(const struct screen *s, const struct diff *d, const struct proof_rule *r)
{
	size_t rows = 0;

	print_prose(s, NULL, "%.*s, %" PRIu64 "×: %s", slice_shown(r->name, 200), r->name.ptr,
		r->count, acted_summary(r->name));
	for (size_t i = 0; i < d->pair->proof.places.len; i++) {
		struct diff_row row = diff_row_of(&d->pair->proof.places.ptr[i]);

		if (!row.rule.ptr || !slice_eq(row.rule, r->name) || ++rows > RULE_ROWS)
			continue;
		print_place(s, row.where, 2);
		print_row(s, &row);
	}
	if (rows > RULE_ROWS)
		print_prose(
			s, NULL, "  … and %zu more; --html and --json show them", rows - RULE_ROWS);
}

static void print_duties(const struct screen *s, const struct diff *d)
{
	const struct proof_duties *duties = &d->pair->proof.duties;

	if (duties->len == 0)
		return;
	print_heading(s, d->is_settled ? "Resources under other names, which are the same"
				       : "Resources that must be the same");
	for (size_t i = 0; i < duties->len; i++)
		print_row(s, &(struct diff_row){.rule = SLICE("duty"),
				     .a = duties->ptr[i].a,
				     .b = duties->ptr[i].b});
}

void diff_print(const struct diff *d, FILE *file)
{
	struct screen s = look_at(file);
	const struct proof *p = &d->pair->proof;
	char result[DIFF_RESULT_SIZE];

	diff_result(d, result);
	print_line(&s, d->url, 0, BOLD);
	(void)fprintf(file, "\ncapture %u of ", (unsigned)d->capture->id);
	print_line(&s, d->capture->site, 0, NULL);
	(void)fputs("\n\n", file);
	print_looks(&s, d);
	(void)putc('\n', file);
	print_prose(&s, BOLD, "%s", result);
	print_unexplained(&s, d);
	if (p->rules.len) {
		print_heading(&s, "Explained by rules");
		for (size_t i = 0; i < p->rules.len; i++)
			print_rule(&s, d, &p->rules.ptr[i]);
		(void)putc('\n', file);
		print_prose(&s, NULL, "Share of the visible text in these places: %.2f %%",
			p->masked * 100);
	}
	print_duties(&s, d);
}
