/*
 * Mappings of a YAML file read against tables of keys. The table of a command's options is one:
 * each option is a key of the same name, with the same values (base/options.h), so that command
 * line and file cannot differ. What is structured goes beside it, as parts.
 *
 *	struct watch_file {
 *		const char *archive;
 *		const struct yaml_node *budget, *sites;
 *	};
 *
 *	static const struct option_spec KEYS[] = {
 *		{.name = "archive", .kind = OPTION_STRING,
 *			.offset = offsetof(struct watch_file, archive)},
 *		{.name = NULL},
 *	};
 *	static const struct config_part PARTS[] = {
 *		{"budget", YAML_MAP, offsetof(struct watch_file, budget)},
 *		{"sites", YAML_LIST, offsetof(struct watch_file, sites)},
 *		{.name = NULL},
 *	};
 *	static const char *const REQUIRED[] = {"archive", "sites", NULL};
 *
 *	rc = yaml_read(&y, path, err);
 *	if (rc == 0)
 *		rc = config_read(&y, y.root,
 *			&(struct config_table){KEYS, PARTS, REQUIRED}, &file, err);
 *
 * Then the entries of file.sites, one mapping each, are read against a table of their own; and a
 * mapping whose keys are free (patterns and weights) with config_value, entry by entry. A value of
 * the wrong kind, a bad value, an unknown or a missing key is ERR_USAGE, "FILE:LINE:COLUMN: what".
 */
#ifndef FORMATS_CONFIG_H
#define FORMATS_CONFIG_H

#include "base/arena.h"
#include "base/options.h"
#include "formats/yaml.h"

/* A key with a list or mapping that the caller reads. The field is a const struct yaml_node *, and
 * stays as it is if the key is not there. */
struct config_part {
	const char *name;
	enum yaml_kind kind; /* YAML_SCALAR: any */
	size_t offset;
};

/* "FILE:LINE:COLUMN: what" of keys that have no effect; texts are in the arena. */
struct config_notes {
	struct text_list list;
	struct arena *arena;
};

/* All borrowed; all but specs may be NULL or 0. Tables end with NULL or an entry without name. */
struct config_table {
	const struct option_spec *specs;
	const struct config_part *parts;
	const char *const *required; /* keys that must be there */

	const char *(*refuses)(const struct option_spec *s); /* as of struct options */

	/* Why a key, which is read all the same, has no effect; "": it needs not be said. */
	const char *(*ignores)(const struct option_spec *s);
	struct config_notes *notes;
	size_t given; /* as of struct options */
};

/*
 * Reads a mapping into out, which the caller has filled with defaults. 0, ERR_USAGE, ERR_NOMEM;
 * out may be partly set then. Strings are the document's. A list may be a YAML list or one value;
 * its elements replace what the field holds, and are to be released with options_release. The
 * value of an option that is gone is not read, and noted.
 */
int config_read(const struct yaml *y, const struct yaml_node *map, const struct config_table *t,
	void *out, struct err *err) SP_MUST_CHECK;

/* Reads one value as the option's; the name of spec is what messages call it. */
int config_value(const struct yaml *y, const struct yaml_node *value,
	const struct option_spec *spec, void *out, struct err *err) SP_MUST_CHECK;

#endif
