#include "crawl/request_headers.h"

#include "base/file.h"
#include "crawl/cloaking.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/word.h"
#include "formats/http_fields.h"
#include "formats/percent.h"
#include "formats/url.h"

enum { TEXT_MAX = 64 << 10 };

static const char OF_SEEDS[] = "";

/* ---- origins ---- */

/* A site may have moved from http to https; the other way would leak passwords. */
static int add_seed(struct request_headers *o, const char *seed, struct arena *arena)
{
	BUF_SCOPED(text, TEXT_MAX + 32);
	URL_SCOPED(url);

	TRY(url_parse(&url, slice_str(seed), NULL, NULL));
	TRY(crawl_secrets_add_origin(&text, &url));
	text_list_push(&o->origins, arena_keep(arena, buf_slice(&text)).ptr);
	if (url.scheme_id != URL_HTTP || url.port != URL_NO_PORT)
		return 0;
	buf_reset(&text);
	TRY(buf_printf(&text, "https://%.*s:443", (int)url.host.len, url_part(&url, url.host).ptr));
	return text_list_push(&o->origins, arena_keep(arena, buf_slice(&text)).ptr);
}

static bool is_seeds(const struct request_headers *o, const char *origin)
{
	for (size_t i = 0; i < o->origins.len; i++)
		if (strcmp(o->origins.ptr[i], origin) == 0)
			return true;
	return false;
}

static bool is_for(
	const struct request_headers *o, const struct request_header *f, const char *origin)
{
	if (!f->origin)
		return true;
	return f->origin == OF_SEEDS ? is_seeds(o, origin) : strcmp(f->origin, origin) == 0;
}

/* ---- fields ---- */

static void add_field(struct request_headers *o, const char *origin, slice name, slice value)
{
	request_header_vec_push(
		&o->fields, (struct request_header){.origin = origin, .field = {name, value}});
}

static int add_line(struct request_headers *o, const char *origin, const char *line)
{
	slice name = {line, strcspn(line, ":")};

	add_field(o, origin, name, fields_trim(slice_str(line + name.len + 1)));
	return 0;
}

static int add_base64(struct buf *out, slice bytes)
{
	static const char LETTERS[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < bytes.len; i += 3) {
		size_t left = bytes.len - i;
		unsigned v = (unsigned)(unsigned char)bytes.ptr[i] << 16;
		char four[4];

		if (left > 1)
			v |= (unsigned)(unsigned char)bytes.ptr[i + 1] << 8;
		if (left > 2)
			v |= (unsigned char)bytes.ptr[i + 2];
		four[0] = LETTERS[v >> 18];
		four[1] = LETTERS[v >> 12 & 63];
		four[2] = (char)(left > 1 ? LETTERS[v >> 6 & 63] : '=');
		four[3] = (char)(left > 2 ? LETTERS[v & 63] : '=');
		TRY(buf_add(out, (slice){four, sizeof four}));
	}
	return 0;
}

/* RFC 7617. */
static int add_basic(struct request_headers *o, const char *origin, slice pair, struct arena *arena)
{
	BUF_SCOPED(text, TEXT_MAX);

	TRY(buf_add_str(&text, "Basic "));
	TRY(add_base64(&text, pair));
	add_field(o, origin, SLICE("Authorization"), arena_keep(arena, buf_slice(&text)));
	return 0;
}

/* User and password, for all seeds or, of a URL, for its origin. */
static int add_auth(struct request_headers *o, const char *auth, struct arena *arena)
{
	BUF_SCOPED(pair, TEXT_MAX);
	BUF_SCOPED(origin, TEXT_MAX + 32);
	URL_SCOPED(url);

	if (!crawl_secrets_has_host(auth))
		return add_basic(o, OF_SEEDS, slice_str(auth), arena);
	TRY(url_parse(&url, slice_str(auth), NULL, NULL));
	TRY(url_percent_decode(&pair, url_part(&url, url.username)));
	TRY(buf_add_char(&pair, ':'));
	TRY(url_percent_decode(&pair, url_part(&url, url.password)));
	TRY(crawl_secrets_add_origin(&origin, &url));
	return add_basic(o, arena_keep(arena, buf_slice(&origin)).ptr, buf_slice(&pair), arena);
}

/* ---- cookies ---- */

static int read_whole(const char *path, struct buf *out, struct err *err)
{
	int fd = file_open_stream(path), rc = 0;
	char chunk[4096];
	ssize_t n;

	if (fd < 0)
		return err_set(err, ERR_USAGE, "--cookies %s: %s", path, strerror(errno));
	while (rc == 0 && (n = read(fd, chunk, sizeof chunk)) != 0) {
		if (n < 0)
			rc = err_set(err, ERR_USAGE, "--cookies %s: %s", path, strerror(errno));
		else if ((rc = buf_add(out, (slice){chunk, (size_t)n})))
			rc = err_set(err, ERR_USAGE, "--cookies %s: %s", path, err_name(rc));
	}
	(void)close(fd);
	return rc;
}

static int load_cookies(struct request_headers *o, const char *path, int64_t now, struct err *err)
{
	BUF_SCOPED(text, JAR_FILE_MAX);
	int rc;
	rc = read_whole(path, &text, err);
	if (rc == 0) {
		rc = jar_read(&o->jar, buf_slice(&text), now, err);
		if (rc) {
			err_prefix(err, "--cookies %s", path);
			rc = err->code = ERR_USAGE;
		}
	}
	return rc;
}

