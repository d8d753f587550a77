/*
 * stillpoint inspect WHAT …: how we read what comes from outside, one JSON object for each line of
 * output. Each WHAT has its own options, and a row in the table at the end.
 */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/noise.h"
#include "cmd/option_row.h"
#include "cmd/program.h"
#include "formats/media_type.h"
#include "formats/page.h"
#include "formats/resolve.h"
#include "formats/robots.h"
#include "formats/sitemap.h"
#include "formats/url.h"
#include "formats/url_canonical.h"
#include "report/diff.h"
#include "warc/warc_date.h"
#include "warc/warc_reader.h"

/*
 * A document in a file, for the commands that inspect one.
 */

/* The row for the member type, a string, of a command's options. */
#define DOCUMENT_TYPE_SPEC                                                                    \
	ROW(STRING, type, "type", 't',                                                        \
		"the document's media type, with its charset if it has one (default: by the " \
		"file's name, or text/html)",                                                 \
		.metavar = "MIME")

static int feed(struct page *page, FILE *file, const char *path, struct err *err)
{
	char chunk[PAGE_STEP];
	size_t n;
	int rc = 0;

	while (rc == 0 && (n = fread(chunk, 1, sizeof chunk, file)) > 0)
		rc = page_feed(page, (slice){chunk, n});
	if (rc == 0 && ferror(file))
		return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
	if (rc == 0)
		rc = page_finish(page);
	return rc ? err_set(err, rc, "%s: %s", path, err_name(rc)) : 0;
}

/*
 * Reads the file ("-" for standard input) as its type says (NULL: as its name does) into what
 * params ask for. 0, or ERR_IO or ERR_NOMEM with err set.
 */
static int document_read(const char *path, const char *type, struct links *links,
	struct page_text *text, struct err *err)
{
	struct page_params params = {.links = links, .text = text};
	FILE *file = cmd_open_input(path, err);
	struct page *page;
	int rc;

	if (!file)
		return ERR_IO;
	page = malloc(sizeof *page);
	if (page) {
		params.content_type = type ? slice_str(type) : media_type_of_path(path);
		page_open(page, &params);
		rc = feed(page, file, path, err);
		page_close(page);
	} else {
		rc = err_code(err, ERR_NOMEM);
	}
	cmd_close_input(file);
	free(page);
	return rc;
}

/* stillpoint inspect change: whether two files are the same page, and what was taken as noise. */

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

