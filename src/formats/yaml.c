#include "formats/yaml.h"

#include <errno.h>
#include <libfyaml.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "base/word.h"

/* Letters, digits and a few marks that mean nothing in YAML, wherever they stand. */
static bool is_plain(slice text)
{
	static const slice NULLS[] = {SLICE_INIT("null"), SLICE_INIT("~")};

	for (size_t i = 0; i < sizeof NULLS / sizeof NULLS[0]; i++)
		if (word_is(text, NULLS[i]))
			return false;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		bool is_mark = c == '.' || c == '_' || c == '/' || (i > 0 && c == '-');
		/* "https://…": no blank follows */
		bool is_colon = c == ':' && i + 1 < text.len && text.ptr[i + 1] == '/';

		if (!word_is_alnum(c) && !is_mark && !is_colon)
			return false;
	}
	return text.len > 0;
}

void yaml_write_text(FILE *file, slice text)
{
	if (is_plain(text)) {
		(void)fwrite(text.ptr, 1, text.len, file);
		return;
	}
	(void)putc('"', file);
	while (text.len > 0) {
		unsigned char c = (unsigned char)text.ptr[0];
		bool is_sound;
		size_t len = utf8_length((const unsigned char *)text.ptr, text.len, &is_sound);

		if (!is_sound)
			(void)fputs(UTF8_REPLACEMENT, file);
		else if (c == '"' || c == '\\')
			(void)fprintf(file, "\\%c", c);
		else if (c < ' ' || c == 0x7f)
			(void)fprintf(file, "\\x%02x", c);
		else
			(void)fwrite(text.ptr, 1, len, file);
		text = slice_sub(text, len, text.len);
	}
	(void)putc('"', file);
}

enum {
	ARENA_MAX = 256 << 20, /* the largest tree takes about half of it */
	MESSAGE_SIZE = 320,    /* leaves room for the file's name */
	SHOWN_KEY = 80,        /* bytes of a key in a message */
	SHOWN_NAME = 150,      /* and of the file's name */
	PIECE = 4096,          /* bytes that the parser is given at once */
};

VEC_DECLARE(node_vec, const struct yaml_node *);

/* A document that is being read. */
struct reading {
	struct yaml *y;
	struct fy_parser *parser;
	struct fy_diag *diag;
	slice left;            /* what the parser was not given yet */
	size_t ahead;          /* bytes that it got since its last event */
	bool is_starved;       /* it wanted more than it may have */
	struct strmap anchors; /* to their numbers in anchored */
	struct node_vec anchored;
	struct yaml_node at; /* where the last event began */
	struct err *err;
};

/* ---- messages ---- */

int yaml_refuse(
	const struct yaml *y, const struct yaml_node *at, struct err *err, const char *fmt, ...)
{
	char text[MESSAGE_SIZE];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	for (char *c = text; *c; c++) /* a key in it could break the line */
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return err_set(
		err, ERR_USAGE, "%.*s:%u:%u: %s", SHOWN_NAME, y->name, at->line, at->column, text);
}

int yaml_locate(const struct yaml *y, const struct yaml_node *at, int rc, struct err *err)
{
	if (rc == ERR_USAGE)
		err_prefix(err, "%.*s:%u:%u", SHOWN_NAME, y->name, at->line, at->column);
	return rc;
}

/* What libfyaml found wrong: the first of its errors says it. */
static int refuse_syntax(struct reading *r)
{
	struct yaml_node at = {.line = 1, .column = 1};
	const struct fy_diag_error *first;
	const char *message = "not valid YAML";
	void *state = NULL;

	if (r->is_starved)
		return yaml_refuse(r->y, &r->at, r->err,
			"a value, a comment or what might be a key here is longer than %d KiB",
			YAML_AHEAD_MAX >> 10);
	first = fy_diag_errors_iterate(r->diag, &state);
	if (first && first->msg) {
		message = first->msg;
		at.line = first->line > 0 ? (uint32_t)first->line : 1;
		at.column = first->column > 0 ? (uint32_t)first->column : 1;
	}
	return yaml_refuse(r->y, &at, r->err, "%s", message);
}

