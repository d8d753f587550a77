#include "crawl/seeds.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "archive/records.h"
#include "archive/text_input.h"
#include "base/hash.h"
#include "base/word.h"
#include "formats/url.h"
#include "net/address.h"

/* ---- sites ---- */

void sites_init(struct sites *s, const struct crawl_settings *common, struct arena *arena)
{
	*s = (struct sites){.common = common, .arena = arena};
	strmap_init(&s->numbers, hash_key_random(), arena);
	buf_init(&s->key, URL_MAX);
}

void sites_release(struct sites *s)
{
	for (size_t i = 0; i < s->list.len; i++)
		text_list_release(&s->list.ptr[i].seeds);
	site_vec_release(&s->list);
	strmap_release(&s->numbers);
	buf_release(&s->key);
}

void sites_begin(struct sites *s, const struct crawl_settings *common)
{
	s->common = common;
	strmap_reset(&s->numbers);
}

/* The key of a site, the same for all its seeds. A host without a registrable domain is a site. */
static int write_key(struct sites *s, const struct url *seed)
{
	slice host = url_part(seed, seed->host);
	slice domain = {0};

	if (s->common->scope == SCOPE_DOMAIN && seed->host_kind == URL_HOST_DOMAIN)
		domain = url_registrable_domain(host);
	buf_reset(&s->key);
	if (domain.len > 0)
		return buf_add(&s->key, domain);
	if (url_effective_port(seed) == url_default_port(seed->scheme_id))
		return buf_add(&s->key, host);
	return buf_printf(
		&s->key, "%.*s:%d", (int)host.len, host.ptr, (int)url_effective_port(seed));
}

static int find_site(struct sites *s, const struct url *seed, uint32_t *ret)
{
	struct crawl_settings site = *s->common;

	TRY(write_key(s, seed));
	if (strmap_get(&s->numbers, buf_slice(&s->key), ret))
		return 0;
	site.seeds = (struct text_list){0};
	site_vec_reserve(&s->list, 1);
	TRY(strmap_put(&s->numbers, buf_slice(&s->key), (uint32_t)s->list.len));
	*ret = (uint32_t)s->list.len;
	s->list.ptr[s->list.len++] = site;
	return 0;
}

int sites_add(struct sites *s, const struct url *seed)
{
	uint32_t number;

	TRY(find_site(s, seed, &number));
	return text_list_push(&s->list.ptr[number].seeds, arena_keep(s->arena, url_page(seed)).ptr);
}

/* ---- seeds ---- */

/* why is NULL where the text is a URL, but of another scheme. */
static int refuse(const char *text, const struct err *why, struct err *err)
{
	char meant[512];

	if (url_repair(text, meant, sizeof meant))
		return err_set(err, ERR_USAGE, "'%.200s' is not a URL; did you mean %.300s ?", text,
			meant);
	if (!why)
		return err_set(err, ERR_USAGE,
			"'%.200s' is not an http or https URL; only these can be captured", text);
	return err_set(err, ERR_USAGE, "'%.200s' is not a URL: %s (example: https://example.org/)",
		text, why->text);
}

/* Names no more than host and port: there may be a password before them. */
static int refuse_port(const struct url *url, struct err *err)
{
	slice name = slice_sub(url_text(url), url->host.at, url->authority_end);
	char why[100];

	port_explain((unsigned)url_effective_port(url), why, sizeof why);
	return err_set(err, ERR_USAGE, "%.*s: %s", (int)name.len, name.ptr, why);
}

/* A seed with user and password in it: they go apart, and not into the archive. */
static int add_login(const struct seeds *s, const struct url *url, struct err *err)
{
	const char *login = arena_keep(s->sites->arena, url_page(url)).ptr;
	size_t at = url->scheme.len + strlen("://");
	BUF_SCOPED(bare, URL_MAX);
	URL_SCOPED(without);

	TRY(buf_add(&bare, slice_sub(url_text(url), 0, at)));
	TRY(buf_add(&bare, slice_sub(url_text(url), url->host.at, SIZE_MAX)));
	TRY(url_parse(&without, buf_slice(&bare), NULL, err));
	TRY(sites_add(s->sites, &without));
	return crawl_secrets_add_auth(s->secrets, login, err);
}

/* Parsed, so that a typo is found before anything begins. */
int seeds_add(const struct seeds *s, const char *text, struct err *err)
{
	struct err why = {0};
	URL_SCOPED(url);
	int rc = url_parse(&url, slice_str(text), NULL, &why);

	if (rc || !url_is_http(&url))
		rc = refuse(text, rc ? &why : NULL, err);
	else if (port_is_refused((unsigned)url_effective_port(&url)))
		rc = refuse_port(&url, err);
	else if (url.username.len > 0 || url.password.len > 0)
		rc = add_login(s, &url, err);
	else
		rc = sites_add(s->sites, &url);
	return err_code(err, rc);
}

static int on_line(void *context, const char *item, struct err *err)
{
	return seeds_add(context, item, err);
}

int seeds_read(const struct seeds *s, const char *path, struct err *err)
{
	struct seeds to = *s;
	size_t count;

	TRY(lines_read(path, LINES_LIST, on_line, &to, &count, err));
	if (s->sites->list.len == 0)
		TRY(err_set(err, ERR_USAGE,
			"%s has no URL in it; give a file with one URL per line",
			strcmp(path, "-") == 0 ? "standard input" : path));
	return 0;
}

