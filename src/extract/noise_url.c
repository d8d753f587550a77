#include "extract/noise_url.h"

#include "base/word.h"
#include "extract/noise_email.h"
#include "extract/noise_word.h"

static bool is_one_of(slice name, const char *const *words)
{
	for (; name.len && *words; words++)
		if ((*words)[0] == word_lower(name.ptr[0]) && word_is(name, slice_str(*words)))
			return true;
	return false;
}

/* Session ids by name whatever their value. */
static bool names_session(slice name)
{
	static const char *const NAMES[] = {"jsessionid", "phpsessid", "cfid", "cftoken", "oscsid",
		"zenid", "asp.net_sessionid", "_wpnonce", "sesskey", "authenticity_token",
		"csrf_token", "csrftoken", "_csrf", "__requestverificationtoken", "form_key",
		"p_auth", "_ga", "_gl", "xsrf_token", NULL};

	return is_one_of(name, NAMES) || word_starts(name, SLICE("aspsessionid"));
}

/* Names that may hold a session's id, or that of a talk: the value decides. */
static bool may_name_session(slice name)
{
	static const char *const NAMES[] = {
		"sid", "session", "sessionid", "session_id", "sessid", NULL};

	return is_one_of(name, NAMES);
}

/* Names that may hold a token of this download; the value decides again. */
static bool may_name_token(slice name)
{
	static const char *const NAMES[] = {"s", "state", "nonce", "token", "ticket",
		"code_challenge", "request_id", "requestid", "_token", "return_token",
		"correlationid", "ray", "logintoken", NULL};

	return is_one_of(name, NAMES);
}

static bool names_signature(slice name)
{
	static const char *const NAMES[] = {"signature", "sig", "expires", "key-pair-id", "policy",
		"hdnea", "hdnts", "hmac", "oh", "oe", "_nc_gid", "_nc_ohc", "_nc_oc", "_nc_sid",
		NULL};

	return is_one_of(name, NAMES) || word_starts(name, SLICE("x-amz-")) ||
	       word_starts(name, SLICE("x-goog-"));
}

/* Names of cache busters beyond doubt: they go from links, too. */
static bool names_buster(slice name)
{
	static const char *const NAMES[] = {"cb", "cachebuster", "cache_buster", "cachebust",
		"nocache", "no_cache", "rnd", "rand", "random", "ord", NULL};

	return is_one_of(name, NAMES);
}

/* Names of clock readings beyond doubt, when the value is one. */
static bool names_clock(slice name)
{
	static const char *const NAMES[] = {"_", "timestamp", "_ts", "_t", NULL};

	return is_one_of(name, NAMES);
}

static bool names_version(slice name)
{
	static const char *const NAMES[] = {"v", "ver", "version", "rev", "revision", "hash",
		"build", "cachekey", "bust", "etag", NULL};

	return is_one_of(name, NAMES);
}

/* Names that may hold a time of change or a hash, or a height: the value decides. */
static bool may_name_version(slice name)
{
	static const char *const NAMES[] = {"t", "ts", "time", "mtime", "modified", "cache", "h",
		"c", "m", "md5", "sha", "lm", "itok", "dpl", "s", "token", "sign", NULL};

	return is_one_of(name, NAMES);
}

/* Figures, hexadecimal or with a fraction: what scripts write for a random number. */
static bool is_numeric(slice value)
{
	for (size_t i = 0; i < value.len; i++)
		if (word_hex(value.ptr[i]) < 0 && value.ptr[i] != '.' && value.ptr[i] != '-')
			return false;
	return value.len > 0;
}

static bool is_clock_or_random(slice value)
{
	return noise_is_epoch(value) || noise_is_random(value);
}

/* A version number, a date, a hash: nothing that chooses what is shown. */
static bool is_version(slice value)
{
	if (noise_is_random(value))
		return true;
	for (size_t i = 0; i < value.len; i++)
		if (!word_is_digit(value.ptr[i]) && value.ptr[i] != '.' && value.ptr[i] != '-' &&
			value.ptr[i] != '_' && !(i == 0 && value.ptr[i] == 'v'))
			return false;
	return true;
}