/* ---- nodes ---- */

static void locate(const struct fy_mark *mark, struct yaml_node *node)
{
	node->line = mark && mark->line >= 0 ? (uint32_t)mark->line + 1 : 1;
	node->column = mark && mark->column >= 0 ? (uint32_t)mark->column + 1 : 1;
}

/* The mark of a quoted scalar and of an alias stands behind their first character. */
static void step_back(struct yaml_node *node)
{
	if (node->column > 1)
		node->column--;
}

static struct yaml_node *new_node(struct reading *r, struct fy_event *e, enum yaml_kind kind)
{
	struct yaml_node *node = ARENA_NEED(&r->y->arena, struct yaml_node);

	node->kind = kind;
	node->weight = 1;
	node->height = kind != YAML_SCALAR;
	locate(fy_event_start_mark(e), node);
	return node;
}

static int refuse_depth(struct reading *r, const struct yaml_node *at)
{
	return yaml_refuse(r->y, at, r->err, "lists and mappings are nested more than %d deep",
		YAML_DEPTH_MAX);
}

/* Keeps (2) and (3) when a node becomes part of another. */
static int add_size(struct reading *r, struct yaml_node *to, const struct yaml_node *of)
{
	if (of->weight > YAML_NODES_MAX - to->weight)
		return yaml_refuse(r->y, of, r->err,
			"the file has more than %d values, those that aliases repeat included",
			YAML_NODES_MAX);
	if (of->height >= YAML_DEPTH_MAX)
		return refuse_depth(r, of);
	to->weight += of->weight;
	if (to->height <= of->height)
		to->height = (uint16_t)(of->height + 1);
	return 0;
}

static slice token_text(struct fy_token *token)
{
	size_t len = 0;
	const char *text = token ? fy_token_get_text(token, &len) : NULL;

	return text ? (slice){text, len} : SLICE("");
}

static int add_anchor(struct reading *r, struct fy_token *token, const struct yaml_node *node)
{
	slice name = token_text(token);

	if (!token)
		return 0;
	node_vec_push(&r->anchored, node);
	if (!strmap_add(&r->anchors, name, (uint32_t)(r->anchored.len - 1)))
		return yaml_refuse(r->y, node, r->err, "the anchor &%.*s is there already",
			slice_shown(name, SHOWN_KEY), name.ptr);
	return 0;
}

static int refuse_tag(struct reading *r, struct fy_token *tag)
{
	struct yaml_node at = {0};

	if (!tag)
		return 0;
	locate(fy_token_start_mark(tag), &at);
	return yaml_refuse(r->y, &at, r->err, "tags (!…) are not read; leave it out");
}

static int read_scalar(struct reading *r, struct fy_event *e, const struct yaml_node **ret)
{
	slice text = token_text(e->scalar.value);
	struct yaml_node *node = new_node(r, e, YAML_SCALAR);
	enum fy_scalar_style style = fy_token_scalar_style(e->scalar.value);

	node->quoted = style != FYSS_PLAIN && style != FYSS_ANY;
	if (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED)
		step_back(node);
	node->text = arena_keep(&r->y->arena, text);
	if (memchr(node->text.ptr, '\0', text.len))
		return yaml_refuse(r->y, node, r->err, "a value must not contain a NUL character");
	TRY(refuse_tag(r, e->scalar.tag));
	*ret = node;
	return add_anchor(r, e->scalar.anchor, node);
}

static int read_alias(struct reading *r, struct fy_event *e, const struct yaml_node **ret)
{
	slice name = token_text(e->alias.anchor);
	struct yaml_node at = {0};
	uint32_t number;

	locate(fy_event_start_mark(e), &at);
	step_back(&at);
	if (!strmap_get(&r->anchors, name, &number))
		return yaml_refuse(r->y, &at, r->err,
			"the alias *%.*s has no anchor that ends before it",
			slice_shown(name, SHOWN_KEY), name.ptr);
	*ret = r->anchored.ptr[number];
	return 0;
}

