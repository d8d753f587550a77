#include "cmd/seeds.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "crawl/contact.h"
#include "net/port.h"
#include "url/url.h"

enum { LINE_MAX_BYTES = 64 << 10 };

/* "http//host", "htps://host", "http:host", "//host": how much of the text is a scheme gone wrong.
 */
static size_t broken_scheme(const char *text)
{
	static const char *const BREAKS[] = {"://", ":/", "//", ":"};
	size_t letters = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
	bool is_likely =
		letters == 0 || (letters >= 3 && letters <= 6 && strncasecmp(text, "ht", 2) == 0);

	for (size_t i = 0; is_likely && i < sizeof BREAKS / sizeof BREAKS[0]; i++)
		if (strncmp(text + letters, BREAKS[i], strlen(BREAKS[i])) == 0)
			return letters + strlen(BREAKS[i]);
	return 0;
}

/*
 * What was perhaps meant: the text with a scheme before it, if that is a URL of a likely host. On
 * this machine that is rarely https. False when it is not.
 */
static bool add_scheme(const char *text, char *out, size_t size)
{
	const char *rest = text + broken_scheme(text);
	struct url url;
	bool is_likely;
	int n = snprintf(out, size, "https://%s", rest);

	if (n < 0 || (size_t)n >= size || strchr(text, '@'))
		return false;
	url_init(&url);
	is_likely =
		url_parse(&url, slice_str(out), NULL, NULL) == 0 &&
		(url.host_kind != URL_HOST_DOMAIN || url.port != URL_NO_PORT ||
			contact_is_loopback(&url) ||
			memchr(url_part(&url, url.host).ptr, '.', url_part(&url, url.host).len));
	if (is_likely) {
		bool is_plain = contact_is_loopback(&url) || strncasecmp(text, "http:", 5) == 0 ||
				strncasecmp(text, "http/", 5) == 0;
		slice found = url_text(&url);

		found = slice_sub(found, strlen("https"), found.len);
		(void)snprintf(out, size, "%s%.*s", is_plain ? "http" : "https", (int)found.len,
			found.ptr);
	}
	url_release(&url);
	return is_likely;
}

/* why is NULL where the text is a URL, but of another scheme. */
static int refuse(const char *text, const struct err *why, struct err *err)
{
	char meant[512];

	if ((!strstr(text, "://") || broken_scheme(text) > 0) &&
		add_scheme(text, meant, sizeof meant))
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
static int add_login(const struct seeds *to, const struct url *url, struct err *err)
{
	const char *login = arena_strdup(to->sites->arena, url_page(url));
	size_t at = url->scheme.len + strlen("://");
	char *bare = arena_strdup(to->sites->arena, url_text(url));
	struct url without;
	int rc = login && bare ? 0 : ERR_NOMEM;

	url_init(&without);
	if (rc == 0) {
		memmove(bare + at, bare + url->host.at, url->text.len - url->host.at + 1);
		rc = url_parse(&without, slice_str(bare), NULL, err);
	}
	if (rc == 0)
		rc = sites_add(to->sites, &without);
	url_release(&without);
	return rc ? rc : crawl_secrets_add_auth(to->secrets, login, err);
}

/* Parsed, so that a typo is found before anything begins. */
int seeds_add(const struct seeds *to, const char *text, struct err *err)
{
	struct err why = {0};
	struct url url;
	int rc;

	url_init(&url);
	rc = url_parse(&url, slice_str(text), NULL, &why);
	if (rc == ERR_NOMEM)
		;
	else if (rc || !url_is_http(&url))
		rc = refuse(text, rc ? &why : NULL, err);
	else if (port_is_refused((unsigned)url_effective_port(&url)))
		rc = refuse_port(&url, err);
	else if (url.username.len > 0 || url.password.len > 0)
		rc = add_login(to, &url, err);
	else
		rc = sites_add(to->sites, &url);
	url_release(&url);
	return err_code(err, rc);
}

/* ---- a file ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* What the line says, without blanks around it and without a remark; cut in place. */
static char *trim(char *line)
{
	size_t end = 0;

	while (is_blank(*line))
		line++;
	while (line[end] && !(line[end] == '#' && (end == 0 || is_blank(line[end - 1]))))
		end++;
	while (end > 0 && is_blank(line[end - 1]))
		end--;
	line[end] = '\0';
	return line;
}

/* A line that fits, or the file's last; false at its end. */
static bool read_line(FILE *file, char *line, bool *ret_fits)
{
	size_t len;

	if (!fgets(line, LINE_MAX_BYTES, file))
		return false;
	len = strlen(line);
	*ret_fits = len > 0 && (line[len - 1] == '\n' || feof(file));
	return true;
}

static int fail_to_read(const char *name, struct err *err)
{
	return err_set(err, ERR_USAGE, "--seeds %s: %s; give a file with one URL per line", name,
		strerror(errno));
}

static int read_lines(const struct seeds *to, FILE *file, const char *name, struct err *err)
{
	static const char BOM[] = "\xef\xbb\xbf";
	char line[LINE_MAX_BYTES];
	size_t number = 0;
	bool fits;
	int rc = 0;

	while (rc == 0 && read_line(file, line, &fits)) {
		bool has_bom = number++ == 0 && strncmp(line, BOM, strlen(BOM)) == 0;
		char *text = trim(line + (has_bom ? strlen(BOM) : 0));

		if (!fits)
			rc = err_set(err, ERR_USAGE,
				"the line is too long for a URL, or contains a NUL");
		else if (*text)
			rc = seeds_add(to, text, err);
		if (rc)
			err_prefix(err, "%s:%zu", name, number);
	}
	if (rc == 0 && ferror(file))
		rc = fail_to_read(name, err);
	return rc;
}

int seeds_read(const struct seeds *to, const char *path, struct err *err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	size_t before = to->sites->list.len;
	const char *name = is_stdin ? "standard input" : path;
	FILE *file = is_stdin ? stdin : fopen(path, "re");
	int rc;

	if (!file)
		return fail_to_read(path, err);
	rc = read_lines(to, file, name, err);
	if (!is_stdin)
		(void)fclose(file);
	if (rc == 0 && to->sites->list.len == 0 && before == 0)
		rc = err_set(err, ERR_USAGE,
			"%s has no URL in it; give a file with one URL per line", name);
	return rc;
}
