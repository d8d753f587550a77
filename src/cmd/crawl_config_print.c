/* The configuration that counts, as a file for --config. */
#include <string.h>

#include "cmd/crawl_config.h"
#include "config/yaml_write.h"

/* Options that may hold a password or a key. */
static const char *const SECRET[] = {"auth", "header", "proxy", NULL};

/* Options that say where a configuration comes from, and what is written another way. */
static const char *const LEFT_OUT[] = {"output", "config", "print-config", "seeds", NULL};

static bool is_in(const char *const *list, const char *name)
{
	for (; *list; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return false;
}

static const struct option_list *list_of(const struct option_spec *s, const struct crawl_command *o)
{
	return (const void *)((const char *)o + s->offset);
}

static bool is_set(const struct option_spec *s, const struct crawl_command *o)
{
	char number[OPTION_TEXT_SIZE];

	return s->kind == OPTION_LIST ? list_of(s, o)->len > 0
				      : option_text(s, o, number).ptr != NULL;
}

static bool is_equal(
	const struct option_spec *s, const struct crawl_command *a, const struct crawl_command *b)
{
	char text_a[OPTION_TEXT_SIZE], text_b[OPTION_TEXT_SIZE];
	const struct option_list *list_a = list_of(s, a), *list_b = list_of(s, b);

	if (is_set(s, a) != is_set(s, b))
		return false;
	if (s->kind != OPTION_LIST)
		return slice_eq(option_text(s, a, text_a), option_text(s, b, text_b));
	if (list_a->len != list_b->len)
		return false;
	for (size_t i = 0; i < list_a->len; i++)
		if (strcmp(list_a->ptr[i], list_b->ptr[i]) != 0)
			return false;
	return true;
}

static bool is_common(const struct crawl_config *c, const struct option_spec *s)
{
	for (size_t i = 1; i < c->entries.len; i++)
		if (!is_equal(s, &c->entries.ptr[0]->o, &c->entries.ptr[i]->o))
			return false;
	return true;
}

static void print_list(const struct option_list *list, FILE *out)
{
	(void)putc('[', out);
	for (size_t i = 0; i < list->len; i++) {
		(void)fputs(i ? ", " : "", out);
		yaml_write_text(out, slice_str(list->ptr[i]));
	}
	(void)putc(']', out);
}

static void print_value(
	const struct option_spec *s, const struct crawl_command *o, const char *indent, FILE *out)
{
	char number[OPTION_TEXT_SIZE];

	if (!is_set(s, o))
		return;
	if (is_in(SECRET, s->name)) {
		(void)fprintf(
			out, "%s# %s: not written here, since it may be secret\n", indent, s->name);
		return;
	}
	(void)fprintf(out, "%s%s: ", indent, s->name);
	if (s->kind == OPTION_LIST)
		print_list(list_of(s, o), out);
	else
		yaml_write_text(out, option_text(s, o, number));
	(void)putc('\n', out);
}

static void print_entry(const struct crawl_config *c, const struct crawl_entry *entry, FILE *out)
{
	const char *dash = "  - ";

	if (entry->urls.len > 0) {
		(void)fprintf(out, "%surl: ", dash);
		if (entry->urls.len == 1)
			yaml_write_text(out, slice_str(entry->urls.ptr[0]));
		else
			print_list(&entry->urls, out);
		(void)putc('\n', out);
		dash = "    ";
	}
	if (entry->o.seeds) {
		(void)fprintf(out, "%sseeds: ", dash);
		yaml_write_text(out, slice_str(entry->o.seeds));
		(void)putc('\n', out);
	}
	for (const struct option_spec *s = CRAWL_SPECS; s->name; s++)
		if (!is_in(CRAWL_WIDE, s->name) && !is_in(LEFT_OUT, s->name) && !is_common(c, s))
			print_value(s, &entry->o, "    ", out);
}

void crawl_config_print(const struct crawl_config *c, const char *archive, FILE *out)
{
	(void)fputs("archive: ", out);
	yaml_write_text(out, slice_str(archive));
	(void)putc('\n', out);
	for (const struct option_spec *s = CRAWL_SPECS; s->name; s++) {
		if (is_in(LEFT_OUT, s->name))
			continue;
		if (is_in(CRAWL_WIDE, s->name))
			print_value(s, &c->top.o, "", out);
		else if (is_common(c, s))
			print_value(s, &c->entries.ptr[0]->o, "", out);
	}
	(void)fputs("sites:\n", out);
	for (size_t i = 0; i < c->entries.len; i++)
		print_entry(c, c->entries.ptr[i], out);
}