static int read_value(
	struct reading *r, struct fy_event *e, unsigned depth, const struct yaml_node **ret);

static int next_event(struct reading *r, struct fy_event **ret)
{
	r->ahead = 0;
	*ret = fy_parser_parse(r->parser);
	if (!*ret || r->is_starved)
		return refuse_syntax(r);
	locate(fy_event_start_mark(*ret), &r->at);
	return 0;
}

/* Reads the next node; *ret is NULL at the end of the list or mapping that it could be in. */
static int read_next(struct reading *r, unsigned depth, const struct yaml_node **ret)
{
	struct fy_event *e;
	int rc = 0;

	*ret = NULL;
	TRY(next_event(r, &e));
	if (e->type != FYET_SEQUENCE_END && e->type != FYET_MAPPING_END)
		rc = read_value(r, e, depth, ret);
	fy_parser_event_free(r->parser, e);
	return rc;
}

static int add_entry(struct reading *r, struct yaml_node *to, struct yaml_entry **last,
	const struct yaml_node *key, const struct yaml_node *value)
{
	struct yaml_entry *entry = ARENA_NEED(&r->y->arena, struct yaml_entry);

	if (key)
		TRY(add_size(r, to, key));
	TRY(add_size(r, to, value));
	*entry = (struct yaml_entry){key, value, NULL};
	if (*last)
		(*last)->next = entry;
	else
		to->entries = entry;
	*last = entry;
	return 0;
}

static int fill_list(struct reading *r, struct yaml_node *list, unsigned depth)
{
	const struct yaml_node *value = NULL;
	struct yaml_entry *last = NULL;

	for (;;) {
		TRY(read_next(r, depth + 1, &value));
		if (!value)
			return 0;
		TRY(add_entry(r, list, &last, NULL, value));
	}
}

/* The keys of a mapping as they come, with the lines that they are in. */
static int check_key(struct reading *r, struct strmap *keys, const struct yaml_node *key)
{
	uint32_t line = 0;

	if (key->kind != YAML_SCALAR)
		return yaml_refuse(
			r->y, key, r->err, "a key must be a word, not a list or mapping");
	if (strmap_add(keys, key->text, key->line))
		return 0;
	(void)strmap_get(keys, key->text, &line);
	return yaml_refuse(r->y, key, r->err, "duplicate key '%.*s'; it is in line %u already",
		slice_shown(key->text, SHOWN_KEY), key->text.ptr, line);
}

/* A value that was left out has no place: its key has one. */
static int read_value_of(struct reading *r, const struct yaml_node *key, unsigned depth,
	const struct yaml_node **ret)
{
	struct yaml_node *empty;

	TRY(read_next(r, depth, ret));
	if (!*ret || (*ret)->kind != YAML_SCALAR || (*ret)->quoted || (*ret)->text.len)
		return 0;
	empty = ARENA_NEED(&r->y->arena, struct yaml_node);
	*empty = **ret;
	empty->line = key->line;
	empty->column = key->column;
	*ret = empty;
	return 0;
}

static int fill_map(struct reading *r, struct yaml_node *map, unsigned depth)
{
	const struct yaml_node *key = NULL, *value = NULL;
	struct yaml_entry *last = NULL;
	SCOPED(strmap_release) struct strmap keys;

	strmap_init(&keys, r->anchors.key, NULL);
	for (;;) {
		TRY(read_next(r, depth + 1, &key));
		if (!key)
			return 0;
		TRY(check_key(r, &keys, key));
		TRY(read_value_of(r, key, depth + 1, &value));
		TRY(value ? add_entry(r, map, &last, key, value) : refuse_syntax(r));
	}
}

