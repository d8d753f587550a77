/*
 * URLs: any input is parsed or refused with a sentence. What was parsed is at most URL_MAX bytes of
 * ASCII, its parts lie in it in their order, and parsing it again gives the same. The input is a
 * base and a URL, with a line feed between them; without one, a URL alone.
 */
#include <stdint.h>
#include <stdlib.h>

#include "formats/url.h"
#include "formats/url_encoding.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static size_t end_of(struct url_part part)
{
	return (size_t)part.at + part.len;
}

static void check_parts(const struct url *u)
{
	slice text = url_text(u);

	require(text.len <= URL_MAX && text.ptr[text.len] == '\0');
	for (size_t i = 0; i < text.len; i++)
		require(text.ptr[i] >= ' ' && text.ptr[i] < 0x7f);
	require(u->scheme.at == 0 && u->scheme.len > 0 && text.ptr[u->scheme.len] == ':');
	require(u->authority_end <= u->path.at && end_of(u->path) <= text.len);
	require(end_of(u->host) <= u->authority_end && end_of(u->username) <= u->authority_end);
	require(u->username.at <= u->password.at || u->password.len == 0);
	require(!u->has_query || text.ptr[u->query.at - 1] == '?');
	require(!u->has_fragment || text.ptr[u->fragment.at - 1] == '#');
	require(end_of(u->has_fragment ? u->fragment
			: u->has_query ? u->query
				       : u->path) == text.len);
	require(u->port == URL_NO_PORT || u->port != url_default_port(u->scheme_id));
	require(!url_is_special(u) || u->host_kind != URL_HOST_NONE);
	require(!url_is_special(u) || (u->path.len > 0 && text.ptr[u->path.at] == '/'));
}

static void check_again(const struct url *u)
{
	struct url again;

	url_init(&again);
	require(url_parse(&again, url_text(u), NULL, NULL) == 0);
	require(slice_eq(url_text(&again), url_text(u)));
	require(again.host_kind == u->host_kind && again.port == u->port);
	require(again.path.at == u->path.at && again.path.len == u->path.len);
	/* A page is its own URL. */
	require(url_parse(&again, url_page(u), NULL, NULL) == 0 || u->opaque_path);
	url_release(&again);
}

static bool parse(struct url *u, slice input, const struct url *base)
{
	struct err err = {0};
	int rc = url_parse(u, input, base, &err);
	slice domain;

	require((rc == 0) == (err.text[0] == '\0') && (rc == 0 || u->text.len == 0));
	if (rc)
		return false;
	check_parts(u);
	check_again(u);
	domain = url_domain(u);
	require(domain.len == 0 || url_host_within(url_part(u, u->host), domain));
	return true;
}

/* An encoding changes the query and nothing else. */
static void parse_encoded(const struct url *plain, slice input, const struct url *base)
{
	static const char *const names[] = {"windows-1252", "gb18030", "iso-2022-jp"};
	struct url_encoding *encoding = NULL;
	struct url u;

	url_init(&u);
	require(url_encoding_open(names[input.len % 3], &encoding, NULL) == 0);
	if (url_parse_encoded(&u, input, base, encoding, NULL) == 0) {
		check_parts(&u);
		check_again(&u);
		require(u.has_query == plain->has_query || plain->text.len == 0);
		require(slice_eq(url_part(&u, u.path), url_part(plain, plain->path)) ||
			plain->text.len == 0);
	}
	url_encoding_close(encoding);
	url_release(&u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice input = {(const char *)data, size};
	const char *split = size ? memchr(data, '\n', size) : NULL;
	size_t at = split ? (size_t)(split - input.ptr) : 0;
	struct url base, u;
	bool has_base;

	url_init(&base);
	url_init(&u);
	has_base = split && parse(&base, slice_sub(input, 0, at), NULL);
	if (split)
		input = slice_sub(input, at + 1, size);
	(void)parse(&u, input, has_base ? &base : NULL);
	parse_encoded(&u, input, has_base ? &base : NULL);
	url_release(&u);
	url_release(&base);
	return 0;
}
