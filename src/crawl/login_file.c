#include "crawl/login_file.h"

#include <string.h>

#include "base/buf.h"
#include "config/config.h"
#include "crawl/secrets.h"
#include "url/url.h"

struct keys {
	const char *url, *sentinel, *check;
	const struct yaml_node *fields, *allow;
};

enum { ORIGIN_MAX = 4096 };

static int check_url(const char *text, struct err *err)
{
	struct url url;
	bool is_good;

	url_init(&url);
	is_good = url_parse(&url, slice_str(text), NULL, NULL) == 0 && url_is_http(&url);
	url_release(&url);
	return is_good ? 0 : err_set(err, ERR_USAGE, "is not an http or https URL");
}

static int check_sentinel(const char *text, struct err *err)
{
	enum { SENTINEL_MAX = 1000 };

	return text[0] && strlen(text) <= SENTINEL_MAX
		       ? 0
		       : err_set(err, ERR_USAGE, "is empty, or longer than %d bytes", SENTINEL_MAX);
}

#define KEY(name_, ...)                                                                        \
	{                                                                                      \
		.name = #name_, .kind = OPTION_STRING, .offset = offsetof(struct keys, name_), \
		__VA_ARGS__                                                                    \
	}

static const struct option_spec SPECS[] = {
	KEY(url, .check = check_url),
	KEY(check, .check = check_url),
	KEY(sentinel, .check = check_sentinel),
	{.name = NULL},
};

static const struct config_part PARTS[] = {
	{"fields", YAML_MAP, offsetof(struct keys, fields)},
	{"allow", YAML_LIST, offsetof(struct keys, allow)},
	{.name = NULL},
};

static int read_fields(struct login_file *f, const struct yaml_node *map, struct err *err)
{
	static const struct option_spec field = {.name = "a field", .kind = OPTION_STRING};
	int rc = 0;

	if (!map->entries)
		return yaml_refuse(&f->yaml, map, err, "fields is empty");
	for (const struct yaml_entry *e = map->entries; rc == 0 && e; e = e->next) {
		const char *value = NULL;

		rc = config_value(&f->yaml, e->value, &field, (void *)&value, err);
		if (rc == 0)
			rc = err_code(
				err, login_fields_push(&f->fields,
					     (struct login_field){e->key->text, e->value->text}));
	}
	return rc;
}

/* ---- where a password may go ---- */

/* "https://host:443" of a URL, as a string of the document; ERR_SYNTAX for what is none. */
static int keep_origin(struct login_file *f, const char *text)
{
	struct buf origin;
	struct url url;
	slice kept;
	int rc;

	url_init(&url);
	buf_init(&origin, ORIGIN_MAX);
	rc = url_parse(&url, slice_str(text), NULL, NULL);
	if (rc == 0 && !url_is_http(&url))
		rc = ERR_SYNTAX;
	if (rc == 0)
		rc = crawl_secrets_add_origin(&origin, &url);
	kept = (slice){rc ? NULL : arena_strdup(&f->yaml.arena, buf_slice(&origin)), origin.len};
	if (rc == 0)
		rc = kept.ptr ? slice_vec_push(&f->allow, kept) : ERR_NOMEM;
	buf_release(&origin);
	url_release(&url);
	return rc;
}

static int read_allow(struct login_file *f, const struct yaml_node *list, struct err *err)
{
	static const struct option_spec item = {.name = "allow", .kind = OPTION_STRING};
	bool is_encrypted = slice_starts_with(f->allow.ptr[0], SLICE("https:"));
	int rc = 0;

	for (const struct yaml_entry *e = list ? list->entries : NULL; rc == 0 && e; e = e->next) {
		const char *value = NULL;

		rc = config_value(&f->yaml, e->value, &item, (void *)&value, err);
		if (rc == 0 && (rc = keep_origin(f, value)) == ERR_SYNTAX)
			rc = yaml_refuse(&f->yaml, e->value, err,
				"allow is not a list of http or https URLs");
		else if (rc == 0 && is_encrypted &&
			 !slice_starts_with(f->allow.ptr[f->allow.len - 1], SLICE("https:")))
			rc = yaml_refuse(&f->yaml, e->value, err,
				"allow names a URL that is not encrypted, but url is");
	}
	return err_code(err, rc);
}

bool login_file_allows(const struct login_file *f, const struct url *target)
{
	slice own = f->allow.ptr[0], host = url_part(target, target->host);
	struct buf origin;
	bool allowed = false;

	buf_init(&origin, ORIGIN_MAX);
	if (crawl_secrets_add_origin(&origin, target) == 0) {
		for (size_t i = 0; !allowed && i < f->allow.len; i++)
			allowed = slice_eq(f->allow.ptr[i], buf_slice(&origin));
		buf_reset(&origin);
	}
	/* A site that was named without encryption may have it. */
	if (!allowed && target->scheme_id == URL_HTTPS && url_effective_port(target) == 443 &&
		buf_printf(&origin, "http://%.*s:80", (int)host.len, host.ptr) == 0)
		allowed = slice_eq(own, buf_slice(&origin));
	buf_release(&origin);
	return allowed;
}

int login_file_read(struct login_file *f, const char *path, struct err *err)
{
	static const char *const REQUIRED[] = {"url", "fields", "sentinel", NULL};
	static const struct config_table table = {
		.specs = SPECS, .parts = PARTS, .required = REQUIRED};
	struct keys keys = {0};
	int rc = yaml_read(&f->yaml, path, err);

	if (rc == 0)
		rc = config_read(&f->yaml, f->yaml.root, &table, &keys, err);
	if (rc == 0)
		rc = read_fields(f, keys.fields, err);
	/* The origin of the login itself comes first. */
	if (rc == 0)
		rc = err_code(err, keep_origin(f, keys.url));
	if (rc == 0)
		rc = read_allow(f, keys.allow, err);
	f->url = keys.url;
	f->sentinel = keys.sentinel;
	f->check = keys.check;
	return rc;
}

void login_file_release(struct login_file *f)
{
	slice_vec_release(&f->allow);
	login_fields_release(&f->fields);
	yaml_release(&f->yaml);
}