static const struct option_spec CHANGE_SPECS[] = {
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

static const struct options CHANGE_COMMAND = {
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
	.specs = CHANGE_SPECS,
	.max_args = 2,
};

struct two_files {
	struct buf a, b;       /* paths */
	struct buf media_type; /* empty: HTML */
	struct buf url;        /* empty: not known */
	struct buf looks;      /* the same: "T1,T2" */
};

struct change_inspector {
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

static int inspect_pair(struct change_inspector *in, struct err *err)
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
	if (rc == 0) {
		json_object_begin(&in->json);
		json_put_string(&in->json, "same", proof_same_name(proof.same));
		diff_json_proof(&in->json, &proof);
		json_key(&in->json, "differs");
		print_places(&in->json, &proof, false);
		json_key(&in->json, "explained");
		print_places(&in->json, &proof, true);
		json_object_end(&in->json);
	}
	proof_release(&proof);
	return err_code(err, rc);
}

static int inspect_line(struct change_inspector *in, slice line, struct err *err)
{
	TRY(read_pair(&in->pair, line, err));
	return inspect_pair(in, err);
}

static int change_inspect_lines(struct change_inspector *in, FILE *file, struct err *err)
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

static void inspector_init(struct change_inspector *in, const struct rulebook *book)
{
	*in = (struct change_inspector){.book = book};
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
static int inspector_finish(struct change_inspector *in)
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

static enum cmd_status change_run(const char *path, const struct rulebook *book)
{
	bool standard = strcmp(path, "-") == 0;
	FILE *file = standard ? stdin : file_stream(path, "rb");
	struct change_inspector in;
	struct err err = {0};
	int rc, written;

	inspector_init(&in, book);
	rc = file ? change_inspect_lines(&in, file, &err)
		  : err_set(&err, ERR_IO, "%s", strerror(errno));
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
	struct change_inspector in;
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
		status = args->count == 2 ? run_pair(args, o, &book)
					  : change_run(args->ptr[0], &book);
	rulebook_release(&book);
	return status;
}

static enum cmd_status inspect_change(int argc, char **argv)
{
	struct change_options options = {0};
	struct option_args args;
	enum cmd_status status;

	if (!cmd_options(&CHANGE_COMMAND, argc, argv, &options, &args, &status))
		return status;
	if (options.list) {
		struct json j;

		json_init_file(&j, stdout, JSON_LINES);
		for (unsigned i = 0; i < RULE_COUNT; i++) {
			json_object_begin(&j);
			json_put_string(&j, "name", proof_rule_name((enum proof_rule_id)i));
			json_put_string(&j, "summary", proof_rule_summary((enum proof_rule_id)i));
			json_put_uint(&j, "version", NOISE_RULES_VERSION);
			json_object_end(&j);
		}
		status = cmd_finish(json_finish(&j));
	} else if (args.count == 0)
		status = cmd_fail("inspect change",
			&(struct err){ERR_USAGE, "the FILE with pairs of paths is missing (try "
						 "'stillpoint inspect change --help')"});
	else
		status = read_rules_and_run(&args, &options);
	options_release(&CHANGE_COMMAND, &options);
	return status;
}

/* stillpoint inspect sitemap: the entries of a sitemap or feed. */

struct sitemap_options {
	const char *base;
};

#undef ROW_OF
#define ROW_OF struct sitemap_options

static const struct option_spec SITEMAP_SPECS[] = {
	ROW(STRING, base, "base", 'b',
		"the sitemap's own URL, which relative addresses are resolved against (default: "
		"none)",
		.metavar = "URL"),
	{.name = NULL},
};

static const struct options SITEMAP_COMMAND = {
	.program = "stillpoint",
	.command = "inspect sitemap",
	.usage = "FILE [--base URL]",
	.description =
		"Reads a sitemap, a sitemap index, a list of URLs, an RSS, Atom or JSON feed,\n"
		"packed with gzip or not (- is standard input), and prints for each entry an\n"
		"object with the keys loc, lastmod, changefreq and priority, or sitemap and\n"
		"lastmod; what is not known is null. What was wrong with the file is said on\n"
		"standard error.",
	.specs = SITEMAP_SPECS,
	.min_args = 1,
	.max_args = 1,
};

static enum cmd_status sitemap_run(struct sitemap_reader *r, const char *name)
{
	struct sitemap_entry entry;
	struct err err = {0};
	struct json j;
	int rc, written;

	json_init_file(&j, stdout, JSON_LINES);
	while ((rc = sitemap_next(r, &entry, &err)) == 0) {
		char date[CLOCK_TEXT_SIZE];

		json_object_begin(&j);
		json_key(&j, entry.is_sitemap ? "sitemap" : "loc");
		json_slice(&j, entry.loc);
		json_key(&j, "lastmod");
		if (entry.has_lastmod)
			clock_format(entry.lastmod.ns, CLOCK_ROUND_DOWN, date);
		json_string(&j, entry.has_lastmod ? date : NULL);
		if (!entry.is_sitemap) {
			json_put_string(&j, "changefreq", sitemap_frequency_name(entry.changefreq));
			json_put_double(&j, "priority", entry.priority);
		}
		json_object_end(&j);
	}
	written = json_finish(&j);
	if (rc == ERR_END && sitemap_damage(r)) {
		(void)fputs("stillpoint: inspect sitemap: ", stderr);
		text_name(stderr, slice_str(name), 0);
		(void)fputs(": ", stderr);
		text_name(stderr, slice_str((sitemap_damage(r))), 0);
		(void)fputc('\n', stderr);
	}
	if (rc == ERR_END)
		return cmd_finish(written);
	err_prefix(&err, "%s", name);
	return cmd_fail_input("inspect sitemap", &err);
}

static int check_base(const char *base, struct err *err)
{
	URL_SCOPED(url);

	return cmd_in_option(url_parse(&url, slice_str(base), NULL, err), "base", err);
}

static enum cmd_status sitemap_inspect(FILE *file, const char *name, const char *base)
{
	struct sitemap_reader *reader = NULL;
	struct err err = {0};
	enum cmd_status status;

	if (sitemap_open_file(&reader, file, slice_str(base), &err)) {
		err_prefix(&err, "%s", name);
		return cmd_fail_input("inspect sitemap", &err);
	}
	status = sitemap_run(reader, name);
	sitemap_close(reader);
	return status;
}

static enum cmd_status inspect_sitemap(int argc, char **argv)
{
	struct sitemap_options options = {.base = ""};
	struct option_args args;
	struct err err = {0};
	enum cmd_status status;
	FILE *file;

	if (!cmd_options(&SITEMAP_COMMAND, argc, argv, &options, &args, &status))
		return status;
	if (options.base[0] && check_base(options.base, &err))
		return cmd_fail("inspect sitemap", &err);
	file = cmd_open_input(args.ptr[0], &err);
	if (!file)
		return cmd_fail_input("inspect sitemap", &err);
	status = sitemap_inspect(file, args.ptr[0], options.base);
	cmd_close_input(file);
	return status;
}

/* stillpoint inspect warc: the records of WARC files, and what is wrong with them. */

static const struct option_spec WARC_SPECS[] = {{0}};

static const struct options WARC_COMMAND = {
	.program = "stillpoint",
	.command = "inspect warc",
	.usage = "FILE…",
	.description =
		"Prints for each record of the files (- is standard input), plain or compressed\n"
		"with gzip or zstd, an object with the keys offset, length, type, url, date,\n"
		"status, mime, payload_digest, ok (whole, and as its digests say) and error (why "
		"not, or\n"
		"null). Bytes that are not a record get one too, with the type null.",
	.specs = WARC_SPECS,
	.min_args = 1,
	.max_args = SIZE_MAX,
};

static void put_record(struct json *j, const struct warc_record *rec)
{
	const struct warc_header *h = &rec->header;
	slice type = warc_header_get(h, SLICE("WARC-Type"));

	json_object_begin(j);
	json_put_uint(j, "offset", rec->is_shared ? rec->position : rec->spot.offset);
	json_put_uint(j, "length", rec->length);
	json_text(j, "type", type);
	json_text(j, "url", h->url);
	json_text(j, "date", warc_header_get(h, SLICE("WARC-Date")));
	json_put_uint_if(j, "status", rec->status, rec->status);
	json_text(j, "mime", rec->mime);
	json_text(j, "payload_digest", warc_header_get(h, SLICE("WARC-Payload-Digest")));
	json_put_bool(j, "ok", rec->problem.code == 0);
	json_put_string(j, "error", rec->problem.code ? rec->problem.text : NULL);
	json_object_end(j);
}

/* Standard input in a file that is gone with the program: the reader has to seek. */
static int spool_input(int *ret_fd, struct err *err)
{
	char bytes[WARC_WINDOW_SIZE];
	FILE *file = tmpfile();
	size_t n;
	bool ok = file != NULL;

	while (ok && (n = fread(bytes, 1, sizeof bytes, stdin)) > 0)
		ok = fwrite(bytes, 1, n, file) == n;
	if (!ok || ferror(stdin) || fflush(file))
		return err_set(err, ERR_IO, "%s", strerror(errno));
	*ret_fd = fileno(file); /* as long as the program runs */
	return 0;
}

static int open_reader(const char *path, struct warc_reader **ret, struct err *err)
{
	struct warc_source source = {.fd = -1};
	int rc;

	if (strcmp(path, "-") != 0)
		return warc_reader_open(path, 0, ret, err);
	rc = spool_input(&source.fd, err);
	if (rc == 0)
		rc = warc_reader_open_source(&source, 0, ret, err);
	if (rc)
		err_prefix(err, "standard input");
	return rc;
}

static int print_file(struct json *j, const char *path, struct err *err)
{
	const struct warc_record *rec;
	struct warc_reader *r;
	int rc = open_reader(path, &r, err);

	if (rc)
		return rc;
	while ((rc = warc_reader_next(r, &rec, err)) == 0 && (rc = warc_reader_end(r, err)) == 0)
		put_record(j, rec);
	warc_reader_close(r);
	if (rc == ERR_END)
		return 0;
	err_prefix(err, "%s", path);
	return rc;
}

static enum cmd_status inspect_warc(int argc, char **argv)
{
	struct option_args args;
	enum cmd_status status;
	struct err err = {0};
	struct json j;
	int rc = 0, written;

	if (!cmd_options(&WARC_COMMAND, argc, argv, NULL, &args, &status))
		return status;
	json_init_file(&j, stdout, JSON_LINES);
	for (size_t i = 0; rc == 0 && i < args.count; i++)
		rc = print_file(&j, args.ptr[i], &err);
	written = json_finish(&j);
	status = rc ? cmd_fail_input("inspect warc", &err) : cmd_finish(written);
	return status;
}

/* stillpoint inspect links: what a document links to. */

struct links_options {
	const char *base;
	const char *type;
};

#undef ROW_OF
#define ROW_OF struct links_options

static const struct option_spec LINKS_SPECS[] = {
	ROW(STRING, base, "base", 'b', "the document's URL, which must be given", .metavar = "URL"),
	DOCUMENT_TYPE_SPEC,
	{.name = NULL},
};

static const struct options LINKS_COMMAND = {
	.program = "stillpoint",
	.command = "inspect links",
	.usage = "FILE|- --base URL [--type MIME]",
	.description =
		"Prints for each link of an HTML, XML, SVG or CSS file an object with the keys "
		"url\n"
		"(resolved, without fragment) and kind: page, image, style, script, media, font,\n"
		"frame, form, canonical, alternate, sitemap or other.",
	.specs = LINKS_SPECS,
	.min_args = 1,
	.max_args = 1,
};

static enum cmd_status links_run(const struct links_options *o, const char *path, struct err *err)
{
	struct links links;
	URL_SCOPED(document);
	enum cmd_status status;

	links_init(&links);
	if (cmd_in_option(url_parse(&document, slice_str(o->base), NULL, err), "base", err)) {
		status = cmd_fail("inspect links", err);
	} else if (document_read(path, o->type, &links, NULL, err)) {
		status = cmd_fail_input("inspect links", err);
	} else {
		struct resolved_link link;
		struct resolver r;
		struct json json;

		resolver_init(&r, hash_key_random());
		resolver_start(&r, &links, &document);
		json_init_file(&json, stdout, JSON_LINES);
		while (resolver_next(&r, &link)) {
			json_object_begin(&json);
			json_key(&json, "url");
			json_slice(&json, link.url);
			json_put_string(&json, "kind", link_kind_name(link.kind));
			json_object_end(&json);
		}
		resolver_release(&r);
		status = cmd_finish(json_finish(&json));
	}
	links_release(&links);
	return status;
}

static enum cmd_status inspect_links(int argc, char **argv)
{
	struct links_options options = {0};
	struct option_args args;
	struct err err = {0};
	enum cmd_status status;

	if (!cmd_options(&LINKS_COMMAND, argc, argv, &options, &args, &status))
		return status;
	if (!options.base) {
		(void)err_set(&err, ERR_USAGE,
			"--base is missing; give the document's URL, which links are resolved "
			"against");
		return cmd_fail("inspect links", &err);
	}
	return links_run(&options, args.ptr[0], &err);
}

/* stillpoint inspect robots: what a robots.txt lets a crawler fetch, and by which line. */

struct robots_options {
	const char *agent;
};

#undef ROW_OF
#define ROW_OF struct robots_options

static const struct option_spec ROBOTS_SPECS[] = {
	ROW(STRING, agent, "agent", 'a', "the crawler's product token (default stillpoint)",
		.metavar = "NAME"),
	{.name = NULL},
};

static const struct options ROBOTS_COMMAND = {
	.program = "stillpoint",
	.command = "inspect robots",
	.usage = "FILE URL… [--agent NAME]",
	.description =
		"Reads a robots.txt (- is standard input) after RFC 9309 and prints for each URL\n"
		"an object with the keys url, allowed, line (of the rule that decided, or null)\n"
		"and crawl_delay (in seconds, or null).",
	.specs = ROBOTS_SPECS,
	.min_args = 2,
	.max_args = SIZE_MAX,
};

/* Path and query, encoded as a crawler would send them; what is no URL is taken for a path. */
static slice path_of(struct url *u, const char *text)
{
	if (url_parse(u, slice_str(text), NULL, NULL))
		return robots_url_path(slice_str(text));
	return robots_url_path(url_page(u));
}

static int robots_inspect(const struct robots *r, const char *text, struct json *j, struct err *err)
{
	struct robots_decision decision;
	struct url u;
	int rc;

	url_init(&u);
	rc = robots_decide(r, path_of(&u, text), &decision);
	url_release(&u);
	if (rc)
		return err_set(err, rc, "%.99s: %s", text, err_name(rc));
	json_object_begin(j);
	json_put_string(j, "url", text);
	json_put_bool(j, "allowed", decision.allowed);
	json_put_uint_if(j, "line", decision.line, decision.line);
	json_put_double(j, "crawl_delay", r->crawl_delay >= 0 ? r->crawl_delay : NAN);
	json_object_end(j);
	return 0;
}

static enum cmd_status robots_run(const struct robots *r, const struct option_args *urls)
{
	struct err err = {0};
	struct json j;
	int rc = 0, written;

	json_init_file(&j, stdout, JSON_LINES);
	for (size_t i = 0; i < urls->count && rc == 0; i++)
		rc = robots_inspect(r, urls->ptr[i], &j, &err);
	written = json_finish(&j);
	return rc ? cmd_fail("inspect robots", &err) : cmd_finish(written);
}

static enum cmd_status inspect_robots(int argc, char **argv)
{
	struct robots_options options = {.agent = "stillpoint"};
	struct option_args args;
	struct robots robots;
	struct buf text;
	struct err err = {0};
	enum cmd_status status;
	int rc;

	if (!cmd_options(&ROBOTS_COMMAND, argc, argv, &options, &args, &status))
		return status;
	buf_init(&text, ROBOTS_PARSE_MAX + 1);
	rc = cmd_read_input(args.ptr[0], &text, &err);
	if (rc == 0)
		rc = robots_parse(&robots, buf_slice(&text), slice_str(options.agent), &err);
	buf_release(&text);
	if (rc)
		return cmd_fail_input("inspect robots", &err);
	status = robots_run(&robots, &(struct option_args){args.ptr + 1, args.count - 1});
	robots_release(&robots);
	return status;
}

/* stillpoint inspect url: how URLs are parsed, resolved and indexed. */

struct url_options {
	const char *base;
};

#undef ROW_OF
#define ROW_OF struct url_options

static const struct option_spec URL_SPECS[] = {
	ROW(STRING, base, "base", 'b', "resolve against this URL (default: none)",
		.metavar = "URL"),
	{.name = NULL},
};

static const struct options URL_COMMAND = {
	.program = "stillpoint",
	.command = "inspect url",
	.usage = "URL…|- [--base URL]",
	.description =
		"Prints for each URL, or each line of standard input, an object with the keys\n"
		"input, url (the WHATWG serialisation, or null), canonical and surt (as web\n"
		"archives index it, or null) and error (why it is not a URL, or null).",
	.specs = URL_SPECS,
	.min_args = 1,
	.max_args = SIZE_MAX,
};

/* What is used for one URL after another. */
struct inspector {
	struct json json;
	const struct url *base; /* or NULL */
	struct url url;
	struct buf text; /* of canonical form and SURT */
};

static void print_key(struct inspector *in, const char *key, int rc)
{
	json_text(&in->json, key, rc == 0 ? buf_slice(&in->text) : (slice){0});
	buf_reset(&in->text);
}

static void inspect(struct inspector *in, slice input)
{
	struct err err = {0};
	int rc = url_parse(&in->url, input, in->base, &err);

	json_object_begin(&in->json);
	json_key(&in->json, "input");
	json_slice(&in->json, input);
	json_text(&in->json, "url", rc == 0 ? url_text(&in->url) : (slice){0});
	print_key(in, "canonical", rc ? rc : url_canonical(&in->text, &in->url));
	print_key(in, "surt", rc ? rc : url_surt(&in->text, &in->url));
	json_put_string(&in->json, "error", rc ? err.text : NULL);
	json_object_end(&in->json);
}

static int inspect_all(struct inspector *in, const struct option_args *args, struct err *err)
{
	for (size_t i = 0; i < args->count; i++) {
		if (strcmp(args->ptr[i], "-") == 0) {
			BUF_SCOPED(line, URL_MAX + 1);

			while (cmd_read_line(stdin, &line))
				inspect(in, line.len ? buf_slice(&line) : SLICE(""));
			TRY(ferror(stdin) ? err_set(err, ERR_IO, "standard input: %s",
						    strerror(errno))
					  : 0);
		} else
			inspect(in, slice_str(args->ptr[i]));
	}
	return 0;
}

static enum cmd_status run(const struct url *base, const struct option_args *args)
{
	struct inspector in = {.base = base};
	struct err err = {0};
	int rc, written;

	url_init(&in.url);
	buf_init(&in.text, URL_CANONICAL_MAX);
	json_init_file(&in.json, stdout, JSON_LINES);
	rc = inspect_all(&in, args, &err);
	written = json_finish(&in.json);
	buf_release(&in.text);
	url_release(&in.url);
	return rc ? cmd_fail("inspect url", &err) : cmd_finish(written);
}

static enum cmd_status inspect_url(int argc, char **argv)
{
	struct url_options options = {0};
	struct option_args args;
	URL_SCOPED(base);
	struct err err = {0};
	enum cmd_status status;

	if (!cmd_options(&URL_COMMAND, argc, argv, &options, &args, &status))
		return status;
	if (options.base &&
		cmd_in_option(url_parse(&base, slice_str(options.base), NULL, &err), "base", &err))
		return cmd_fail("inspect url", &err);
	status = run(options.base ? &base : NULL, &args);
	return status;
}

/* stillpoint inspect text: what a reader sees of a document. */

struct text_options {
	const char *type;
};

#undef ROW_OF
#define ROW_OF struct text_options

static const struct option_spec SPECS[] = {
	DOCUMENT_TYPE_SPEC,
	{.name = NULL},
};

static const struct options COMMAND = {
	.program = "stillpoint",
	.command = "inspect text",
	.usage = "FILE|- [--type MIME]",
	.description =
		"Prints an object with the keys title, language, robots (each null when the "
		"document\n"
		"has none), text (what a reader sees, a line for each block), and the numbers of\n"
		"images, tables and links.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 1,
};

/* Empty: it is not there. */
static void print_text(struct json *json, const char *key, const struct buf *value)
{
	json_text(json, key, value->len ? buf_slice(value) : (slice){0});
}

static enum cmd_status inspect_text(int argc, char **argv)
{
	struct text_options options = {0};
	struct option_args args;
	struct page_text text;
	struct err err = {0};
	enum cmd_status status;

	if (!cmd_options(&COMMAND, argc, argv, &options, &args, &status))
		return status;
	page_text_init(&text);
	if (document_read(args.ptr[0], options.type, NULL, &text, &err))
		status = cmd_fail_input("inspect text", &err);
	else {
		struct json json;

		json_init_file(&json, stdout, JSON_LINES);
		json_object_begin(&json);
		print_text(&json, "title", &text.title);
		print_text(&json, "language", &text.language);
		print_text(&json, "robots", &text.robots);
		json_key(&json, "text");
		json_slice(&json, text.text.len ? buf_slice(&text.text) : SLICE(""));
		json_put_uint(&json, "images", text.images);
		json_put_uint(&json, "tables", text.tables);
		json_put_uint(&json, "links", text.links);
		json_object_end(&json);
		status = cmd_finish(json_finish(&json));
	}
	page_text_release(&text);
	return status;
}

static const struct command READERS[] = {
	{"change", "whether two downloads are the same page, and what is noise", inspect_change,
		true},
	{"links", "what a document links to", inspect_links, true},
	{"robots", "what a robots.txt allows, and by which line", inspect_robots, true},
	{"sitemap", "the entries of a sitemap or feed", inspect_sitemap, true},
	{"text", "what a reader sees of a document", inspect_text, true},
	{"url", "how a URL is parsed, resolved and indexed", inspect_url, true},
	{"warc", "the records of a WARC file, and whether they are sound", inspect_warc, true},
	{.name = NULL},
};

static const struct moved MOVED[] = {
	{"allocate", "stillpoint-lab"},
	{"distance", "stillpoint-lab"},
	{"pagerank", "stillpoint-lab"},
	{"rate", "stillpoint-lab"},
	{.name = NULL},
};

enum cmd_status cmd_inspect(int argc, char **argv)
{
	static const struct program INSPECT = {
		.about = "Shows how Stillpoint reads foreign input, one JSON object on each line.",
		.commands = READERS,
		.moved = MOVED,
	};

	return program_inspect(&INSPECT, argc, argv);
}
