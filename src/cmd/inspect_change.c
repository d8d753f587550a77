/* stillpoint inspect change: whether two files are the same page, and what was taken as noise. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/file.h"
#include "base/json.h"
#include "base/json_read.h"
#include "cmd/cmd.h"
#include "cmd/inspect.h"
#include "cmd/noise.h"
#include "quality/change.h"

enum {
	LINE_MAX_BYTES = 64 << 10,
	BODY_MAX = 256 << 20,
	BLOCK = 64 << 10,
};

struct change_options {
	struct option_list without;
	const char *ignore;
	bool list;
};

static const struct option_spec SPECS[] = {
	{.name = "without-rule",
		.letter = 'w',
		.kind = OPTION_LIST,
		.offset = offsetof(struct change_options, without),
		.metavar = "NAME",
		.help = "switch this rule off; may be given several times (default: all rules are "
			"on)"},
	{.name = "ignore",
		.letter = 'i',
		.kind = OPTION_STRING,
		.offset = offsetof(struct change_options, ignore),
		.metavar = "FILE",
		.help = "rules of your own: what to ignore, see docs/judgement.md"},
	{.name = "list-rules",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct change_options, list),
		.help = "print the rules, an object with the keys name, summary and version for "
			"each, and exit"},
	{0},
};

static const struct options COMMAND = {
	.program = "stillpoint",
	.command = "inspect change",
	.usage = "FILE|- [--without-rule NAME]… [--ignore FILE]\n--list-rules",
	.description =
		"Reads lines {\"a\":PATH,\"b\":PATH,\"media_type\":\"text/html\"} and prints for "
		"each an object\n"
		"with the keys same (bytes, normalised, or null for changed), rules (name and "
		"count\n"
		"of those that were needed), masked_visible (share of the visible text that they\n"
		"masked) and differs (where, a and b of at most 20 differences). The files may be\n"
		"packed with gzip. Without media_type they are HTML. A member url says which page "
		"it\n"
		"is, for rules of --ignore that hold for some sites only.",
	.specs = SPECS,
	.max_args = 1,
};

struct pair {
	struct buf a, b;       /* paths */
	struct buf media_type; /* empty: HTML */
	struct buf url;        /* empty: not known */
};

struct inspector {
	struct json json;
	const struct rulebook *book;
	struct pair pair;
	struct buf body_a, body_b;
};

/* All of a file, unpacked when it is gzip. */
static int read_body(const char *path, struct buf *body, struct err *err)
{
	int fd = file_open_stream(path);
	gzFile file = fd < 0 ? NULL : gzdopen(fd, "rb");
	int n = 0, rc = 0, ended;

	buf_reset(body);
	if (!file)
		return err_set(err, ERR_IO, "%.300s: %s", path, strerror(errno));
	while (rc == 0) {
		rc = buf_reserve(body, BLOCK);
		if (rc)
			break;
		n = gzread(file, body->ptr + body->len, BLOCK);
		if (n <= 0)
			break;
		buf_truncate(body, body->len + (size_t)n);
	}
	ended = gzclose_r(file);
	if (rc == 0 && (n < 0 || ended != Z_OK))
		return err_set(err, ERR_IO, "%.300s: %s", path,
			ended == Z_ERRNO ? strerror(errno) : "the gzip data are damaged");
	return rc ? err_set(err, rc, "%.300s: %s", path, err_name(rc)) : 0;
}

static int set_path(struct buf *to, const struct json_member *m, struct err *err)
{
	buf_reset(to);
	if (m->kind != JSON_READ_STRING || m->text.len == 0 || memchr(m->text.ptr, 0, m->text.len))
		return err_set(err, ERR_SYNTAX, "the value of \"%.*s\" must be a text",
			slice_shown(m->key, 20), m->key.ptr);
	return err_code(err, buf_add(to, m->text));
}

/* Members that are not known are passed over. */
static int take_member(struct pair *p, const struct json_member *m, struct err *err)
{
	if (slice_eq(m->key, SLICE("a")))
		return set_path(&p->a, m, err);
	if (slice_eq(m->key, SLICE("b")))
		return set_path(&p->b, m, err);
	if (slice_eq(m->key, SLICE("media_type")))
		return set_path(&p->media_type, m, err);
	if (slice_eq(m->key, SLICE("url")))
		return set_path(&p->url, m, err);
	return 0;
}

static int read_pair(struct pair *p, slice line, struct err *err)
{
	struct json_reader reader;
	struct json_member member;
	int rc;

	buf_reset(&p->a);
	buf_reset(&p->b);
	buf_reset(&p->media_type);
	buf_reset(&p->url);
	json_reader_init(&reader, line, LINE_MAX_BYTES);
	while ((rc = json_reader_next(&reader, &member)) == 0)
		if ((rc = take_member(p, &member, err)))
			break;
	if (rc == ERR_END)
		rc = p->a.len && p->b.len
			     ? 0
			     : err_set(err, ERR_SYNTAX, "the paths \"a\" and \"b\" must be given");
	else if (err->code == 0)
		(void)err_set(err, rc, "column %zu: %s; a line is {\"a\":PATH,\"b\":PATH}",
			json_reader_column(&reader),
			rc == ERR_SYNTAX ? "no flat JSON object" : err_name(rc));
	json_reader_release(&reader);
	return rc;
}