static bool masks_param(struct noise *n, enum noise_url_use use, slice param)
{
	const char *equals = memchr(param.ptr, '=', param.len);
	size_t at = equals ? (size_t)(equals - param.ptr) : param.len;
	slice name = slice_sub(param, 0, at), value = slice_sub(param, at + 1, param.len);

	if (equals && names_session(name) && value.len)
		return noise_applies(n, NOISE_SESSION_IDS, param);
	if (equals && ((may_name_session(name) && noise_is_random(value)) ||
			      (may_name_token(name) && noise_is_token(value))))
		return noise_applies(n, NOISE_SESSION_IDS, param);
	if (equals && ((names_buster(name) && is_numeric(value)) ||
			      (names_clock(name) && is_clock_or_random(value))))
		return noise_applies(n, NOISE_CACHE_BUSTERS, param);
	if (use == NOISE_URL_LINK)
		return false;
	if (equals && (names_signature(name) || names_buster(name)))
		return noise_applies(n, NOISE_CACHE_BUSTERS, param);
	if (equals ? (names_version(name) && is_version(value)) ||
				(may_name_version(name) && is_clock_or_random(value))
		   : is_clock_or_random(name) || noise_is_instant(name))
		return noise_applies(n, NOISE_CACHE_BUSTERS, param);
	return false;
}

/* Whether the query has a parameter "sig": that of an address that is signed for some time. */
static bool is_signed(slice query)
{
	while (query.len) {
		slice param = slice_take(&query, '&');

		if (word_is(slice_take(&param, '='), SLICE("sig")))
			return true;
	}
	return false;
}

/* What goes with a signature (Azure): from when to when it holds, and for what. */
static bool names_signed(slice param)
{
	static const char *const NAMES[] = {
		"se", "st", "sp", "sr", "sv", "ske", "skt", "sks", "skv", "skoid", "sktid", NULL};

	return is_one_of(slice_take(&param, '='), NAMES);
}

static int add_query(struct noise *n, enum noise_url_use use, slice query, struct buf *out)
{
	bool has_signature = use == NOISE_URL_EMBED && is_signed(query);
	char before = '?';
	int rc = 0;

	while (rc == 0 && query.len) {
		const char *end = memchr(query.ptr, '&', query.len);
		size_t len = end ? (size_t)(end - query.ptr) : query.len;
		slice param = slice_sub(query, 0, len);

		query = slice_sub(query, len + 1, query.len);
		if (param.len == 0 || masks_param(n, use, param))
			continue;
		if (has_signature && names_signed(param) &&
			noise_applies(n, NOISE_CACHE_BUSTERS, param))
			continue;
		rc = buf_add_char(out, before);
		if (rc == 0)
			rc = buf_add(out, param);
		before = '&';
	}
	return rc;
}

/* The part of a path that holds a session id: ";jsessionid=…", "/(S(…))". */
static slice session_in_path(slice path)
{
	if (path.len == 0 || (!memchr(path.ptr, ';', path.len) && !memchr(path.ptr, '(', path.len)))
		return (slice){0};
	for (size_t i = 0; i + 4 < path.len; i++) {
		slice rest = slice_sub(path, i, path.len);
		const char *end;

		if (path.ptr[i] == ';' && (word_starts(rest, SLICE(";jsessionid=")) ||
						  word_starts(rest, SLICE(";phpsessid=")))) {
			end = memchr(rest.ptr, '/', rest.len);
			return end ? slice_sub(rest, 0, (size_t)(end - rest.ptr)) : rest;
		}
		if (path.ptr[i] == '/' && slice_starts_with(rest, SLICE("/(S("))) {
			end = memmem(rest.ptr, rest.len, "))", 2);
			if (end)
				return slice_sub(rest, 0, (size_t)(end - rest.ptr) + 2);
		}
	}
	return (slice){0};
}

/* "/version1731801600" or "/v1731801600": the moment of a deployment. */
static slice version_in_path(slice path)
{
	static const slice PREFIXES[] = {SLICE_INIT("version"), SLICE_INIT("v")};

	for (size_t from = 0; from < path.len; from++) {
		slice rest = slice_sub(path, from + 1, path.len), segment;

		if (path.ptr[from] != '/')
			continue;
		segment = slice_take(&rest, '/');
		for (size_t i = 0; i < sizeof PREFIXES / sizeof PREFIXES[0]; i++)
			if (rest.len && slice_starts_with(segment, PREFIXES[i]) &&
				noise_is_epoch(slice_sub(segment, PREFIXES[i].len, segment.len)))
				return slice_sub(path, from, from + 1 + segment.len);
	}
	return (slice){0};
}

