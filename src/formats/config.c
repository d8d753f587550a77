#include "formats/config.h"

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
		text_list_release(option_field(spec, out));
	if (spec->kind != OPTION_LIST || value->kind != YAML_LIST)
		return read_scalar(y, value, spec, out, err);
	for (const struct yaml_entry *e = value->entries; rc == 0 && e; e = e->next)
		rc = read_scalar(y, e->value, spec, out, err);
	return rc;
}

static const char *why_not(const struct config_table *t, const struct option_spec *s)
{
	return t->refuses ? t->refuses(s) : NULL;
}

static const struct option_spec *find_spec(const struct config_table *t, slice key)
{
	for (const struct option_spec *s = t->specs; s && s->name; s++) {
		const char *why = why_not(t, s);

		if (slice_eq(slice_str(s->name), key))
			return why && !why[0] ? NULL : s;
	}
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
	closest_init(&c, word);
	for (const struct option_spec *s = t->specs; s && s->name; s++)
		if (s->kind != OPTION_GONE && !why_not(t, s))
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

/* Says of a key that it is of no effect. */
static int note(const struct yaml *y, const struct yaml_node *key, const struct config_table *t,
	const char *why, struct err *err)
{
	struct err text = {0};
	const char *copy;

	if (!why[0] || !t->notes)
		return 0;
	(void)yaml_refuse(
		y, key, &text, "'%.*s' %s", slice_shown(key->text, SHOWN_KEY), key->text.ptr, why);
	copy = arena_strdup(t->notes->arena, slice_str(text.text));
	return err_code(err, copy ? text_list_push(&t->notes->list, copy) : ERR_NOMEM);
}

static int read_option(const struct yaml *y, const struct yaml_entry *e,
	const struct option_spec *spec, const struct config_table *t, void *out, struct err *err)
{
	const char *refused = why_not(t, spec), *ignored = t->ignores ? t->ignores(spec) : NULL;
	char gone[ERR_TEXT_MAX];
	int rc;

	if (refused)
		return yaml_refuse(y, e->key, err, "'%s' %s", spec->name, refused);
	if (spec->kind == OPTION_GONE) {
		(void)snprintf(gone, sizeof gone, "is gone, and has no effect: %s", spec->help);
		return note(y, e->key, t, gone, err);
	}
	rc = config_value(y, e->value, spec, out, err);
	if (rc == 0 && t->given)
		((bool *)((char *)out + t->given))[spec - t->specs] = true;
	return rc == 0 && ignored ? note(y, e->key, t, ignored, err) : rc;
}

static int read_entry(const struct yaml *y, const struct yaml_entry *e,
	const struct config_table *t, void *out, struct err *err)
{
	const struct option_spec *spec = find_spec(t, e->key->text);
	const struct config_part *part = find_part(t, e->key->text);

	if (part)
		return read_part(y, e->value, part, out, err);
	return spec ? read_option(y, e, spec, t, out, err) : refuse_key(y, e->key, t, err);
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
