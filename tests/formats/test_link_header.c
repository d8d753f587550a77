/* Link headers. Expected values: RFC 8288, its examples in section 3.5, and appendix B. */
#include "formats/link_values.h"

#include "base/err.h"
#include "tap.h"

enum { MAX = 1 << 18 };

static const struct {
	const char *label;
	const char *in;
	const char *want; /* target|rel|as|type|anchor; … */
} rows[] = {
	{"empty", "", ""},
	{"3.5, first",
		"<http://example.com/TheBook/chapter2>; rel=\"previous\"; title=\"previous "
		"chapter\"",
		"http://example.com/TheBook/chapter2|previous|||;"},
	{"3.5, root", "</>; rel=\"http://example.net/foo\"", "/|http://example.net/foo|||;"},
	{"3.5, anchor", "</terms>; rel=\"copyright\"; anchor=\"#foo\"", "/terms|copyright|||#foo;"},
	{"3.5, two links",
		"</TheBook/chapter2>; rel=\"previous\"; title*=UTF-8'de'letztes%20Kapitel, "
		"</TheBook/chapter4>; rel=\"next\"; title*=UTF-8'de'n%c3%a4chstes%20Kapitel",
		"/TheBook/chapter2|previous|||;/TheBook/chapter4|next|||;"},
	{"3.5, several rels",
		"<http://example.org/>; rel=\"start http://example.net/relation/other\"",
		"http://example.org/|start http://example.net/relation/other|||;"},
	{"token value", "<a>;rel=preload;as=font", "a|preload|font||;"},
	{"blanks everywhere", "  < a > ; rel = next ,<b>", "a|next|||;b||||;"},
	{"name in capitals", "<a>; REL=next", "a|next|||;"},
	{"rel twice", "<a>; rel=a; rel=b", "a|a|||;"},
	{"quoted comma and semicolon", "<a>; title=\"x, <y>; z\"; rel=next", "a|next|||;"},
	{"backslash", "<a>; rel=\"n\\ext\\\"\"", "a|next\"|||;"},
	{"comma in target", "<a,b;c>; rel=next", "a,b;c|next|||;"},
	{"no target", "rel=next, <b>; rel=up", "b|up|||;"},
	{"open target", "<a", ""},
	{"open quote", "<a>; rel=\"next", "a|next|||;"},
	{"parameter without value", "<a>; crossorigin; rel=next", "a|next|||;"},
	{"empty elements", ",, <a>;;rel=next;,", "a|next|||;"},
	{"rubbish behind a link", "<a> x \"y,z\"; rel=next, <b>", "a||||;b||||;"},
};

static void dump(slice in, struct buf *out)
{
	struct link_header_link link;
	struct link_header h;
	int rc;

	link_header_init(&h, in);
	while ((rc = link_header_next(&h, &link)) == 0) {
		const slice parts[] = {link.target, link.rel, link.as, link.type, link.anchor};

		for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
			(void)buf_add(out, parts[i]);
			(void)buf_add_char(out, i + 1 < ARRAY_LEN(parts) ? '|' : ';');
		}
	}
	CHECK_INT(rc, ERR_END);
	link_header_release(&h);
}

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf out;

		tap_case("link header: %s", rows[i].label);
		buf_init(&out, MAX);
		dump(slice_str(rows[i].in), &out);
		CHECK_STR(buf_str(&out), rows[i].want);
		buf_release(&out);
	}
}

/* A link that ends at the limit is read, one that stands behind it is not. */
static void test_limit(void)
{
	struct buf in, out;

	buf_init(&in, MAX);
	buf_init(&out, MAX);
	while (in.len < LINK_HEADER_MAX - 3)
		(void)buf_add_char(&in, ',');
	(void)buf_add_str(&in, "<a>,<b>");
	dump(buf_slice(&in), &out);
	CHECK_STR(buf_str(&out), "a||||;");
	buf_release(&in);
	buf_release(&out);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_rows();
	TAP_RUN(test_limit);
	return tap_done();
}