static int add_path(struct noise *n, enum noise_url_use use, slice path, struct buf *out)
{
	slice part = session_in_path(path);
	bool masks = part.len && noise_applies(n, NOISE_SESSION_IDS, part);
	size_t at;
	int rc;

	if (!masks && use == NOISE_URL_EMBED) {
		part = version_in_path(path);
		masks = part.len && noise_applies(n, NOISE_CACHE_BUSTERS, part);
	}
	if (!masks)
		return buf_add(out, path);
	at = (size_t)(part.ptr - path.ptr);
	rc = buf_add(out, slice_sub(path, 0, at));
	return rc ? rc : buf_add(out, slice_sub(path, at + part.len, path.len));
}

/* What networks (Cloudflare, Akamai, Imperva) put into pages to tell robots from people. */
static bool is_challenge(slice ref)
{
	static const slice PATHS[] = {SLICE_INIT("/cdn-cgi/content?"),
		SLICE_INIT("/cdn-cgi/challenge-platform/"), SLICE_INIT("/_Incapsula_Resource?"),
		SLICE_INIT("/akam/")};
	const char *at = ref.ptr, *end = ref.ptr + ref.len;

	while ((at = memchr(at, '/', (size_t)(end - at)))) {
		slice rest = {at, (size_t)(end - at)};

		for (size_t i = 0; i < sizeof PATHS / sizeof PATHS[0]; i++)
			if (slice_starts_with(rest, PATHS[i]))
				return i < 3 || memmem(rest.ptr, rest.len, "/pixel_", 7);
		at++;
	}
	return false;
}

static bool has_image_path(slice ref)
{
	static const char *const ENDS[] = {
		".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg", ".ico", NULL};
	size_t end = 0;

	while (end < ref.len && ref.ptr[end] != '?' && ref.ptr[end] != '#')
		end++;
	for (const char *const *e = ENDS; *e; e++) {
		size_t len = strlen(*e);

		if (end > len && word_is(slice_sub(ref, end - len, end), slice_str(*e)))
			return true;
	}
	return false;
}

enum noise_url_use noise_url_use_of(slice name, slice ref)
{
	static const char *const IMAGES[] = {"image", "logo", "thumbnail", "icon", NULL};

	return has_image_path(ref) || noise_names(name, IMAGES) ? NOISE_URL_EMBED : NOISE_URL_LINK;
}

/* False, with out as it was, when the address hides none. */
static bool add_email(struct noise *n, slice ref, struct buf *out)
{
	slice hex = memchr(ref.ptr, '#', ref.len) ? noise_email_in_url(ref) : (slice){0};
	size_t before = out->len;

	if (hex.len == 0 || !noise_set_has(n->set, NOISE_EMAIL))
		return false;
	if (buf_add_str(out, "mailto:") == 0 && noise_email_decode(hex, out))
		return noise_applies(n, NOISE_EMAIL, ref);
	buf_truncate(out, before);
	return false;
}

int noise_url(struct noise *n, enum noise_url_use use, slice ref, struct buf *out)
{
	const char *hash, *mark;
	slice fragment, query;
	int rc;

	ref = word_trim(ref);
	if (!ref.ptr || ref.len == 0)
		return 0;
	if (add_email(n, ref, out))
		return 0;
	if (is_challenge(ref) && noise_applies(n, NOISE_CHALLENGES, ref))
		return 0;
	if (word_starts(ref, SLICE("data:")) || word_starts(ref, SLICE("javascript:")))
		return buf_add(out, ref);
	hash = memchr(ref.ptr, '#', ref.len);
	fragment = hash ? slice_sub(ref, (size_t)(hash - ref.ptr), ref.len) : (slice){"", 0};
	ref.len -= fragment.len;
	mark = ref.len ? memchr(ref.ptr, '?', ref.len) : NULL;
	query = mark ? slice_sub(ref, (size_t)(mark - ref.ptr) + 1, ref.len) : (slice){"", 0};
	ref.len -= mark ? query.len + 1 : 0;
	rc = add_path(n, use, ref, out);
	if (rc == 0)
		rc = add_query(n, use, query, out);
	return rc ? rc : buf_add(out, fragment);
}
