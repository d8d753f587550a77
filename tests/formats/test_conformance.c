/*
 * wpt's urltestdata.json and toascii.json, and the public suffix list's own cases, from the shared
 * conformance data. Each case that ICU 72 or Debian's list cannot pass is named here and in
 * docs/url.md with its reason; when one of them passes, the test fails, so that the list stays
 * true.
 */
#include <unicode/uvernum.h>

#include "conformance.h"
#include "formats/url.h"
#include "tap.h"

/* Inputs of toascii.json whose mapping changed with Unicode 15.1 and 16, and the ICU that knows. */
static const struct {
	slice input;
	int icu;
} NEWER[] = {
	{SLICE_INIT("\xe1\xba\x9e.com"), 74},        /* U+1E9E: now ß, was ss */
	{SLICE_INIT("\xe1\xba\x9e.foo.com"), 74},    /* the same */
	{SLICE_INIT("look\xe1\xa0\x8eout.net"), 76}, /* U+180E: now ignored, was disallowed */
	{SLICE_INIT("look\xe2\x81\xabout.net"), 76}, /* U+206B: the same */
	{SLICE_INIT("\xd3\x80.com"), 76},            /* U+04C0: now mapped, was disallowed */
	{SLICE_INIT("\xf0\xaf\xa1\xa8.com"), 76},    /* U+2F868: the same */
	{SLICE_INIT("\xe2\x86\x83.com"), 76},        /* U+2183: the same */
};

static bool is_too_new(slice input)
{
	for (size_t i = 0; i < ARRAY_LEN(NEWER); i++)
		if (slice_eq(NEWER[i].input, input))
			return U_ICU_VERSION_MAJOR_NUM < NEWER[i].icu;
	return false;
}

static slice text_of(const json_t *object, const char *key)
{
	const json_t *text = json_object_get(object, key);

	return (slice){json_string_value(text), json_string_length(text)};
}

/* A part as the API of browsers shows it: with its delimiter, or nothing when it is empty. */
static void check_part(const json_t *row, const char *key, slice part, char before, char after)
{
	slice want = text_of(row, key);
	struct buf text;

	if (!want.ptr)
		return;
	buf_init(&text, URL_MAX);
	if (part.len && before)
		(void)buf_add_char(&text, before);
	(void)buf_add(&text, part);
	if (after)
		(void)buf_add_char(&text, after);
	CHECK_SLICE(buf_slice(&text), want);
	buf_release(&text);
}

static void check_parts(const json_t *row, const struct url *u)
{
	check_part(row, "protocol", url_part(u, u->scheme), 0, ':');
	check_part(row, "username", url_part(u, u->username), 0, 0);
	check_part(row, "password", url_part(u, u->password), 0, 0);
	check_part(row, "hostname", url_part(u, u->host), 0, 0);
	check_part(row, "pathname", url_part(u, u->path), 0, 0);
	check_part(row, "search", url_part(u, u->query), '?', 0);
	check_part(row, "hash", url_part(u, u->fragment), '#', 0);
}

/* Whether it came out as wanted; says why not when asked to. */
static bool matches(const json_t *row, const struct url *u, int rc)
{
	slice want = text_of(row, "href");

	return json_object_get(row, "failure") ? rc != 0 : rc == 0 && slice_eq(url_text(u), want);
}

static void check_row(const json_t *row)
{
	const json_t *base_text = json_object_get(row, "base");
	struct url base, u;
	struct err err = {0};
	int rc = 0;

	url_init(&base);
	url_init(&u);
	if (json_is_string(base_text))
		rc = url_parse(&base, text_of(row, "base"), NULL, &err);
	if (rc == 0)
		rc = url_parse(
			&u, text_of(row, "input"), json_is_string(base_text) ? &base : NULL, &err);
	if (!matches(row, &u, rc))
		tap_fail(__FILE__, __LINE__, "got  %s%s\nwant %s", buf_str(&u.text), err.text,
			json_object_get(row, "failure") ? "failure" : text_of(row, "href").ptr);
	else if (rc == 0)
		check_parts(row, &u);
	if (rc)
		CHECK(err.text[0] != '\0' && u.text.len == 0);
	url_release(&u);
	url_release(&base);
}

static void test_urls(void)
{
	json_t *root, *row;
	size_t i;

	tap_case("urltestdata.json");
	root = conformance_load("url/urltestdata.json");
	json_array_foreach(root, i, row)
	{
		if (!json_is_object(row))
			continue;
		tap_case("url %zu: %s", i, text_of(row, "input").ptr);
		check_row(row);
	}
	json_decref(root);
}

/* As wpt does it: what would end the host is escaped. */
static void make_url(struct buf *out, slice host)
{
	(void)buf_add_str(out, "https://");
	for (size_t i = 0; i < host.len; i++) {
		if (host.ptr[i] && strchr(":/?#\\", host.ptr[i]))
			(void)buf_printf(out, "%%%02X", (unsigned char)host.ptr[i]);
		else
			(void)buf_add_char(out, host.ptr[i]);
	}
	(void)buf_add_str(out, "/x");
}

static void check_ascii(const json_t *row)
{
	struct url u;
	struct buf text;
	slice want;
	bool same;
	int rc;

	url_init(&u);
	buf_init(&text, URL_MAX);
	make_url(&text, text_of(row, "input"));
	rc = url_parse(&u, buf_slice(&text), NULL, NULL);
	want = text_of(row, "output");
	same = want.ptr ? rc == 0 && slice_eq(url_part(&u, u.host), want) : rc != 0;
	if (same == is_too_new(text_of(row, "input")))
		tap_fail(__FILE__, __LINE__, "got  %s\nwant %s%s", buf_str(&u.text),
			want.ptr ? want.ptr : "failure", same ? ", but not with this ICU" : "");
	buf_release(&text);
	url_release(&u);
}

static void test_to_ascii(void)
{
	json_t *root, *row;
	size_t i;

	tap_case("toascii.json");
	root = conformance_load("url/toascii.json");
	json_array_foreach(root, i, row)
	{
		if (!json_is_object(row))
			continue;
		tap_case("toascii %zu: %s", i, text_of(row, "input").ptr);
		check_ascii(row);
	}
	json_decref(root);
}

/* Host of http://NAME/, in ASCII and lower case; empty when it is none. */
static slice host_of(struct url *u, slice name)
{
	struct buf text;

	buf_init(&text, URL_MAX);
	(void)buf_add_str(&text, "http://");
	(void)buf_add(&text, name);
	if (url_parse(u, buf_slice(&text), NULL, NULL))
		url_release(u);
	buf_release(&text);
	return url_part(u, u->host);
}

static void check_domain(const json_t *row)
{
	struct url u, want;

	url_init(&u);
	url_init(&want);
	CHECK_SLICE(url_registrable_domain(host_of(&u, text_of(row, "domain"))),
		host_of(&want, text_of(row, "registrable")));
	url_release(&want);
	url_release(&u);
}

static void test_domains(void)
{
	json_t *root, *row;
	size_t i;

	tap_case("psl.json");
	root = conformance_load("psl/psl.json");
	json_array_foreach(json_object_get(root, "cases"), i, row)
	{
		tap_case("psl %zu: %s", i,
			text_of(row, "domain").len ? text_of(row, "domain").ptr : "");
		check_domain(row);
	}
	json_decref(root);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_urls();
	test_to_ascii();
	test_domains();
	return tap_done();
}
