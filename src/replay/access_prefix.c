#include "replay/access_prefix.h"

#include <string.h>

#include "archive/cdxj_record.h"
#include "base/word.h"
#include "url/canonical.h"

static int refuse(slice text, const char *reason, struct err *err)
{
	return err_set(err, ERR_SYNTAX, "'%.*s' protects nothing: %s", slice_shown(text, 200),
		text.ptr, reason);
}

static bool has(slice s, char c)
{
	return s.len && memchr(s.ptr, c, s.len);
}

static slice strip_scheme(slice text)
{
	static const slice SCHEMES[] = {
		SLICE_INIT("http://"), SLICE_INIT("https://"), SLICE_INIT("//")};

	for (size_t i = 0; i < sizeof SCHEMES / sizeof *SCHEMES; i++)
		if (word_starts(text, SCHEMES[i]))
			return slice_sub(text, SCHEMES[i].len, text.len);
	return text;
}

/* "org,example" → "example.org" */
static int add_host(struct buf *out, slice labels)
{
	int rc = 0;

	while (labels.len && labels.ptr[labels.len - 1] == ',')
		labels.len--;
	while (rc == 0 && labels.len) {
		size_t at = labels.len;

		while (at > 0 && labels.ptr[at - 1] != ',')
			at--;
		rc = buf_add(out, slice_sub(labels, at, labels.len));
		labels.len = at ? at - 1 : 0;
		if (rc == 0 && labels.len)
			rc = buf_add_char(out, '.');
	}
	return rc;
}

/* The key of a URL without its scheme. What ends with a slash there does not end so in a key. */
static int add_key(struct buf *out, slice host_and_path, bool strict)
{
	struct buf url, key;
	int rc;

	buf_init(&url, URL_CANONICAL_MAX);
	buf_init(&key, URL_CANONICAL_MAX);
	rc = buf_add_str(&url, "http://");
	if (rc == 0)
		rc = buf_add(&url, host_and_path);
	if (rc == 0)
		rc = cdxj_key(&key, buf_slice(&url));
	if (rc == 0)
		rc = buf_add(out, buf_slice(&key));
	if (rc == 0 && strict && slice_ends_with(host_and_path, SLICE("/")) &&
		!slice_ends_with(buf_slice(out), SLICE("/")))
		rc = buf_add_char(out, '/');
	buf_release(&url);
	buf_release(&key);
	return rc;
}

/* "org,example)/Private": its URL is made, and of that the key. */
static int read_surt(slice text, slice surt, bool strict, struct buf *out, struct err *err)
{
	slice path = surt, labels = slice_take(&path, ')'), port = labels;
	struct buf url;
	int rc;

	labels = slice_take(&port, ':');
	buf_init(&url, URL_CANONICAL_MAX);
	rc = add_host(&url, labels);
	if (rc == 0 && port.len)
		rc = buf_printf(&url, ":%.*s", (int)port.len, port.ptr);
	if (rc == 0 && path.len && path.ptr[0] != '/')
		rc = ERR_SYNTAX;
	if (rc == 0)
		rc = buf_add(&url, path);
	if (rc == 0)
		rc = add_key(out, buf_slice(&url), strict);
	buf_release(&url);
	if (rc == 0 && path.len == 0) /* ")" alone: whatever path */
		buf_truncate(out, strcspn(buf_str(out), ")") + 1);
	if (rc && rc != ERR_NOMEM)
		return refuse(text, "it is no SURT, as org,example)/private", err);
	return err_code(err, rc);
}

/* "org,example": a part of a key's host. */
static int read_labels(slice text, slice labels, struct buf *out, struct err *err)
{
	slice rest = labels, label;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < labels.len; i++) {
		char c = word_lower(labels.ptr[i]);

		if (!word_is_alnum(c) && !strchr(",-_.:", c))
			return refuse(text, "a SURT has ')' behind its host", err);
		rc = buf_add_char(out, c);
	}
	while (rest.len) {
		label = slice_take(&rest, ',');
		if (word_is(label, SLICE("www")))
			return refuse(text, "keys of the index have no www: leave it out", err);
	}
	return err_code(err, rc);
}

/* "*.example.org" */
static int read_domain(slice text, slice host, struct buf prefixes[ACCESS_PREFIXES_MAX],
	size_t *ret_count, struct err *err)
{
	static const char ENDS[ACCESS_PREFIXES_MAX] = {')', ','};
	int rc = 0;

	if (slice_ends_with(host, SLICE("/")))
		host.len--;
	if (has(host, '/') || has(host, ':') || has(host, '*'))
		return refuse(text, "'*.' stands before the name of a domain alone", err);
	for (size_t i = 0; rc == 0 && i < ACCESS_PREFIXES_MAX; i++) {
		rc = add_key(&prefixes[i], host, false);
		if (rc)
			break;
		buf_truncate(&prefixes[i], strcspn(buf_str(&prefixes[i]), ")"));
		rc = buf_add_char(&prefixes[i], ENDS[i]);
	}
	*ret_count = ACCESS_PREFIXES_MAX;
	if (rc && rc != ERR_NOMEM)
		return refuse(text, "it is no domain", err);
	return err_code(err, rc);
}

static int read_url(slice text, slice url, bool strict, struct buf *out, struct err *err)
{
	int rc = has(url, '#') || memmem(url.ptr, url.len, "://", 3) ? ERR_SYNTAX
								     : add_key(out, url, strict);

	if (rc && rc != ERR_NOMEM)
		return refuse(text, "it is no URL", err);
	return err_code(err, rc);
}

int access_prefix(slice text, bool strict, struct buf prefixes[ACCESS_PREFIXES_MAX],
	size_t *ret_count, struct err *err)
{
	slice rest = strip_scheme(text), host, after;
	bool is_url = rest.len < text.len, is_surt = false, starred = false;

	if (rest.len && rest.ptr[0] == '(') {
		rest = slice_sub(rest, 1, rest.len);
		is_surt = true;
	}
	while (rest.len && rest.ptr[rest.len - 1] == '*') {
		rest.len--;
		starred = true;
	}
	*ret_count = 1;
	/* All are meant, with or without a scheme. */
	if (starred && (rest.len == 0 || slice_eq(rest, SLICE("*.")) ||
			       slice_eq(rest, SLICE("*/")) || slice_eq(rest, SLICE("/"))))
		return 0;
	if (!is_surt && slice_starts_with(rest, SLICE("*.")))
		return read_domain(text, slice_sub(rest, 2, rest.len), prefixes, ret_count, err);
	if (rest.len == 0 || has(rest, '*'))
		return refuse(text, "'*' stands alone, at the end, or in '*.example.org'", err);
	after = rest;
	host = slice_take(&after, '/');
	if (has(host, ')'))
		return read_surt(text, rest, strict, &prefixes[0], err);
	if (is_surt || has(host, ',') ||
		(!is_url && !has(rest, '/') && !has(rest, '.') && !has(rest, ':')))
		return read_labels(text, rest, &prefixes[0], err);
	return read_url(text, rest, strict, &prefixes[0], err);
}
