#include "replay/access.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parse.h"
#include "base/vec.h"
#include "base/word.h"
#include "formats/url_canonical.h"
#include "warc/cdxj.h"

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

/* ---- prefixes ---- */

/*
 * The keys that a rule is about begin with the text, and then one of the ends, if there are any.
 * One of a rule that allows is read strictly: no more than what is written may be meant, else no
 * less. A prefix that no key can have would protect nothing, so it is refused.
 */
struct prefix {
	struct buf text;
	const char *ends;
	bool https; /* was written: its usual port is another one */
};

/* Behind a host: its paths, the hosts below it, its ports. */
#define DOMAIN_ENDS "),:"

static int refuse(slice text, const char *reason, struct err *err)
{
	return err_set(err, ERR_SYNTAX, "'%.*s' protects nothing: %s", slice_shown(text, 200),
		text.ptr, reason);
}

static bool has(slice s, char c)
{
	return s.len && memchr(s.ptr, c, s.len);
}

/* A slash of "http://" may have been lost. */
static slice strip_scheme(slice text, bool *ret_https)
{
	static const slice SCHEMES[] = {
		SLICE_INIT("http:/"), SLICE_INIT("https:/"), SLICE_INIT("//")};

	for (size_t i = 0; i < sizeof SCHEMES / sizeof *SCHEMES; i++) {
		if (!word_starts(text, SCHEMES[i]))
			continue;
		text = slice_sub(text, SCHEMES[i].len, text.len);
		*ret_https = i == 1;
		while (text.len && text.ptr[0] == '/')
			text = slice_sub(text, 1, text.len);
		break;
	}
	return text;
}

/* "org,example" → "example.org" */
static void add_host(struct buf *out, slice labels)
{
	while (labels.len && labels.ptr[labels.len - 1] == ',')
		labels.len--;
	while (labels.len) {
		size_t at = labels.len;

		while (at > 0 && labels.ptr[at - 1] != ',')
			at--;
		buf_add(out, slice_sub(labels, at, labels.len));
		labels.len = at ? at - 1 : 0;
		if (labels.len)
			buf_add_char(out, '.');
	}
}

/* Leaves the host of a key alone, for ends of its own. */
static void keep_host(struct prefix *p)
{
	buf_truncate(&p->text, strcspn(buf_str(&p->text), ")"));
}

/* The host of a key as pages have it: a name of DNS or an address, and what is behind its colon. */
static bool is_host(slice host)
{
	slice name;
	bool numbers = true;

	name = slice_take(&host, ':');
	for (size_t i = 0; i < name.len; i++) {
		if (!word_is_alnum(name.ptr[i]) && !strchr(",-_.", name.ptr[i]))
			return false;
		numbers = numbers && strchr("0123456789.", name.ptr[i]);
	}
	return numbers || !has(name, '.');
}

/* The key of a URL without its scheme. What ends with a slash there does not end so in a key. */
static int add_key(struct prefix *p, slice host_and_path, bool strict)
{
	struct buf url, key, *out = &p->text;
	slice rest, host;
	int rc;

	buf_init(&url, URL_CANONICAL_MAX);
	buf_init(&key, URL_CANONICAL_MAX);
	buf_add_str(&url, p->https ? "https://" : "http://");
	buf_add(&url, host_and_path);
	rc = url.error ? url.error : cdxj_key(&key, buf_slice(&url));
	rest = buf_slice(&key);
	host = slice_take(&rest, ')');
	if (rc == 0 && !is_host(host))
		rc = ERR_SYNTAX;
	if (rc == 0) {
		buf_add(out, buf_slice(&key));
		if (strict && slice_ends_with(host_and_path, SLICE("/")) &&
			!slice_ends_with(buf_slice(out), SLICE("/")))
			buf_add_char(out, '/');
		rc = out->error;
	}
	buf_release(&url);
	buf_release(&key);
	return rc;
}

