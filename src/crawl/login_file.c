#include "crawl/login_file.h"

#include <string.h>

#include "config/config.h"
#include "url/url.h"

struct keys {
	const char *url, *sentinel, *check;
	const struct yaml_node *fields;
};

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
	f->url = keys.url;
	f->sentinel = keys.sentinel;
	f->check = keys.check;
	return rc;
}

void login_file_release(struct login_file *f)
{
	login_fields_release(&f->fields);
	yaml_release(&f->yaml);
}
