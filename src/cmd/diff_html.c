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