/* "org,example)/Private": its URL is made, and of that the key. */
static int read_surt(slice text, slice surt, bool strict, struct prefix *ret, struct err *err)
{
	slice path = surt, labels = slice_take(&path, ')'), port = labels;
	struct buf url;
	int rc;

	labels = slice_take(&port, ':');
	if (has(labels, '@'))
		return refuse(text, "keys of the index have no users: leave it out", err);
	if (slice_eq(port, SLICE("443")) && !ret->https)
		return refuse(text, "keys of https pages have no port: leave it out", err);
	buf_init(&url, URL_CANONICAL_MAX);
	add_host(&url, labels);
	if (port.len)
		buf_printf(&url, ":%.*s", (int)port.len, port.ptr);
	buf_add(&url, path);
	rc = path.len && path.ptr[0] != '/' ? ERR_SYNTAX : url.error;
	if (rc == 0)
		rc = add_key(ret, buf_slice(&url), strict);
	buf_release(&url);
	if (rc)
		return refuse(text, "it is no SURT, as org,example)/private", err);
	if (path.len == 0) { /* ")" alone: whatever path */
		keep_host(ret);
		ret->ends = ")";
	}
	return 0;
}

/*
 * "org,example": a part of a key's host. With a comma at its end, other tools mean the domain, or
 * only what is below it.
 */
static int read_labels(slice text, slice labels, bool strict, struct prefix *ret, struct err *err)
{
	slice rest, label;

	if (!strict && slice_ends_with(labels, SLICE(","))) {
		labels.len--;
		ret->ends = DOMAIN_ENDS;
	}
	for (size_t i = 0; i < labels.len; i++) {
		char c = word_lower(labels.ptr[i]);

		if (!word_is_alnum(c) && !strchr(",-_.:", c))
			return refuse(text, "a SURT has ')' behind its host", err);
		buf_add_char(&ret->text, c);
	}
	rest = labels;
	while (rest.len) {
		label = slice_take(&rest, ',');
		if (word_is(label, SLICE("www")))
			return refuse(text, "keys of the index have no www: leave it out", err);
	}
	if (!is_host(buf_slice(&ret->text)))
		return refuse(text, "a SURT has commas between labels, as org,example", err);
	return err_code(err, ret->text.error);
}

/* "*.example.org" */
static int read_domain(slice text, slice host, struct prefix *ret, struct err *err)
{
	if (slice_ends_with(host, SLICE("/")))
		host.len--;
	if (has(host, '/') || has(host, ':') || has(host, '*'))
		return refuse(text, "'*.' stands before the name of a domain alone", err);
	if (add_key(ret, host, false))
		return refuse(text, "it is no domain", err);
	keep_host(ret);
	ret->ends = DOMAIN_ENDS;
	return 0;
}

/* A name or address alone means all of its ports. */
static int read_url(
	slice text, slice url, bool strict, bool is_name, struct prefix *ret, struct err *err)
{
	slice host;

	if (has(url, '#') || memmem(url.ptr, url.len, "://", 3) || add_key(ret, url, strict))
		return refuse(text, "it is no URL", err);
	if (is_name && !strict) {
		keep_host(ret);
		ret->ends = "):";
	}
	/* "10.0.0." is the address 10.0.0.0, and not what begins so. */
	host = (slice){buf_str(&ret->text), strcspn(buf_str(&ret->text), ")")};
	if (is_name && has(host, '.') && !slice_eq(host, url))
		return refuse(text, "an address has four numbers", err);
	return 0;
}

/* What may be written without a scheme: not "urn:", and no port that https pages do not show. */
static int check_bare(slice text, slice host, struct err *err)
{
	if (slice_ends_with(host, SLICE(":")))
		return refuse(text, "it is no URL", err);
	if (slice_ends_with(host, SLICE(":443")))
		return refuse(text, "keys of https pages have no port: leave it out", err);
	return 0;
}