static int read_container(
	struct reading *r, struct fy_event *e, unsigned depth, const struct yaml_node **ret)
{
	bool is_list = e->type == FYET_SEQUENCE_START;
	struct yaml_node *node = new_node(r, e, is_list ? YAML_LIST : YAML_MAP);

	if (depth >= YAML_DEPTH_MAX)
		return refuse_depth(r, node);
	TRY(refuse_tag(r, is_list ? e->sequence_start.tag : e->mapping_start.tag));
	TRY(is_list ? fill_list(r, node, depth) : fill_map(r, node, depth));
	*ret = node;
	return add_anchor(r, is_list ? e->sequence_start.anchor : e->mapping_start.anchor, node);
}

static int read_value(
	struct reading *r, struct fy_event *e, unsigned depth, const struct yaml_node **ret)
{
	switch (e->type) {
	case FYET_SCALAR:
		return read_scalar(r, e, ret);
	case FYET_ALIAS:
		return read_alias(r, e, ret);
	case FYET_SEQUENCE_START:
	case FYET_MAPPING_START:
		return read_container(r, e, depth, ret);
	default:
		return refuse_syntax(r);
	}
}

/* ---- the document ---- */

/* Takes the next event; another one than wanted is refused. */
static int expect(struct reading *r, enum fy_event_type type, const char *otherwise)
{
	struct yaml_node at = {0};
	struct fy_event *e;
	int rc = 0;

	TRY(next_event(r, &e));
	locate(fy_event_start_mark(e), &at);
	if (e->type != type)
		rc = yaml_refuse(r->y, &at, r->err, "%s", otherwise);
	fy_parser_event_free(r->parser, e);
	return rc;
}

static int read_document(struct reading *r)
{
	TRY(expect(r, FYET_STREAM_START, "not valid YAML"));
	TRY(expect(r, FYET_DOCUMENT_START, "the file is empty"));
	TRY(read_next(r, 0, &r->y->root));
	if (!r->y->root)
		return refuse_syntax(r);
	TRY(expect(r, FYET_DOCUMENT_END, "not valid YAML"));
	return expect(r, FYET_STREAM_END, "a second document begins here; only one is read");
}

/* libfyaml prints messages unless it is given a place for them. */
static void keep_silent(struct fy_diag *diag, void *user, const char *text, size_t len)
{
	(void)diag;
	(void)user;
	(void)text;
	(void)len;
}

/*
 * Gives the parser the text bit by bit, and no more than YAML_AHEAD_MAX bytes between two events:
 * where a key could be, it looks for its colon, and would take tokens of the whole file into memory
 * ("[[[[…", "&a &a …").
 */
static ssize_t give(void *user, void *to, size_t room)
{
	struct reading *r = user;
	size_t len = r->left.len < room ? r->left.len : room;

	if (len > PIECE)
		len = PIECE;
	if (len > YAML_AHEAD_MAX - r->ahead) {
		r->is_starved = true;
		return 0;
	}
	if (len)
		memcpy(to, r->left.ptr, len);
	r->left = slice_sub(r->left, len, r->left.len);
	r->ahead += len;
	return (ssize_t)len;
}

static void open_parser(struct reading *r, slice text)
{
	struct fy_diag_cfg diag;
	struct fy_parse_cfg config = {.flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG};

	fy_diag_cfg_default(&diag);
	diag.fp = NULL;
	diag.output_fn = keep_silent;
	r->diag = fy_diag_create(&diag);
	if (!r->diag)
		mem_end();
	fy_diag_set_collect_errors(r->diag, true);
	config.diag = r->diag;
	r->parser = fy_parser_create(&config);
	r->left = text;
	r->at = (struct yaml_node){.line = 1, .column = 1};
	if (!r->parser || fy_parser_set_input_callback(r->parser, r, give))
		mem_end();
}

