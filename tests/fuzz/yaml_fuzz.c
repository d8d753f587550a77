/*
 * YAML: any bytes are read or refused in one line with the file's name. What is read keeps the
 * invariants of formats/yaml.h, and its mappings are read against a table of keys.
 */
#include <stdint.h>
#include <stdlib.h>

#include "formats/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *leaks_of_others(void) __asm__("__lsan_default_suppressions");

/* libfyaml 0.7.12 loses up to 2 KiB of its own where a quoted scalar and flow brackets break off.
 */
const char *leaks_of_others(void)
{
	return "leak:libfyaml";
}

struct site {
	const char *url;
	double delay;
	int64_t jobs;
	struct text_list include;
	struct option_rate requests, bytes;
	const struct yaml_node *weights, *sites;
};

#define KEY(kind_, member)                                                                       \
	{                                                                                        \
		.name = #member, .kind = OPTION_##kind_, .offset = offsetof(struct site, member) \
	}

static const struct option_spec SPECS[] = {
	KEY(STRING, url),
	KEY(DURATION, delay),
	KEY(INT, jobs),
	KEY(LIST, include),
	KEY(COUNT_RATE, requests),
	KEY(SIZE_RATE, bytes),
	{.name = NULL},
};

static const struct config_part PARTS[] = {
	{"weights", YAML_MAP, offsetof(struct site, weights)},
	{"sites", YAML_LIST, offsetof(struct site, sites)},
	{.name = NULL},
};

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void require_line(const struct err *err)
{
	require(slice_starts_with(slice_str(err->text), SLICE("f:")));
	require(!strchr(err->text, '\n'));
}

static void read_map(const struct yaml *y, const struct yaml_node *map)
{
	static const struct config_table table = {.specs = SPECS, .parts = PARTS};
	static const struct options options = {.specs = SPECS};
	struct site site = {0};
	struct err err = {0};
	int rc = config_read(y, map, &table, &site, &err);

	require(rc == 0 || rc == ERR_USAGE);
	if (rc)
		require_line(&err);
	options_release(&options, &site);
}

/* Counts the nodes and reads the mappings; returns how many nodes there are. */
static size_t walk(const struct yaml *y, const struct yaml_node *n, unsigned depth)
{
	size_t count = 1;

	require(depth <= YAML_DEPTH_MAX && n->line > 0 && n->column > 0);
	if (n->kind == YAML_SCALAR)
		require(strlen(n->text.ptr) == n->text.len && !n->entries);
	else if (n->kind == YAML_MAP)
		read_map(y, n);
	for (const struct yaml_entry *e = n->entries; e; e = e->next) {
		require((e->key != NULL) == (n->kind == YAML_MAP));
		if (e->key)
			count += walk(y, e->key, depth + 1);
		count += walk(y, e->value, depth + 1);
	}
	require(count == n->weight);
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = {0};
	struct yaml y;
	int rc = yaml_parse(&y, "f", (slice){(const char *)data, size}, &err);

	require(rc == 0 || rc == ERR_USAGE);
	if (rc == 0)
		require(walk(&y, y.root, 0) <= YAML_NODES_MAX);
	else
		require_line(&err);
	yaml_release(&y);
	return 0;
}