static void print_change(struct json *j, const struct change *c)
{
	json_object_begin(j);
	json_put_string(j, "same", change_same_name(c->same));
	noise_put_rules(j, c);
	json_key(j, "differs");
	json_array_begin(j);
	for (size_t i = 0; i < c->differ_count; i++) {
		json_object_begin(j);
		json_text(j, "where", c->differs[i].where);
		json_text(j, "a", c->differs[i].a);
		json_text(j, "b", c->differs[i].b);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

static int inspect_line(struct inspector *in, slice line, struct err *err)
{
	struct change change;
	int rc = read_pair(&in->pair, line, err);

	if (rc == 0)
		rc = read_body(buf_str(&in->pair.a), &in->body_a, err);
	if (rc == 0)
		rc = read_body(buf_str(&in->pair.b), &in->body_b, err);
	if (rc)
		return rc;
	rc = change_compare(&(struct change_params){.a = buf_slice(&in->body_a),
				    .b = buf_slice(&in->body_b),
				    .media_type = buf_slice(&in->pair.media_type),
				    .terms = {.book = in->book, .url = buf_slice(&in->pair.url)}},
		&change);
	if (rc == 0)
		print_change(&in->json, &change);
	change_release(&change);
	return err_code(err, rc);
}

static int inspect_lines(struct inspector *in, FILE *file, struct err *err)
{
	struct buf line;
	size_t number = 0;
	int rc = 0;

	buf_init(&line, LINE_MAX_BYTES);
	while (rc == 0 && cmd_read_line(file, &line)) {
		number++;
		if (strspn(buf_str(&line), " \t") == line.len)
			continue;
		rc = inspect_line(in, buf_slice(&line), err);
		if (rc)
			err_prefix(err, "line %zu", number);
	}
	buf_release(&line);
	if (rc == 0 && ferror(file))
		rc = err_set(err, ERR_IO, "%s", strerror(errno));
	return rc;
}

static enum cmd_status list_rules(void)
{
	struct json j;

	json_init_file(&j, stdout, JSON_LINES);
	for (unsigned i = 0; i < NOISE_RULE_COUNT; i++) {
		json_object_begin(&j);
		json_put_string(&j, "name", noise_rule_name((enum noise_rule)i));
		json_put_string(&j, "summary", noise_rule_summary((enum noise_rule)i));
		json_put_uint(&j, "version", NOISE_VERSION);
		json_object_end(&j);
	}
	return cmd_finish(json_finish(&j));
}

static enum cmd_status run(const char *path, const struct rulebook *book)
{
	bool standard = strcmp(path, "-") == 0;
	FILE *file = standard ? stdin : file_stream(path, "rb");
	struct inspector in = {.book = book};
	struct err err = {0};
	int rc, written;

	buf_init(&in.pair.a, LINE_MAX_BYTES);
	buf_init(&in.pair.b, LINE_MAX_BYTES);
	buf_init(&in.pair.media_type, LINE_MAX_BYTES);
	buf_init(&in.pair.url, LINE_MAX_BYTES);
	buf_init(&in.body_a, BODY_MAX);
	buf_init(&in.body_b, BODY_MAX);
	json_init_file(&in.json, stdout, JSON_LINES);
	rc = file ? inspect_lines(&in, file, &err) : err_set(&err, ERR_IO, "%s", strerror(errno));
	written = json_finish(&in.json);
	if (file && !standard)
		(void)fclose(file);
	buf_release(&in.pair.a);
	buf_release(&in.pair.b);
	buf_release(&in.pair.media_type);
	buf_release(&in.pair.url);
	buf_release(&in.body_a);
	buf_release(&in.body_b);
	if (rc == 0)
		return cmd_finish(written);
	err_prefix(&err, "%s", standard ? "standard input" : path);
	return cmd_fail_input("inspect change", &err);
}

static enum cmd_status read_rules_and_run(const char *path, const struct change_options *o)
{
	struct rulebook book;
	struct err err = {0};
	enum cmd_status status = noise_read_book(&o->without, o->ignore, &book, &err)
					 ? cmd_fail("inspect change", &err)
					 : run(path, &book);

	rulebook_release(&book);
	return status;
}

int inspect_change(int argc, char **argv)
{
	struct change_options options = {0};
	struct option_args args;
	enum cmd_status status;

	if (!cmd_options(&COMMAND, argc, argv, &options, &args, &status))
		return status;
	if (options.list)
		status = list_rules();
	else if (args.count == 0)
		status = cmd_fail("inspect change",
			&(struct err){ERR_USAGE, "the FILE with pairs of paths is missing (try "
						 "'stillpoint inspect change --help')"});
	else
		status = read_rules_and_run(args.ptr[0], &options);
	options_release(&COMMAND, &options);
	return status;
}