/* A line that begins with % takes libfyaml a time that grows with the square of its length. */
static int check_directives(const struct yaml *y, slice text, struct err *err)
{
	unsigned count = 0;

	for (struct yaml_node at = {.line = 1, .column = 1}; text.len > 0; at.line++) {
		slice line = slice_take(&text, '\n');

		if (slice_starts_with(line, SLICE("%")) &&
			(line.len > YAML_DIRECTIVE_MAX || ++count > YAML_DIRECTIVES_MAX))
			return yaml_refuse(y, &at, err,
				"more than %d directives (%%…), or one of more than %d bytes",
				YAML_DIRECTIVES_MAX, YAML_DIRECTIVE_MAX);
	}
	return 0;
}

/* libfyaml reads other encodings, too, and lets broken UTF-8 pass. */
static int check_text(const struct yaml *y, slice text, struct err *err)
{
	size_t sound = utf8_valid_prefix(text);
	struct yaml_node at = {.line = 1, .column = 1};

	if (text.len > YAML_BYTES_MAX)
		return err_set(err, ERR_USAGE, "%.*s: larger than %d MiB", SHOWN_NAME, y->name,
			YAML_BYTES_MAX >> 20);
	for (size_t i = 0; i < sound && sound < text.len; i++) {
		bool is_end = text.ptr[i] == '\n';

		at.line += is_end;
		at.column = is_end ? 1 : at.column + ((text.ptr[i] & 0xc0) != 0x80);
	}
	return sound < text.len ? yaml_refuse(y, &at, err, "not UTF-8")
				: check_directives(y, text, err);
}

int yaml_parse(struct yaml *y, const char *name, slice text, struct err *err)
{
	struct reading r = {.y = y, .err = err};
	int rc;

	*y = (struct yaml){0};
	arena_init(&y->arena, ARENA_MAX);
	y->name = arena_str(&y->arena, slice_str(name));
	TRY(check_text(y, text, err));
	strmap_init(&r.anchors, hash_key_random(), &y->arena);
	open_parser(&r, text);
	rc = read_document(&r);
	fy_parser_destroy(r.parser);
	fy_diag_destroy(r.diag);
	node_vec_release(&r.anchored);
	strmap_release(&r.anchors);
	return rc;
}

static int read_all(FILE *file, const char *name, struct buf *out, struct err *err)
{
	char part[16384];
	size_t n;

	while ((n = fread(part, 1, sizeof part, file)) > 0)
		if (buf_add(out, (slice){part, n}))
			return err_set(err, ERR_USAGE, "%.*s: larger than %d MiB", SHOWN_NAME, name,
				YAML_BYTES_MAX >> 20);
	if (ferror(file))
		return err_set(err, ERR_USAGE, "%.*s: %s", SHOWN_NAME, name, strerror(errno));
	return 0;
}

int yaml_read(struct yaml *y, const char *path, struct err *err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	const char *name = is_stdin ? "standard input" : path;
	FILE *file = is_stdin ? stdin : file_stream(path, "rbe");
	struct buf text;
	int rc;

	*y = (struct yaml){0};
	if (!file)
		return err_set(err, ERR_USAGE, "%.*s: %s", SHOWN_NAME, path, strerror(errno));
	buf_init(&text, YAML_BYTES_MAX);
	rc = read_all(file, name, &text, err);
	if (rc == 0)
		rc = yaml_parse(y, name, buf_slice(&text), err);
	buf_release(&text);
	if (!is_stdin)
		(void)fclose(file);
	return rc;
}

void yaml_release(struct yaml *y)
{
	arena_release(&y->arena);
	y->root = NULL;
}

/* ---- looking at nodes ---- */

const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key)
{
	if (map->kind != YAML_MAP)
		return NULL;
	for (const struct yaml_entry *e = map->entries; e; e = e->next)
		if (slice_eq(e->key->text, slice_str(key)))
			return e->value;
	return NULL;
}

bool yaml_is_null(const struct yaml_node *node)
{
	return node->kind == YAML_SCALAR && !node->quoted &&
	       (node->text.len == 0 || slice_eq(node->text, SLICE("~")) ||
		       slice_eq(node->text, SLICE("null")));
}
