#include "config/config.h"

#include <stdio.h>
#include <string.h>

#include "base/closest.h"

enum { SHOWN_KEY = 63 };

/* Values go where options go, and those cannot contain such characters, either. */
static bool has_control(slice text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f)
			return true;
	return false;
}

static int read_scalar(const struct yaml *y, const struct yaml_node *value,
	const struct option_spec *spec, void *out, struct err *err)
{
	if (value->kind != YAML_SCALAR)
		return yaml_refuse(y, value, err, "%s needs one value, not a %s", spec->name,
			value->kind == YAML_LIST ? "list" : "mapping");
	if (yaml_is_null(value))
		return yaml_refuse(y, value, err, "%s has no value", spec->name);
	if (has_control(value->text))
		return yaml_refuse(y, value, err, "%s must be one line, without control characters",
			spec->name);
	return yaml_locate(y, value, option_set(spec, out, value->text.ptr, "", err), err);
}

int config_value(const struct yaml *y, const struct yaml_node *value,
	const struct option_spec *spec, void *out, struct err *err)
{
	int rc = 0;

	if (spec->kind == OPTION_LIST)
		option_list_release(option_field(spec, out));
	if (spec->kind != OPTION_LIST || value->kind != YAML_LIST)
		return read_scalar(y, value, spec, out, err);
	for (const struct yaml_entry *e = value->entries; rc == 0 && e; e = e->next)
		rc = read_scalar(y, e->value, spec, out, err);
	return rc;
}

static bool is_excluded(const struct config_table *t, const char *name)
{
	for (const char *const *e = t->excluded; e && *e; e++)
		if (strcmp(*e, name) == 0)
			return true;
	return false;
}

static const struct option_spec *find_spec(const struct config_table *t, slice key)
{
	for (const struct option_spec *s = t->specs; s && s->name; s++)
		if (slice_eq(slice_str(s->name), key))
			return is_excluded(t, s->name) ? NULL : s;
	return NULL;
}

static const struct config_part *find_part(const struct config_table *t, slice key)
{
	for (const struct config_part *p = t->parts; p && p->name; p++)
		if (slice_eq(slice_str(p->name), key))
			return p;
	return NULL;
}

static int refuse_key(const struct yaml *y, const struct yaml_node *key,
	const struct config_table *t, struct err *err)
{
	char word[SHOWN_KEY + 1];
	struct closest c;
	const char *best;

	(void)snprintf(word, sizeof word, "%.*s", slice_shown(key->text, SHOWN_KEY), key->text.ptr);
	if (t->excluded_why && is_excluded(t, word))
		return yaml_refuse(y, key, err, "'%s' %s", word, t->excluded_why);
	closest_init(&c, word);
	for (const struct option_spec *s = t->specs; s && s->name; s++)
		if (!is_excluded(t, s->name))
			closest_offer(&c, s->name);
	for (const struct config_part *p = t->parts; p && p->name; p++)
		closest_offer(&c, p->name);
	best = closest_get(&c);
	if (best)
		return yaml_refuse(y, key, err, "unknown key '%s', did you mean '%s'?", word, best);
	return yaml_refuse(y, key, err, "unknown key '%s'", word);
}

static int read_part(const struct yaml *y, const struct yaml_node *value,
	const struct config_part *part, void *out, struct err *err)
{
	if (part->kind == YAML_MAP && value->kind != YAML_MAP)
		return yaml_refuse(
			y, value, err, "%s needs a mapping ('key: value' lines)", part->name);
	if (part->kind == YAML_LIST && value->kind != YAML_LIST)
		return yaml_refuse(y, value, err, "%s needs a list ('- value' lines)", part->name);
	*(const struct yaml_node **)((char *)out + part->offset) = value;
	return 0;
}

bool config_is_other(const struct config_table *t, slice key)
{
	if (find_spec(t, key) || find_part(t, key) || is_excluded(t, key.ptr))
		return false;
	for (const struct option_spec *s = t->others; s && s->name; s++)
		if (slice_eq(slice_str(s->name), key))
			return true;
	return false;
}

static int read_entry(const struct yaml *y, const struct yaml_entry *e,
	const struct config_table *t, void *out, struct err *err)
{
	const struct option_spec *spec = find_spec(t, e->key->text);
	const struct config_part *part = find_part(t, e->key->text);

	if (config_is_other(t, e->key->text))
		return 0;
	if (part)
		return read_part(y, e->value, part, out, err);
	return spec ? config_value(y, e->value, spec, out, err) : refuse_key(y, e->key, t, err);
}

int config_read(const struct yaml *y, const struct yaml_node *map, const struct config_table *t,
	void *out, struct err *err)
{
	int rc = 0;

	if (map->kind != YAML_MAP)
		return yaml_refuse(y, map, err, "a mapping ('key: value' lines) must be here");
	for (const struct yaml_entry *e = map->entries; rc == 0 && e; e = e->next)
		rc = read_entry(y, e, t, out, err);
	for (const char *const *name = t->required; rc == 0 && name && *name; name++)
		if (!yaml_get(map, *name))
			rc = yaml_refuse(y, map, err, "the key '%s' is missing", *name);
	return rc;
}
