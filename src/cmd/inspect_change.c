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
#include "cmd/option_row.h"
#include "report/diff.h"
#include "warc/warc_date.h"

enum {
	LINE_MAX_BYTES = 64 << 10,
	BODY_MAX = 256 << 20,
	BLOCK = 64 << 10,
	DIFFERS_MAX = 20, /* places without an explanation that are shown */
};

struct change_options {
	struct text_list without;
	const char *ignore;
	const char *media_type, *url, *looks;
	bool list;
};

#define ROW_OF struct change_options

static const struct option_spec SPECS[] = {
	ROW(LIST, without, "without-rule", 'w',
		"switch this rule off; may be given several times (default: all rules are "
		"on)",
		.metavar = "NAME"),
	ROW(STRING, ignore, "ignore", 'i',
		"rules of your own: what to ignore, see docs/judgement.md", .metavar = "FILE"),
	ROW(STRING, media_type, "media-type", 'm',
		"of A and B, as Content-Type has it (default: text/html)", .metavar = "TYPE"),
	ROW(STRING, url, "url", 'u', "of the page (default: not known)", .metavar = "URL"),
	ROW(STRING, looks, "looks", 'l',
		"when A and B were downloaded, RFC 3339 (default: not known)", .metavar = "T1,T2"),
	ROW(FLAG, list, "list-rules", 0,
		"print the rules, an object with the keys name, summary and version for "
		"each, and exit"),
	{0},
};

static const struct options COMMAND = {
	.program = "stillpoint",
	.command = "inspect change",
	.usage = "FILE|- [--without-rule NAME]… [--ignore FILE]\nA B [--media-type T] [--url U] "
		 "[--looks T1,T2]\n--list-rules",
	.description = "Reads lines {\"a\":PATH,\"b\":PATH,\"media_type\":\"text/html\"}, or "
		       "compares the files A "
		       "and B,\n"
		       "and prints for each pair an object with the keys same (bytes, normalised, "
		       "or null for\n"
		       "changed), rules (name and count of those that explain what differs), "
		       "masked_visible\n"
		       "(share of the visible text in such places), changed_in, duties (resources "
		       "that must be\n"
		       "the same), limit (that was met, or null), differs (where, a and b of at "
		       "most 20 places\n"
		       "that nothing explains) and explained (the same with the rule). The files "
		       "may be packed\n"
		       "with gzip. Without media_type they are HTML. Members url and looks say "
		       "which page it is\n"
		       "and when the files were downloaded, \"T1,T2\".",
	.specs = SPECS,
	.max_args = 2,
};

struct two_files {
	struct buf a, b;       /* paths */
	struct buf media_type; /* empty: HTML */
	struct buf url;        /* empty: not known */
	struct buf looks;      /* the same: "T1,T2" */
};