/* What is written, as a prefix. strict: see struct prefix. ERR_SYNTAX with a sentence. */
static int read_prefix(slice text, bool strict, struct prefix *ret, struct err *err)
{
	slice rest = strip_scheme(text, &ret->https), host, after;
	bool is_url = rest.len < text.len, is_surt = false, starred = false, is_name;

	if (rest.len && rest.ptr[0] == '(') {
		rest = slice_sub(rest, 1, rest.len);
		is_surt = true;
	}
	while (rest.len && rest.ptr[rest.len - 1] == '*') {
		rest.len--;
		starred = true;
	}
	/* All are meant, with or without a scheme. */
	if (starred && (rest.len == 0 || slice_eq(rest, SLICE("*.")) ||
			       slice_eq(rest, SLICE("*/")) || slice_eq(rest, SLICE("/"))))
		return 0;
	if (!is_surt && slice_starts_with(rest, SLICE("*.")))
		return read_domain(text, slice_sub(rest, 2, rest.len), ret, err);
	if (!is_surt && rest.len > 1 && rest.ptr[0] == '.') /* as in cookies and lists of proxies */
		return read_domain(text, slice_sub(rest, 1, rest.len), ret, err);
	if (rest.len == 0 || has(rest, '*'))
		return refuse(text, "'*' stands alone, at the end, or in '*.example.org'", err);
	after = rest;
	while (after.len && strchr(".,:)/", after.ptr[0]))
		after = slice_sub(after, 1, after.len);
	if (after.len == 0)
		return refuse(text, "it names no host", err);
	after = rest;
	host = slice_take(&after, '/');
	if (has(host, ')'))
		return read_surt(text, rest, strict, ret, err);
	if (is_surt || has(host, ',') ||
		(!is_url && !has(rest, '/') && !has(rest, '.') && !has(rest, ':')))
		return read_labels(text, rest, strict, ret, err);
	if (!is_url && check_bare(text, host, err))
		return ERR_SYNTAX;
	is_name = !is_url && !has(rest, '/') && !has(rest, '?') &&
		  (!has(rest, ':') || rest.ptr[rest.len - 1] == ']');
	return read_url(text, rest, strict, is_name, ret, err);
}

/* ---- rules ---- */

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

static int add_rule(struct access *a, struct rule r, slice prefix, struct err *err)
{
	if (a->rules.len >= ACCESS_RULES_MAX)
		return err_set(err, ERR_LIMIT, "there are too many rules");
	r.prefix = (slice){arena_str(&a->arena, prefix), prefix.len};
	rule_vec_push(&a->rules, r);
	return 0;
}

/* One rule for each end. */
static int add_rules(struct access *a, slice written, struct rule r, struct err *err)
{
	struct prefix p = {.ends = ""};
	size_t len;
	int rc;

	buf_init(&p.text, 2 * (size_t)URL_CANONICAL_MAX);
	rc = read_prefix(written, r.verb == ALLOW, &p, err);
	len = p.text.len;
	if (rc == 0 && !p.ends[0])
		rc = add_rule(a, r, buf_slice(&p.text), err);
	for (; rc == 0 && *p.ends; p.ends++) {
		buf_truncate(&p.text, len);
		rc = err_code(err, buf_add_char(&p.text, *p.ends));
		if (rc == 0)
			rc = add_rule(a, r, buf_slice(&p.text), err);
	}
	buf_release(&p.text);
	return rc;
}

static int read_line(struct access *a, slice text, size_t number, struct err *err)
{
	struct rule r = {.line = number, .parent = NONE};
	slice rest = text, written, verb, surplus;

	if (!word_next(&rest, ' ', &written) || written.ptr[0] == '#')
		return 0;
	(void)word_next(&rest, ' ', &verb);
	TRY(read_verb(verb, &rest, &r, err));
	if (word_next(&rest, ' ', &surplus))
		TRY(err_set(err, ERR_SYNTAX, "there is more behind the rule"));
	return add_rules(a, written, r, err);
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
	struct access *a = mem_new(1, sizeof *a);
	size_t number = 0;
	int rc = 0;

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