/* What is for "the seeds' hosts" is meant for one site; of several, each is to have its own. */
static int check_secrets(const struct crawl_secrets *secrets, struct err *err)
{
	for (size_t i = 0; i < secrets->auth.len; i++)
		if (!crawl_secrets_has_host(secrets->auth.ptr[i]))
			return err_set(err, ERR_USAGE,
				"--auth USER:PASSWORD would be sent to several sites; name its "
				"host: https://USER:PASSWORD@HOST/");
	if (secrets->login || secrets->cert)
		return err_set(err, ERR_USAGE,
			"--%s is for one site; capture the sites one at a time",
			secrets->login ? "login" : "cert");
	if (secrets->headers.len > 0)
		return err_set(err, ERR_USAGE,
			"--header: a field that may hold a key would be sent to several sites; "
			"capture them one at a time");
	return 0;
}

int seeds_finish(const struct seeds *s, struct crawl_settings *common, struct err *err)
{
	struct site_vec *list = &s->sites->list;

	TRY(list->len == 1 ? 0 : check_secrets(s->secrets, err));
	TRY(crawl_secrets_mark(s->secrets, common, s->sites->arena, err));
	for (size_t i = 0; i < list->len; i++)
		list->ptr[i].withheld = common->withheld;
	return 0;
}

bool seeds_are_loopback(const struct seeds *s)
{
	const struct site_vec *list = &s->sites->list;
	bool are = true;
	URL_SCOPED(url);

	for (size_t i = 0; are && i < list->len; i++)
		for (size_t k = 0; are && k < list->ptr[i].seeds.len; k++)
			are = url_parse(&url, slice_str(list->ptr[i].seeds.ptr[k]), NULL, NULL) ==
				      0 &&
			      url_is_loopback(&url);
	return are;
}

/* HOST or HOST-PORT, as part of a file's name. */
static int name_by_host(const char *seed, char *out, size_t size, struct err *err)
{
	char port[16] = "";
	URL_SCOPED(url);
	int rc;
	rc = url_parse(&url, slice_str(seed), NULL, err);
	if (rc == 0) {
		slice host = url_part(&url, url.host);

		if (url.host_kind == URL_HOST_IPV6)
			host = slice_sub(host, 1, host.len - 1);
		if (url.port != URL_NO_PORT)
			(void)snprintf(port, sizeof port, "-%d", (int)url.port);
		(void)snprintf(out, size, "%.*s%s", (int)host.len, host.ptr, port);
		for (char *colon = out; (colon = strchr(colon, ':'));)
			*colon = '_';
	}
	return rc;
}

int seeds_archive_name(
	const struct seeds *s, const char *list, char *out, size_t size, struct err *err)
{
	char host[PATH_MAX];
	const char *name, *dot;
	int rc;

	if (!list || strcmp(list, "-") == 0) {
		rc = name_by_host(s->sites->list.ptr[0].seeds.ptr[0], host, sizeof host, err);
		(void)snprintf(out, size, "%s.stillpoint", rc ? "" : host);
		return rc;
	}
	name = strrchr(list, '/') ? strrchr(list, '/') + 1 : list;
	dot = strrchr(name, '.');
	(void)snprintf(out, size, "%.*s.stillpoint",
		(int)(dot && dot > name ? (size_t)(dot - name) : strlen(name)), name);
	return 0;
}

/* "stillpoint-example.org-8080": what a prefix may not contain becomes "_". */
static int write_prefix(const struct crawl_settings *site, char *out, size_t size, struct err *err)
{
	enum { OWN_MAX = 24, HOST_MAX = 30 }; /* together with a number a valid prefix */
	const char *own = site->warc_prefix ? site->warc_prefix : RECORDS_PREFIX;
	char host[PATH_MAX];

	TRY(name_by_host(site->seeds.ptr[0], host, sizeof host, err));
	(void)snprintf(out, size, "%.*s-%.*s", OWN_MAX, own, HOST_MAX, host);
	for (char *c = out; *c; c++)
		if (!word_is_alnum(*c) && *c != '.' && *c != '-')
			*c = '_';
	return 0;
}

int seeds_name_files(const struct seeds *s, struct err *err)
{
	struct site_vec *list = &s->sites->list;
	SCOPED(strmap_release) struct strmap taken;

	strmap_init(&taken, hash_key_random(), NULL);
	for (size_t i = 0; i < list->len; i++) {
		uint32_t number = (uint32_t)i;
		char prefix[CRAWL_PREFIX_MAX + 1];
		int rc = write_prefix(&list->ptr[i], prefix, sizeof prefix, err);
		size_t len = rc ? 0 : strlen(prefix);

		/* Keeps the prefix that a site shall have, with a number behind it if it is taken.
		 */
		if (rc)
			return rc;
		for (unsigned n = 2; strmap_get(&taken, slice_str(prefix), NULL); n++)
			(void)snprintf(prefix + len, sizeof prefix - len, "-%u", n);
		list->ptr[i].warc_prefix = arena_keep(s->sites->arena, slice_str(prefix)).ptr;
		TRY(err_code(err, strmap_put(&taken, slice_str(list->ptr[i].warc_prefix), number)));
	}
	return 0;
}
