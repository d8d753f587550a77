#include "replay/access.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/cdxj.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/io.h"
#include "base/parse.h"
#include "base/vec.h"
#include "base/word.h"
#include "replay/access_prefix.h"
#include "url/canonical.h"

enum {
	NONE = -1,
	READ_SIZE = 64 << 10,
};

/* Years that fit into nanoseconds. */
static const double EMBARGO_MAX = 9e9;

enum verb {
	ALLOW,
	BLOCK,
	EMBARGO,
};

struct rule {
	slice prefix;
	enum verb verb;
	int64_t embargo; /* ns */
	size_t line;
	int32_t parent; /* the longest other rule whose prefix is a prefix of this one's */
};

VEC_DECLARE(rule_vec, struct rule);

struct access {
	struct arena arena;
	struct rule_vec rules; /* sorted by prefix */
};

static int read_verb(slice word, slice *rest, struct rule *r, struct err *err)
{
	double seconds;
	slice duration;

	if (slice_eq(word, SLICE("allow"))) {
		r->verb = ALLOW;
		return 0;
	}
	if (slice_eq(word, SLICE("block"))) {
		r->verb = BLOCK;
		return 0;
	}
	if (!slice_eq(word, SLICE("embargo")))
		return err_set(err, ERR_SYNTAX,
			"a rule is 'SURT-PREFIX allow', 'block' or 'embargo DURATION'");
	if (!word_next(rest, ' ', &duration) || parse_duration(duration, &seconds) ||
		seconds > EMBARGO_MAX)
		return err_set(err, ERR_SYNTAX, "an embargo needs a duration, as in 'embargo 30d'");
	r->verb = EMBARGO;
	r->embargo = (int64_t)(seconds * (double)CLOCK_NS_PER_SECOND);
	return 0;
}

/* One rule for each prefix that is meant. */
static int add_rules(struct access *a, slice written, struct rule r, struct err *err)
{
	struct buf prefixes[ACCESS_PREFIXES_MAX];
	size_t count = 0;
	int rc;

	for (size_t i = 0; i < ACCESS_PREFIXES_MAX; i++)
		buf_init(&prefixes[i], 2 * (size_t)URL_CANONICAL_MAX);
	rc = access_prefix(written, r.verb == ALLOW, prefixes, &count, err);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		if (a->rules.len >= ACCESS_RULES_MAX) {
			rc = err_set(err, ERR_LIMIT, "there are too many rules");
			break;
		}
		r.prefix = buf_slice(&prefixes[i]);
		r.prefix.ptr = arena_strdup(&a->arena, r.prefix);
		rc = err_code(err, r.prefix.ptr ? rule_vec_push(&a->rules, r) : ERR_NOMEM);
	}
	for (size_t i = 0; i < ACCESS_PREFIXES_MAX; i++)
		buf_release(&prefixes[i]);
	return rc;
}

static int read_line(struct access *a, slice text, size_t number, struct err *err)
{
	struct rule r = {.line = number, .parent = NONE};
	slice rest = text, written, verb, surplus;
	int rc;

	if (!word_next(&rest, ' ', &written) || written.ptr[0] == '#')
		return 0;
	(void)word_next(&rest, ' ', &verb);
	rc = read_verb(verb, &rest, &r, err);
	if (rc == 0 && word_next(&rest, ' ', &surplus))
		rc = err_set(err, ERR_SYNTAX, "there is more behind the rule");
	return rc ? rc : add_rules(a, written, r, err);
}

static int by_prefix(const void *a, const void *b)
{
	const struct rule *x = a, *y = b;
	int order = cdxj_compare(x->prefix, y->prefix);

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static bool fits(const struct rule *r, slice key)
{
	return slice_starts_with(key, r->prefix);
}

/* Of two rules with one prefix the later one counts; then each gets its parent. */
static void settle(struct access *a)
{
	struct rule *rules = a->rules.ptr;
	size_t kept = 0;

	if (a->rules.len > 1)
		qsort(rules, a->rules.len, sizeof *rules, by_prefix);
	for (size_t i = 0; i < a->rules.len; i++) {
		if (i + 1 < a->rules.len && slice_eq(rules[i].prefix, rules[i + 1].prefix))
			continue;
		rules[kept] = rules[i];
		rules[kept].parent = (int32_t)kept - 1;
		while (rules[kept].parent != NONE &&
			!fits(&rules[rules[kept].parent], rules[kept].prefix))
			rules[kept].parent = rules[rules[kept].parent].parent;
		kept++;
	}
	a->rules.len = kept;
}

int access_parse(slice text, struct access **ret, struct err *err)
{
	struct access *a = calloc(1, sizeof *a);
	size_t number = 0;
	int rc = a ? 0 : err_code(err, ERR_NOMEM);

	if (a)
		arena_init(&a->arena, 2 * (size_t)ACCESS_FILE_MAX);
	while (rc == 0 && text.len) {
		rc = read_line(a, slice_take(&text, '\n'), ++number, err);
		if (rc)
			err_prefix(err, "line %zu", number);
	}
	if (rc) {
		access_free(a);
		return rc;
	}
	settle(a);
	*ret = a;
	return 0;
}

static int read_file(int fd, struct buf *text, struct err *err)
{
	char piece[READ_SIZE];
	ssize_t n;
	int rc = 0;

	while (rc == 0 && (n = io_read_at(fd, piece, sizeof piece, text->len)) != 0)
		rc = n < 0 ? err_set(err, ERR_IO, "%s", strerror(errno))
			   : err_code(err, buf_add(text, (slice){piece, (size_t)n}));
	return rc;
}

int access_read(const char *path, struct access **ret, struct err *err)
{
	int fd = file_open_given(path), rc;
	struct buf text;

	if (fd < 0)
		return err_set(err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO, "%s: %s", path,
			file_problem(errno));
	buf_init(&text, ACCESS_FILE_MAX);
	rc = read_file(fd, &text, err);
	if (rc == 0)
		rc = access_parse(buf_slice(&text), ret, err);
	if (rc)
		err_prefix(err, "%s", path);
	buf_release(&text);
	(void)close(fd);
	return rc;
}

void access_free(struct access *a)
{
	if (!a)
		return;
	rule_vec_release(&a->rules);
	arena_release(&a->arena);
	free(a);
}

/* The rule with the longest prefix of the key: it, or a parent of the last one not behind it. */
static const struct rule *find(const struct access *a, slice key)
{
	size_t low = 0, high = a->rules.len;
	int32_t at;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cdxj_compare(a->rules.ptr[middle].prefix, key) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (at = (int32_t)low - 1; at != NONE; at = a->rules.ptr[at].parent)
		if (fits(&a->rules.ptr[at], key))
			return &a->rules.ptr[at];
	return NULL;
}

bool access_allows(const struct access *a, slice key, int64_t time, int64_t now)
{
	const struct rule *r = a ? find(a, key) : NULL;

	if (!r || r->verb == ALLOW)
		return true;
	return r->verb == EMBARGO && (time <= INT64_MIN + r->embargo || time <= now - r->embargo);
}

bool access_blocks(const struct access *a, slice key)
{
	const struct rule *r = a ? find(a, key) : NULL;

	return r && r->verb == BLOCK;
}
