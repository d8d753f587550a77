/*
 * The page of `stillpoint diff --html`. What comes from the archive is hostile: it stands in the
 * page as text only, and the policy of the page forbids scripts and requests of any kind.
 */
#include <inttypes.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "cmd/diff.h"
#include "quality/acted.h"
#include "web/html.h"

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

static void put_row(FILE *file, const struct versions_row *row, const char *masked)
{
	struct common common = {.front = SIZE_MAX}; /* nothing is marked */

	if (row->where.len) {
		(void)fputs("<tr><th class=\"where\" colspan=\"2\">", file);
		put_text(file, row->where);
		(void)fputs("</th></tr>\n", file);
	}
	if (row->differs && row->a.ptr && row->b.ptr)
		common = find_common(row->a, row->b);
	(void)fputs("<tr>", file);
	put_cell(file,
		!row->differs || !row->a.ptr ? NULL
		: masked                     ? masked
					     : "old",
		row->a, common);
	put_cell(file,
		!row->differs || !row->b.ptr ? NULL
		: masked                     ? masked
					     : "new",
		row->b, common);
	(void)fputs("</tr>\n", file);
}

/* Only the first of several says what its columns are. */
static void begin_table(FILE *file, bool first)
{
	(void)fprintf(file, "<table>%s<tbody>\n",
		first ? "<thead><tr><th scope=\"col\">visit</th><th scope=\"col\">revisit</th></tr>"
			"</thead>"
		      : "");
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

static void put_size(const struct look *l, char *out, size_t size)
{
	(void)snprintf(out, size, "%" PRIu64 " bytes%s%s", l->size, l->whole ? "" : ", cut off",
		l->readable ? "" : ", not decoded");
}

static void put_looks(FILE *file, const struct diff *d)
{
	const struct look *x = d->visit, *y = d->revisit;
	char a[DIGEST_TEXT_SIZE + CLOCK_TEXT_SIZE], b[DIGEST_TEXT_SIZE + CLOCK_TEXT_SIZE];

	(void)fputs("<table class=\"looks\"><thead><tr><th></th><th scope=\"col\">visit</th>"
		    "<th scope=\"col\">revisit</th></tr></thead><tbody>\n",
		file);
	clock_format(x->attempt->wall.sent, CLOCK_ROUND_DOWN, a);
	clock_format(y->attempt->wall.sent, CLOCK_ROUND_DOWN, b);
	put_fact(file, "time", slice_str(a), slice_str(b));
	(void)snprintf(a, sizeof a, "%u", x->status);
	(void)snprintf(b, sizeof b, "%u", y->status);
	put_fact(file, "status", slice_str(a), slice_str(b));
	put_fact(file, "type", buf_slice(&x->media_type), buf_slice(&y->media_type));
	put_size(x, a, sizeof a);
	put_size(y, b, sizeof b);
	put_fact(file, "size", slice_str(a), slice_str(b));
	(void)digest_format(&x->digest, a);
	(void)digest_format(&y->digest, b);
	put_fact(file, "digest", slice_str(a), slice_str(b));
	end_table(file);
}

/* Rows without a difference are folded away. */
static void put_equal(FILE *file, const struct versions_rows *rows, size_t from, size_t to)
{
	(void)fprintf(file, "<details><summary>%zu without a difference</summary>\n", to - from);
	begin_table(file, from == 0);
	for (size_t i = from; i < to; i++)
		put_row(file, &rows->ptr[i], NULL);
	end_table(file);
	(void)fputs("</details>\n", file);
}

static void put_rows(FILE *file, const struct versions *v)
{
	const struct versions_rows *rows = &v->rows;
	size_t next;

	(void)fputs("<h2>Side by side</h2>\n", file);
	for (size_t i = 0; i < rows->len; i = next) {
		for (next = i; next < rows->len && rows->ptr[next].differs == rows->ptr[i].differs;)
			next++;
		if (!rows->ptr[i].differs) {
			put_equal(file, rows, i, next);
			continue;
		}
		begin_table(file, i == 0);
		for (size_t k = i; k < next; k++)
			put_row(file, &rows->ptr[k], NULL);
		end_table(file);
	}
	if (v->differ_count + v->equal_count > rows->len)
		(void)fprintf(file, "<p class=\"quiet\">%zu more are not shown.</p>\n",
			v->differ_count + v->equal_count - rows->len);
}

static void put_rule(FILE *file, const struct versions *v, const struct change_rule *r)
{
	bool any = false;

	(void)fputs("<h3>", file);
	put_text(file, r->name);
	(void)fputs("</h3>\n<p class=\"quiet\">", file);
	html_printf(file, "%" PRIu64 "×: %s", r->count, acted_summary(r->name));
	(void)fputs("</p>\n", file);
	for (size_t i = 0; i < v->masked.len; i++) {
		if (v->masked.ptr[i].rule != r->rule)
			continue;
		if (!any)
			begin_table(file, true);
		any = true;
		put_row(file, &v->masked.ptr[i].row, "noise");
	}
	if (any)
		end_table(file);
}

static void put_masked(FILE *file, const struct versions *v)
{
	(void)fprintf(file,
		"<h2>Masked as noise</h2>\n<p>Share of the visible text that was masked: %.2f "
		"%%.</p>\n",
		v->change.masked_visible * 100);
	for (size_t i = 0; i < v->change.rule_count; i++)
		put_rule(file, v, &v->change.rules[i]);
}

void diff_html(const struct diff *d, FILE *file)
{
	const struct versions *v = d->versions;
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
	diff_result(v, result);
	html_text(file, slice_str(result));
	(void)fputs("</strong></p>\n", file);
	put_looks(file, d);
	if (v->rows.len)
		put_rows(file, v);
	if (v->change.rule_count)
		put_masked(file, v);
	(void)fputs("</main>\n</body>\n</html>\n", file);
}