/* ---- */

static int add_secrets(
	struct request_headers *o, const struct crawl_secrets *s, struct arena *arena)
{
	for (size_t i = 0; i < s->auth.len; i++)
		TRY(add_auth(o, s->auth.ptr[i], arena));
	for (size_t i = 0; i < s->headers.len; i++)
		TRY(add_line(o, OF_SEEDS, s->headers.ptr[i]));
	return 0;
}

int request_headers_init(struct request_headers *o, const struct crawl_settings *settings,
	const struct crawl_secrets *secrets, int64_t now, struct arena *arena, struct err *err)
{
	int rc;

	*o = (struct request_headers){.has_cert = secrets && secrets->cert,
		.has_cookies = !settings->no_cookies,
		.has_given = secrets && secrets->cookies};
	buf_init(&o->cookie, JAR_FIELD_MAX);
	rc = secrets ? add_secrets(o, secrets, arena) : 0;
	/* Without secrets the origins of the seeds are not needed. */
	for (size_t i = 0; rc == 0 && (o->fields.len > 0 || o->has_cert) && i < settings->seeds.len;
		i++)
		rc = add_seed(o, settings->seeds.ptr[i], arena);
	for (size_t i = 0; rc == 0 && i < settings->headers.len; i++)
		rc = add_line(o, NULL, settings->headers.ptr[i]);
	if (rc)
		return err_set(err, ERR_USAGE, "--auth or --header: %s", err_name(rc));
	return secrets && secrets->cookies ? load_cookies(o, secrets->cookies, now, err) : 0;
}

void request_headers_release(struct request_headers *o)
{
	text_list_release(&o->origins);
	request_header_vec_release(&o->fields);
	net_header_vec_release(&o->scratch);
	jar_release(&o->jar);
	buf_release(&o->cookie);
}

static int add_fields(struct request_headers *o, const struct url *url, struct net_request *request)
{
	BUF_SCOPED(origin, TEXT_MAX + 32);

	TRY(crawl_secrets_add_origin(&origin, url));
	request->shows_cert = o->has_cert && is_seeds(o, buf_str(&origin));
	for (size_t i = 0; i < o->fields.len; i++)
		if (is_for(o, &o->fields.ptr[i], buf_str(&origin)))
			net_header_vec_push(&o->scratch, o->fields.ptr[i].field);
	return 0;
}

bool request_headers_has_cookies(const struct request_headers *o)
{
	return o->has_cookies && o->jar.cookies.len > 0;
}

bool request_headers_has_cookies_for(struct request_headers *o, const struct url *url, int64_t now)
{
	buf_reset(&o->cookie);
	return request_headers_has_cookies(o) && jar_cookies(&o->jar, url, now, &o->cookie) == 0 &&
	       o->cookie.len > 0;
}

int request_headers_apply(struct request_headers *o, const struct request_look *look,
	struct net_request *request, int64_t now, struct err *err)
{
	static const struct net_header BROWSER[] = {
		{SLICE_INIT("User-Agent"), SLICE_INIT(CLOAKING_AGENT)},
		{SLICE_INIT("Referer"), SLICE_INIT(CLOAKING_REFERER)},
	};
	bool has_cookies = request_headers_has_cookies(o) && !look->fresh_jar;
	size_t kept = 0;
	URL_SCOPED(url);

	o->scratch.len = 0;
	/* Usually there is nothing to add, and no URL need be parsed. */
	if (o->fields.len == 0 && !o->has_cert && !has_cookies && !look->as_browser &&
		!look->etag && !look->modified)
		return 0;
	TRY(err_code(err, url_parse(&url, request->url, NULL, NULL)));
	TRY(err_code(err, add_fields(o, &url, request)));
	if (look->as_browser) { /* in place of what is there under these names */
		for (size_t i = 0; i < o->scratch.len; i++)
			if (!word_is(o->scratch.ptr[i].name, BROWSER[0].name) &&
				!word_is(o->scratch.ptr[i].name, BROWSER[1].name))
				o->scratch.ptr[kept++] = o->scratch.ptr[i];
		o->scratch.len = kept;
		net_header_vec_push(&o->scratch, BROWSER[0]);
		net_header_vec_push(&o->scratch, BROWSER[1]);
	}
	buf_reset(&o->cookie);
	if (has_cookies)
		TRY(err_code(err, jar_cookies(&o->jar, &url, now, &o->cookie)));
	if (o->cookie.len > 0)
		net_header_vec_push(
			&o->scratch, (struct net_header){SLICE("Cookie"), buf_slice(&o->cookie)});
	if (look->etag)
		net_header_vec_push(&o->scratch,
			(struct net_header){SLICE("If-None-Match"), slice_str(look->etag)});
	if (look->modified)
		net_header_vec_push(&o->scratch,
			(struct net_header){SLICE("If-Modified-Since"), slice_str(look->modified)});
	request->headers = o->scratch.ptr;
	request->header_count = o->scratch.len;
	return 0;
}

void request_headers_keep_cookies(struct request_headers *o, const struct net_fetch *f, int64_t now)
{
	URL_SCOPED(url);

	if (o->has_cookies && jar_is_set_in(f->head) && url_parse(&url, f->url, NULL, NULL) == 0 &&
		jar_take(&o->jar, &url, f->head, now) != 0)
		log_debug("crawl", "%.*s: its cookies cannot be kept", (int)f->url.len, f->url.ptr);
}