struct inspector {
	struct json json;
	const struct rulebook *book;
	struct two_files pair;
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
static int take_member(struct two_files *p, const struct json_member *m, struct err *err)
{
	if (slice_eq(m->key, SLICE("a")))
		return set_path(&p->a, m, err);
	if (slice_eq(m->key, SLICE("b")))
		return set_path(&p->b, m, err);
	if (slice_eq(m->key, SLICE("media_type")))
		return set_path(&p->media_type, m, err);
	if (slice_eq(m->key, SLICE("url")))
		return set_path(&p->url, m, err);
	if (slice_eq(m->key, SLICE("looks")))
		return set_path(&p->looks, m, err);
	return 0;
}

static int read_pair(struct two_files *p, slice line, struct err *err)
{
	struct json_reader reader;
	struct json_member member;
	int rc;

	buf_reset(&p->a);
	buf_reset(&p->b);
	buf_reset(&p->media_type);
	buf_reset(&p->url);
	buf_reset(&p->looks);
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

static void print_places(struct json *j, const struct proof *p, bool explained)
{
	size_t count = 0;

	json_array_begin(j);
	for (size_t i = 0; i < p->places.len; i++) {
		const struct proof_place *place = &p->places.ptr[i];

		if ((place->rule.ptr != NULL) != explained || (!explained && ++count > DIFFERS_MAX))
			continue;
		json_object_begin(j);
		json_text(j, "where", place->where);
		if (explained)
			json_text(j, "rule", place->rule);
		json_text(j, "a", place->a);
		json_text(j, "b", place->b);
		json_object_end(j);
	}
	json_array_end(j);
}

static void print_proof(struct json *j, const struct proof *p)
{
	json_object_begin(j);
	json_put_string(j, "same", proof_same_name(p->same));
	diff_json_proof(j, p);
	json_key(j, "differs");
	print_places(j, p, false);
	json_key(j, "explained");
	print_places(j, p, true);
	json_object_end(j);
}

/* "T1,T2"; an empty text says nothing. */
static int read_looks(slice text, int64_t *a, int64_t *b, struct err *err)
{
	slice first = slice_take(&text, ',');

	*a = *b = 0;
	if (first.len == 0 && text.len == 0)
		return 0;
	if (warc_date_parse(first, a) == 0 && warc_date_parse(text, b) == 0)
		return 0;
	return err_set(err, ERR_SYNTAX,
		"looks: two times are needed, such as 2026-05-12T13:04:05Z,2026-05-12T13:09:31Z");
}

static int inspect_pair(struct inspector *in, struct err *err)
{
	struct two_files *p = &in->pair;
	struct proof proof = {0};
	int64_t time_a, time_b;
	int rc = read_looks(buf_slice(&p->looks), &time_a, &time_b, err);

	if (rc == 0)
		rc = read_body(buf_str(&p->a), &in->body_a, err);
	if (rc == 0)
		rc = read_body(buf_str(&p->b), &in->body_b, err);
	if (rc)
		return rc;
	rc = proof_compare(&(struct proof_params){.a = {buf_slice(&in->body_a),
							  buf_slice(&p->media_type), time_a},
				   .b = {buf_slice(&in->body_b), buf_slice(&p->media_type), time_b},
				   .url = buf_slice(&p->url),
				   .off = in->book->off,
				   .ignore = in->book->has_ignore ? &in->book->ignore : NULL,
				   .all = true},
		&proof);
	if (rc == 0)
		print_proof(&in->json, &proof);
	proof_release(&proof);
	return err_code(err, rc);
}

static int inspect_line(struct inspector *in, slice line, struct err *err)
{
	int rc = read_pair(&in->pair, line, err);

	return rc ? rc : inspect_pair(in, err);
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
	for (unsigned i = 0; i < RULE_COUNT; i++) {
		json_object_begin(&j);
		json_put_string(&j, "name", proof_rule_name((enum proof_rule_id)i));
		json_put_string(&j, "summary", proof_rule_summary((enum proof_rule_id)i));
		json_put_uint(&j, "version", NOISE_RULES_VERSION);
		json_object_end(&j);
	}
	return cmd_finish(json_finish(&j));
}

static void inspector_init(struct inspector *in, const struct rulebook *book)
{
	*in = (struct inspector){.book = book};
	buf_init(&in->pair.a, LINE_MAX_BYTES);
	buf_init(&in->pair.b, LINE_MAX_BYTES);
	buf_init(&in->pair.media_type, LINE_MAX_BYTES);
	buf_init(&in->pair.url, LINE_MAX_BYTES);
	buf_init(&in->pair.looks, LINE_MAX_BYTES);
	buf_init(&in->body_a, BODY_MAX);
	buf_init(&in->body_b, BODY_MAX);
	json_init_file(&in->json, stdout, JSON_LINES);
}

/* Returns what writing came to. */
static int inspector_finish(struct inspector *in)
{
	buf_release(&in->pair.a);
	buf_release(&in->pair.b);
	buf_release(&in->pair.media_type);
	buf_release(&in->pair.url);
	buf_release(&in->pair.looks);
	buf_release(&in->body_a);
	buf_release(&in->body_b);
	return json_finish(&in->json);
}

static enum cmd_status run(const char *path, const struct rulebook *book)
{
	bool standard = strcmp(path, "-") == 0;
	FILE *file = standard ? stdin : file_stream(path, "rb");
	struct inspector in;
	struct err err = {0};
	int rc, written;

	inspector_init(&in, book);
	rc = file ? inspect_lines(&in, file, &err) : err_set(&err, ERR_IO, "%s", strerror(errno));
	written = inspector_finish(&in);
	if (file && !standard)
		(void)fclose(file);
	if (rc == 0)
		return cmd_finish(written);
	err_prefix(&err, "%s", standard ? "standard input" : path);
	return cmd_fail_input("inspect change", &err);
}

static int set_text(struct buf *to, const char *text)
{
	return text ? buf_add_str(to, text) : 0;
}

/* Two files of the command line. */
static enum cmd_status run_pair(
	const struct option_args *args, const struct change_options *o, const struct rulebook *book)
{
	struct inspector in;
	struct err err = {0};
	int rc, written;

	inspector_init(&in, book);
	rc = set_text(&in.pair.a, args->ptr[0]);
	if (rc == 0)
		rc = set_text(&in.pair.b, args->ptr[1]);
	if (rc == 0)
		rc = set_text(&in.pair.media_type, o->media_type);
	if (rc == 0)
		rc = set_text(&in.pair.url, o->url);
	if (rc == 0)
		rc = set_text(&in.pair.looks, o->looks);
	rc = rc ? err_code(&err, rc) : inspect_pair(&in, &err);
	written = inspector_finish(&in);
	return rc ? cmd_fail_input("inspect change", &err) : cmd_finish(written);
}

static enum cmd_status read_rules_and_run(
	const struct option_args *args, const struct change_options *o)
{
	struct rulebook book;
	struct err err = {0};
	enum cmd_status status;

	if (noise_read_book(&o->without, o->ignore, &book, &err))
		status = cmd_fail("inspect change", &err);
	else
		status = args->count == 2 ? run_pair(args, o, &book) : run(args->ptr[0], &book);
	rulebook_release(&book);
	return status;
}

enum cmd_status inspect_change(int argc, char **argv)
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
		status = read_rules_and_run(&args, &options);
	options_release(&COMMAND, &options);
	return status;
}
