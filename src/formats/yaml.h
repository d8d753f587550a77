/*
 * YAML documents as trees. libfyaml reads the bytes and hands out events; the tree is ours, so that
 * its size has limits whatever the file holds.
 *
 * Invariants of a tree:
 *  (1) No mapping has a key twice, and all keys are scalars.
 *  (2) Aliases share the node of their anchor. They are counted as copies: a walk through the tree
 *      meets at most YAML_NODES_MAX nodes, however often aliases repeat them.
 *  (3) Lists and mappings are at most YAML_DEPTH_MAX deep, on the way through aliases, too; none
 *      contains itself.
 *  (4) No scalar contains a NUL.
 *
 * The parser gets at most YAML_AHEAD_MAX bytes from one event to the next, so time and memory are
 * bounded whatever they are. Tags, merge keys and a second document are refused.
 */
#ifndef FORMATS_YAML_H
#define FORMATS_YAML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/err.h"
#include "base/slice.h"

enum {
	YAML_BYTES_MAX = 8 << 20,
	YAML_NODES_MAX = 500000,
	YAML_DEPTH_MAX = 32,
	YAML_AHEAD_MAX = 256 << 10, /* bytes of a scalar, of comments, or of what might be a key */
	YAML_DIRECTIVES_MAX = 16,   /* lines that begin with % */
	YAML_DIRECTIVE_MAX = 1000,  /* bytes of one */
};

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml_entry;

struct yaml_node {
	enum yaml_kind kind;
	uint32_t line, column;            /* from 1 */
	uint32_t weight;                  /* nodes of this tree, aliases counted as copies */
	uint16_t height;                  /* levels of lists and mappings; 0 for a scalar */
	bool quoted;                      /* a scalar in quotes, or a block: never null */
	slice text;                       /* of a scalar; a NUL stands behind it */
	const struct yaml_entry *entries; /* of a list or mapping, in their order; NULL if empty */
};

struct yaml_entry {
	const struct yaml_node *key; /* NULL in a list */
	const struct yaml_node *value;
	const struct yaml_entry *next;
};

/* Owns all nodes. */
struct yaml {
	char *name;                   /* of the file, for messages */
	const struct yaml_node *root; /* never NULL once read */
	struct arena arena;
};

/*
 * Reads a document: 0, or ERR_USAGE with "FILE:LINE:COLUMN: what is wrong". The second
 * one reads a file ("-" is standard input), and fails with ERR_USAGE and "FILE: why" if it cannot.
 * Release in any case.
 */
int yaml_parse(struct yaml *y, const char *name, slice text, struct err *err) SP_MUST_CHECK;
int yaml_read(struct yaml *y, const char *path, struct err *err) SP_MUST_CHECK;

/* Safe on a zeroed struct. */
void yaml_release(struct yaml *y);

/* The value of a key, or NULL when there is none or the node is no mapping. */
const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key);

/* Whether the value was left out, or is ~ or null. */
bool yaml_is_null(const struct yaml_node *node);

/* Sets ERR_USAGE with "FILE:LINE:COLUMN: " before the text, and returns it. */
int yaml_refuse(const struct yaml *y, const struct yaml_node *at, struct err *err, const char *fmt,
	...) SP_PRINTF(4, 5);

/* Puts "FILE:LINE:COLUMN: " before the text of an ERR_USAGE and returns rc. */
int yaml_locate(const struct yaml *y, const struct yaml_node *at, int rc, struct err *err);

/* Scalars as YAML that yaml_parse reads as the same text; of what is no UTF-8 as U+FFFD. */

/* Writes the text, in quotes unless it is a plain word or number. Errors stay in the FILE. */
void yaml_write_text(FILE *file, slice text);

#endif
