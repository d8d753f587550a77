/*
 * Passwords, keys and cookies of a capture, which must not be in its archive. The user gives them
 * again for each run. The settings only say which there were ("withheld": "auth", "header X-Key",
 * "cookies", "cert", "proxy http://host:3128"), so that resume can ask for them.
 */
#ifndef CRAWL_SECRETS_H
#define CRAWL_SECRETS_H

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "crawl/settings.h"
#include "formats/url.h"

/* Strings are borrowed. Zeroed: none. */
struct crawl_secrets {
	struct text_list auth;    /* "USER:PASSWORD" for the seeds' hosts, or a URL with both */
	struct text_list headers; /* "Name: value", for the seeds' hosts */
	const char *cookies;      /* a cookie file, or NULL */
	const char *proxy;        /* a URL with a password, or NULL */
	const char *cert, *key;   /* files: a client certificate, or NULL, and its key, or NULL */
	const struct login_file *login; /* how to log in by a form, or NULL */
};

void crawl_secrets_release(struct crawl_secrets *s);

/* The name of "Name: value". */
slice crawl_secrets_header_name(const char *line);

/* All return 0, ERR_NOMEM, or ERR_USAGE with a sentence that repeats no secret. */

/*
 * Adds a header field. Known harmless fields are sent to all servers and go into the settings; any
 * other may be a key.
 */
int crawl_secrets_add_header(struct crawl_secrets *s, struct crawl_settings *settings,
	const char *line, struct err *err) SP_MUST_CHECK;

int crawl_secrets_add_auth(
	struct crawl_secrets *s, const char *auth, struct err *err) SP_MUST_CHECK;

/* A proxy: into the settings, unless its URL has a password in it. */
int crawl_secrets_set_proxy(struct crawl_secrets *s, struct crawl_settings *settings,
	const char *proxy, struct err *err) SP_MUST_CHECK;

/* Whether a login names its host. */
bool crawl_secrets_has_host(const char *auth);

/* Appends "https://host:443", always with the port. As buf_add. */
int crawl_secrets_add_origin(struct buf *out, const struct url *url) SP_MUST_CHECK;

/* Adds their names to the settings. Strings go into the arena. */
int crawl_secrets_mark(const struct crawl_secrets *s, struct crawl_settings *settings,
	struct arena *arena, struct err *err) SP_MUST_CHECK;

/* Whether captures with these settings use secrets, or archive them. */
bool crawl_secrets_are_in(const struct crawl_settings *settings);

/* Checks that all secrets that the settings name were given. */
int crawl_secrets_check(const struct crawl_secrets *s, const struct crawl_settings *settings,
	struct arena *arena, struct err *err) SP_MUST_CHECK;

#endif
