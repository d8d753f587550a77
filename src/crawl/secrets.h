/*
 * What a capture may be given that must not be found in its archive: passwords, keys, cookies. Each
 * run is given them anew. The settings keep which they were, not what ("withheld": "auth", "header
 * X-Key", "cookies", "proxy http://host:3128"), so that resume can ask for them.
 */
#ifndef CRAWL_SECRETS_H
#define CRAWL_SECRETS_H

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "crawl/settings.h"

/* Strings are borrowed. Zeroed: none. */
struct crawl_secrets {
	struct text_list auth;    /* "USER:PASSWORD" for the seeds' hosts, or a URL with both */
	struct text_list headers; /* "Name: value", for the seeds' hosts */
	const char *cookies;      /* a cookie file, or NULL */
	const char *proxy;        /* a URL with a password, or NULL */
};

void crawl_secrets_release(struct crawl_secrets *s);

/* The name of "Name: value". */
slice crawl_secrets_header_name(const char *line);

/* All return 0, ERR_NOMEM, or ERR_USAGE with a sentence that repeats no secret. */

/*
 * A header field. Fields that are known to be harmless go to everybody and into the settings; any
 * other could be a key.
 */
int crawl_secrets_add_header(struct crawl_secrets *s, struct crawl_settings *settings,
	const char *line, struct err *err) SP_MUST_CHECK;

int crawl_secrets_add_auth(
	struct crawl_secrets *s, const char *auth, struct err *err) SP_MUST_CHECK;

/* A proxy: into the settings, unless its URL has a password in it. */
int crawl_secrets_set_proxy(struct crawl_secrets *s, struct crawl_settings *settings,
	const char *proxy, struct err *err) SP_MUST_CHECK;

/* Whether what crawl_secrets_add_auth took says whose it is. */
bool crawl_secrets_has_host(const char *auth);

/* Adds to the settings which they are. Strings go into the arena. */
int crawl_secrets_mark(const struct crawl_secrets *s, struct crawl_settings *settings,
	struct arena *arena, struct err *err) SP_MUST_CHECK;

/* Whether captures of these settings are given any, or archive what they send. */
bool crawl_secrets_are_in(const struct crawl_settings *settings);

/* Whether all are there that the settings name. */
int crawl_secrets_check(const struct crawl_secrets *s, const struct crawl_settings *settings,
	struct arena *arena, struct err *err) SP_MUST_CHECK;

#endif
