#include "formats/ignore.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "base/word.h"

void ignore_page_init(struct ignore_page *p, const struct ignore *rules)
{
	*p = (struct ignore_page){.rules = rules, .off = IGNORE_NONE, .gave_up = IGNORE_NONE};
	selector_stack_init(&p->stack, &rules->selectors, 0);
}

void ignore_page_release(struct ignore_page *p)
{
	selector_stack_release(&p->stack);
	u32_vec_release(&p->selects);
	u32_vec_release(&p->texts);
	u32_vec_release(&p->requires);
	ignore_u64_vec_release(&p->work);
}

static void page_add_rule(struct ignore_page *p, uint32_t number)
{
	switch (p->rules->rules.ptr[number].kind) {
	case IGNORE_SELECT:
		u32_vec_push(&p->selects, number);
		break;
	case IGNORE_REQUIRE:
		u32_vec_push(&p->requires, number);
		break;
	case IGNORE_TEXT:
		u32_vec_push(&p->texts, number);
		ignore_u64_vec_push(&p->work, 0);
		break;
	}
}

int ignore_page_start(struct ignore_page *p, const struct url *url, unsigned flags)
{
	const struct ignore_rule_vec *rules = &p->rules->rules;
	uint32_t known = IGNORE_NONE; /* section */
	bool applies = false;

	p->selects.len = p->texts.len = p->requires.len = p->work.len = 0;
	p->gave_up = IGNORE_NONE;
	selector_stack_reset(&p->stack, flags);
	for (size_t i = 0; i < rules->len; i++) {
		if (rules->ptr[i].section != known) {
			known = rules->ptr[i].section;
			applies = ignore_applies(p->rules, known, url);
		}
		if (applies && i != p->off)
			page_add_rule(p, (uint32_t)i);
	}
	return 0;
}

/* The key is constant: the numbers are stored. */
static uint64_t mix(uint64_t so_far, slice more)
{
	return hash_bytes((struct hash_key){so_far, 0x49474e4f5245}, more);
}

static slice bytes_of(const struct u32_vec *list)
{
	return (slice){(const char *)list->ptr, list->len * sizeof list->ptr[0]};
}

uint64_t ignore_page_number(const struct ignore_page *p)
{
	const struct digest *d = &p->rules->digest;
	uint64_t number = mix(1, (slice){(const char *)d->bytes, sizeof d->bytes});

	number = mix(number, bytes_of(&p->selects));
	number = mix(number, bytes_of(&p->texts));
	return mix(number, bytes_of(&p->requires));
}

void ignore_page_token(struct ignore_page *p, const struct html_token *token)
{
	if (p->selects.len || p->requires.len)
		selector_stack_token(&p->stack, token);
}

uint32_t ignore_page_element(const struct ignore_page *p)
{
	if (!selector_stack_is_inside_any(&p->stack))
		return IGNORE_NONE;
	for (size_t i = 0; i < p->selects.len; i++) {
		uint32_t rule = p->selects.ptr[i];

		if (selector_stack_is_inside(&p->stack, p->rules->rules.ptr[rule].selector))
			return rule;
	}
	return IGNORE_NONE;
}

/* Characters that a search may look at when every place of the line is tried: half the square. */
static uint64_t work_of(slice line, size_t from)
{
	uint64_t len = slice_sub(line, from, TEXT_PATTERN_LINE_MAX).len;

	return len * (len + 1) / 2;
}

static enum text_pattern_result text_pattern_find(
	const struct text_pattern *p, slice line, size_t from, struct text_span *ret_span);

/* Asks one text rule. Having given up once, it finds nothing on this page any more. */
static bool find_one(
	struct ignore_page *p, size_t index, slice line, size_t from, struct text_span *ret_span)
{
	const struct ignore_rule *rule = &p->rules->rules.ptr[p->texts.ptr[index]];
	uint64_t *work = &p->work.ptr[index];

	if (*work > IGNORE_WORK_MAX)
		return false;
	*work += work_of(line, from);
	if (*work <= IGNORE_WORK_MAX) {
		enum text_pattern_result found =
			text_pattern_find(rule->pattern, line, from, ret_span);

		if (found != TEXT_PATTERN_GAVE_UP)
			return found == TEXT_PATTERN_FOUND;
		*work = UINT64_C(1) + IGNORE_WORK_MAX;
	}
	if (p->gave_up == IGNORE_NONE)
		p->gave_up = p->texts.ptr[index];
	return false;
}

bool ignore_page_find(
	struct ignore_page *p, slice line, size_t from, struct ignore_match *ret_match)
{
	struct ignore_match best = {.rule = IGNORE_NONE};
	struct text_span span;

	for (size_t i = 0; i < p->texts.len; i++) {
		if (!find_one(p, i, line, from, &span))
			continue;
		if (best.rule == IGNORE_NONE || span.from < best.span.from ||
			(span.from == best.span.from && span.to > best.span.to))
			best = (struct ignore_match){p->texts.ptr[i], span};
	}
	if (best.rule == IGNORE_NONE)
		return false;
	*ret_match = best;
	return true;
}

uint32_t ignore_page_missing(const struct ignore_page *p)
{
	for (size_t i = 0; i < p->requires.len; i++) {
		uint32_t rule = p->requires.ptr[i];

		if (!selector_stack_has_seen(&p->stack, p->rules->rules.ptr[rule].selector))
			return rule;
	}
	return IGNORE_NONE;
}

enum { MESSAGE_SIZE = 256 };

struct text_pattern {
	pcre2_code *code;
	pcre2_match_context *limits;
};

/* Frees it; NULL is fine. */
static void text_pattern_free(struct text_pattern *p)
{
	if (!p)
		return;
	pcre2_code_free(p->code);
	pcre2_match_context_free(p->limits);
	free(p);
}

static int compile(struct text_pattern *p, slice text, size_t *ret_at, struct err *err)
{
	unsigned char message[MESSAGE_SIZE];
	PCRE2_SIZE at;
	int code;

	p->code = pcre2_compile((PCRE2_SPTR)(text.ptr ? text.ptr : ""), text.len,
		PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C, &code,
		&at, NULL);
	if (!p->code) {
		(void)pcre2_get_error_message(code, message, sizeof message);
		*ret_at = at < text.len ? at : text.len;
		return err_set(err, ERR_SYNTAX, "regular expression: %s", (const char *)message);
	}

	/* The limits are final: (*LIMIT_MATCH=…) in an expression can only lower them. */
	p->limits = pcre2_match_context_create(NULL);
	if (!p->limits)
		mem_end();
	(void)pcre2_set_match_limit(p->limits, TEXT_PATTERN_MATCH_LIMIT);
	(void)pcre2_set_depth_limit(p->limits, TEXT_PATTERN_DEPTH_LIMIT);
	(void)pcre2_set_heap_limit(p->limits, TEXT_PATTERN_HEAP_LIMIT);
	return 0;
}

/*
 * Compiles an expression (Perl's syntax, Unicode, case matters unless it says (?i)). 0, ERR_SYNTAX
 * with PCRE2's reason and in *ret_at the offset in bytes, ERR_LIMIT over TEXT_PATTERN_MAX. The
 * caller frees it with text_pattern_free.
 */
static SP_MUST_CHECK int text_pattern_compile(
	slice text, struct text_pattern **ret, size_t *ret_at, struct err *err)
{
	struct text_pattern *p;
	int rc;

	if (text.len > TEXT_PATTERN_MAX) {
		*ret_at = TEXT_PATTERN_MAX;
		return err_set(err, ERR_LIMIT, "regular expression: longer than %d bytes",
			TEXT_PATTERN_MAX);
	}
	p = mem_new(1, sizeof *p);
	rc = compile(p, text, ret_at, err);
	if (rc) {
		text_pattern_free(p);
		return rc;
	}
	*ret = p;
	return 0;
}

/* The part of a line that is searched: whole characters. */
static slice searched(slice line)
{
	size_t len = TEXT_PATTERN_LINE_MAX;

	if (line.len <= len)
		return line;
	while (len > 0 && (line.ptr[len] & 0xc0) == 0x80)
		len--;
	return slice_sub(line, 0, len);
}

/*
 * The first match at or behind `from` that is not empty. Beyond TEXT_PATTERN_LINE_MAX nothing is
 * found, nor what reaches up to there. Different threads may ask at once.
 */
static enum text_pattern_result text_pattern_find(
	const struct text_pattern *p, slice line, size_t from, struct text_span *ret_span)
{
	slice part = searched(line);
	uint32_t options = PCRE2_NOTEMPTY | (part.len < line.len ? PCRE2_NOTEOL : 0);
	pcre2_match_data *data;
	struct text_span span;
	int rc;

	if (from >= part.len)
		return TEXT_PATTERN_NONE;
	data = pcre2_match_data_create(1, NULL);
	if (!data)
		return TEXT_PATTERN_GAVE_UP;
	rc = pcre2_match(p->code, (PCRE2_SPTR)part.ptr, part.len, from, options, data, p->limits);
	span = (struct text_span){
		pcre2_get_ovector_pointer(data)[0], pcre2_get_ovector_pointer(data)[1]};
	pcre2_match_data_free(data);
	if (rc == PCRE2_ERROR_NOMATCH)
		return TEXT_PATTERN_NONE;
	if (rc < 0)
		return TEXT_PATTERN_GAVE_UP;
	/* \K in a look-behind can put the start before `from` or behind the end. */
	if (span.from < from || span.from >= span.to)
		return TEXT_PATTERN_NONE;
	if (part.len < line.len && span.to == part.len)
		return TEXT_PATTERN_NONE;
	*ret_span = span;
	return TEXT_PATTERN_FOUND;
}

enum { SHOWN_MAX = 60 }; /* bytes of the user's text in a message */

struct parser {
	struct ignore *ig;
	const char *file;
	struct err *err;
	slice line; /* without its end */
	uint32_t number;
};

void ignore_init(struct ignore *ig)
{
	*ig = (struct ignore){.sections = 1};
	arena_init(&ig->arena, IGNORE_MEMORY_MAX);
	selector_set_init(&ig->selectors);
}

void ignore_release(struct ignore *ig)
{
	for (size_t i = 0; i < ig->rules.len; i++)
		text_pattern_free(ig->rules.ptr[i].pattern);
	ignore_rule_vec_release(&ig->rules);
	ignore_site_vec_release(&ig->sites);
	selector_set_release(&ig->selectors);
	arena_release(&ig->arena);
}

/* Puts file, line and column before the message; `at` is a place in the line. */
static int fail_at(struct parser *p, const char *at)
{
	size_t column = 1;

	for (const char *c = p->line.ptr; c < at; c++)
		column += (*c & 0xc0) != 0x80;
	err_prefix(p->err, "%s:%u:%zu", p->file, p->number, column);
	return p->err->code;
}

/* The offset of a part in what it was cut from, as a pointer, also when the part is empty. */
static const char *end_of(slice s)
{
	return s.ptr + s.len;
}

/* A part of the line from a pointer on, without blanks around it; never a NULL pointer. */
static slice rest_from(const struct parser *p, const char *from)
{
	slice rest = {from, (size_t)(end_of(p->line) - from)};

	while (rest.len && word_is_space(rest.ptr[0]))
		rest = (slice){rest.ptr + 1, rest.len - 1};
	while (rest.len && word_is_space(rest.ptr[rest.len - 1]))
		rest.len--;
	return rest;
}

static int keep(struct parser *p, slice s, slice *ret)
{
	char *copy = arena_strdup(&p->ig->arena, s);

	if (!copy) {
		(void)err_set(
			p->err, ERR_LIMIT, "the rules take more than %d bytes", IGNORE_MEMORY_MAX);
		return fail_at(p, p->line.ptr);
	}
	*ret = (slice){copy, s.len};
	return 0;
}

/* A URL prefix: kept as the URL parser spells it, so that it can be compared. */
static int prefix_site(struct parser *p, slice word, struct url *u, struct ignore_site *site)
{
	if (!url_is_http(u) || u->has_fragment) {
		(void)err_set(p->err, ERR_SYNTAX,
			"'%.*s' is no prefix of a page's URL: http or https, no fragment",
			slice_shown(word, SHOWN_MAX), word.ptr);
		return fail_at(p, word.ptr);
	}
	site->kind = IGNORE_PREFIX;
	return keep(p, url_text(u), &site->text);
}

/* A host, parsed as that of a URL. */
static int host_site(struct parser *p, slice word, const struct url *u, struct ignore_site *site)
{
	if (u->path.len > 1 || u->has_query || u->has_fragment || u->username.len) {
		(void)err_set(p->err, ERR_SYNTAX,
			"'%.*s' is no host; write https://… for the beginning of a URL",
			slice_shown(word, SHOWN_MAX), word.ptr);
		return fail_at(p, word.ptr);
	}
	site->port = u->port;
	return keep(p, url_part(u, u->host), &site->text);
}

static bool has_scheme(slice word)
{
	for (size_t i = 0; i + 3 <= word.len; i++)
		if (memcmp(word.ptr + i, "://", 3) == 0)
			return true;
	return false;
}

static int read_site(struct parser *p, slice word, struct url *u, struct buf *text)
{
	struct ignore_site site = {
		.kind = IGNORE_HOST, .section = p->ig->sections - 1, .port = URL_NO_PORT};
	bool is_url = has_scheme(word);
	slice name = word;
	int rc;

	if (p->ig->sites.len >= IGNORE_SITES_MAX) {
		(void)err_set(p->err, ERR_LIMIT, "more than %d sites", IGNORE_SITES_MAX);
		return fail_at(p, word.ptr);
	}
	if (slice_eq(word, SLICE("*"))) {
		site.kind = IGNORE_ANY;
		ignore_site_vec_push(&p->ig->sites, site);
		return 0;
	}
	if (slice_starts_with(word, SLICE("*."))) {
		site.kind = IGNORE_BELOW;
		name = slice_sub(word, 2, word.len);
	}
	buf_reset(text);
	rc = is_url ? 0 : buf_add_str(text, "http://");
	if (rc == 0)
		rc = buf_add(text, name);
	if (rc)
		(void)err_code(p->err, rc);
	else
		rc = url_parse(u, buf_slice(text), NULL, p->err);
	if (rc)
		return fail_at(p, word.ptr);
	TRY(is_url ? prefix_site(p, word, u, &site) : host_site(p, word, u, &site));
	return err_code(p->err, ignore_site_vec_push(&p->ig->sites, site));
}

/* [host *.host https://host/prefix …] */
static int read_section(struct parser *p, slice head)
{
	slice inner, word;
	struct buf text;
	struct url u;
	int rc = 0;

	if (head.ptr[head.len - 1] != ']') {
		(void)err_set(p->err, ERR_SYNTAX, "the section's ']' is missing");
		return fail_at(p, end_of(head));
	}
	inner = (slice){head.ptr + 1, head.len - 2};
	if (word_trim(inner).len == 0) {
		(void)err_set(p->err, ERR_SYNTAX,
			"the section names no site; write hosts or beginnings of URLs, or *");
		return fail_at(p, head.ptr + 1);
	}
	p->ig->sections++;
	buf_init(&text, URL_MAX);
	url_init(&u);
	while (rc == 0 && word_next(&inner, ' ', &word))
		rc = read_site(p, word, &u, &text);
	url_release(&u);
	buf_release(&text);
	return rc;
}

static bool is_name_char(char c)
{
	return word_is_alnum(c) || c == '-' || c == '_' || c == '.';
}

/* A name is no number, which would look like that of a line. */
static int check_name(struct parser *p, slice name)
{
	bool number = true;

	for (size_t i = 0; i < name.len; i++) {
		number = number && word_is_digit(name.ptr[i]);
		if (!is_name_char(name.ptr[i])) {
			(void)err_set(p->err, ERR_SYNTAX,
				"a name has only letters, digits, '-', '_' and '.'");
			return fail_at(p, name.ptr + i);
		}
	}
	if (name.len == 0 || name.len > IGNORE_NAME_MAX || number) {
		(void)err_set(p->err, ERR_SYNTAX,
			"a name has 1 to %d characters and is not a number", IGNORE_NAME_MAX);
		return fail_at(p, name.ptr);
	}
	for (size_t i = 0; i < p->ig->rules.len; i++) {
		const struct ignore_rule *rule = &p->ig->rules.ptr[i];

		if (!slice_eq(slice_sub(rule->name, sizeof "ignore:" - 1, rule->name.len), name))
			continue;
		(void)err_set(p->err, ERR_SYNTAX, "line %u has this name already", rule->line);
		return fail_at(p, name.ptr);
	}
	return 0;
}

/* "ignore:NAME", or "ignore:LINE" when the name's ptr is NULL. */
static int name_rule(struct parser *p, slice name, struct ignore_rule *rule)
{
	struct buf text;
	int rc;

	buf_init(&text, IGNORE_NAME_MAX + sizeof "ignore:");
	if (name.ptr)
		rc = buf_printf(&text, "ignore:%.*s", (int)name.len, name.ptr);
	else
		rc = buf_printf(&text, "ignore:%u", p->number);
	rc = err_code(p->err, rc);
	if (rc == 0)
		rc = keep(p, buf_slice(&text), &rule->name);
	buf_release(&text);
	return rc;
}

static int compile_rule(struct parser *p, slice body, struct ignore_rule *rule)
{
	struct selector_place place = {1, 1};
	size_t at = 0;
	int rc;

	if (rule->kind == IGNORE_TEXT) {
		rc = text_pattern_compile(body, &rule->pattern, &at, p->err);
		return rc ? fail_at(p, body.ptr + at) : 0;
	}
	rc = selector_set_add(&p->ig->selectors, body, &rule->selector, &place, p->err);
	if (rc == 0)
		return 0;
	for (size_t column = 1; at < body.len && column < place.column; column++)
		do
			at++;
		while (at < body.len && (body.ptr[at] & 0xc0) == 0x80);
	return fail_at(p, body.ptr + at);
}

static int add_rule(struct parser *p, slice name, slice body, enum ignore_kind kind)
{
	struct ignore_rule rule = {.kind = kind, .section = p->ig->sections - 1, .line = p->number};
	int rc;

	if (p->ig->rules.len >= IGNORE_RULES_MAX) {
		(void)err_set(p->err, ERR_LIMIT, "more than %d rules", IGNORE_RULES_MAX);
		return fail_at(p, p->line.ptr);
	}
	if (body.len == 0) {
		(void)err_set(p->err, ERR_SYNTAX, "the %s is missing",
			kind == IGNORE_TEXT ? "regular expression" : "selector");
		return fail_at(p, body.ptr);
	}
	rc = name_rule(p, name, &rule);
	if (rc == 0)
		rc = keep(p, body, &rule.text);
	if (rc == 0)
		rc = compile_rule(p, body, &rule);
	if (rc)
		return rc;
	rc = err_code(p->err, ignore_rule_vec_push(&p->ig->rules, rule));
	if (rc)
		text_pattern_free(rule.pattern);
	return rc;
}

static int find_kind(slice word, enum ignore_kind *ret)
{
	if (slice_eq(word, SLICE("select")))
		*ret = IGNORE_SELECT;
	else if (slice_eq(word, SLICE("text")))
		*ret = IGNORE_TEXT;
	else if (slice_eq(word, SLICE("require")))
		*ret = IGNORE_REQUIRE;
	else
		return ERR_NOTFOUND;
	return 0;
}

/* select|text|require[:NAME] BODY */
static int read_rule(struct parser *p, slice text)
{
	enum ignore_kind kind;
	slice word = {text.ptr, 0}, name = {0};
	int rc = 0;

	while (word.len < text.len && !word_is_space(text.ptr[word.len]) &&
		text.ptr[word.len] != ':')
		word.len++;
	if (find_kind(word, &kind)) {
		(void)err_set(p->err, ERR_SYNTAX,
			"'%.*s' is no rule; write select, text, require, [SITES] or # comment",
			slice_shown(word, SHOWN_MAX), word.ptr);
		return fail_at(p, word.ptr);
	}
	text = (slice){end_of(word), text.len - word.len};
	if (text.len && text.ptr[0] == ':') {
		name = (slice){text.ptr + 1, 0};
		while (name.len < text.len - 1 && !word_is_space(name.ptr[name.len]))
			name.len++;
		rc = check_name(p, name);
		text = (slice){end_of(name), 0};
	}
	return rc ? rc : add_rule(p, name, rest_from(p, text.ptr), kind);
}

static int read_line(struct parser *p)
{
	slice text = rest_from(p, p->line.ptr);
	size_t sound = utf8_valid_prefix(p->line);

	if (sound < p->line.len) {
		(void)err_set(p->err, ERR_SYNTAX, "this is not UTF-8");
		return fail_at(p, p->line.ptr + sound);
	}
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] < ' ' && text.ptr[i] != '\t') {
			(void)err_set(p->err, ERR_SYNTAX, "this is a control character");
			return fail_at(p, text.ptr + i);
		}
	if (text.len == 0 || text.ptr[0] == '#')
		return 0;
	return text.ptr[0] == '[' ? read_section(p, text) : read_rule(p, text);
}

static int digest_content(struct ignore *ig, slice content)
{
	struct digester digester = {0};
	int rc = digester_start(&digester, DIGEST_SHA256);

	if (rc == 0) {
		digester_feed(&digester, content);
		digester_finish(&digester, &ig->digest);
	}
	digester_release(&digester);
	return rc;
}

static int read_lines(struct parser *p, slice content)
{
	int rc = 0;

	if (slice_starts_with(content, SLICE("\xef\xbb\xbf")))
		content = slice_sub(content, 3, content.len);
	while (rc == 0 && content.len) {
		const char *end = memchr(content.ptr, '\n', content.len);
		size_t len = end ? (size_t)(end - content.ptr) : content.len;

		p->number++;
		p->line = (slice){content.ptr, len};
		rc = read_line(p);
		content = slice_sub(content, len + 1, content.len);
	}
	return rc;
}

int ignore_parse(struct ignore *ig, slice content, const char *file, struct err *err)
{
	struct err unheard = {0};
	struct parser p = {.ig = ig, .file = file, .err = err ? err : &unheard};
	int rc;

	if (content.len > IGNORE_FILE_MAX) {
		(void)err_set(p.err, ERR_LIMIT, "the file has more than %d bytes", IGNORE_FILE_MAX);
		err_prefix(p.err, "%s:1:1", file);
		return ERR_LIMIT;
	}
	rc = digest_content(ig, content);
	if (rc)
		return err_code(p.err, rc);
	return read_lines(&p, content);
}

static bool is_below(slice host, slice domain)
{
	if (!slice_ends_with(host, domain))
		return false;
	return host.len == domain.len || host.ptr[host.len - domain.len - 1] == '.';
}

static bool site_holds(const struct ignore_site *site, const struct url *url)
{
	slice host = url_part(url, url->host);

	if (site->port != URL_NO_PORT && site->port != url_effective_port(url))
		return false;
	switch (site->kind) {
	case IGNORE_ANY:
		return true;
	case IGNORE_HOST:
		return slice_eq(host, site->text);
	case IGNORE_BELOW:
		return is_below(host, site->text);
	case IGNORE_PREFIX:
		return url->text.ptr && slice_starts_with(url_text(url), site->text);
	}
	return false;
}

/* The first site of a section; they are in the order of sections. */
static size_t first_site(const struct ignore *ig, uint32_t section)
{
	size_t low = 0, high = ig->sites.len;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (ig->sites.ptr[middle].section < section)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool ignore_applies(const struct ignore *ig, uint32_t section, const struct url *url)
{
	if (section == 0)
		return true;
	for (size_t i = first_site(ig, section); i < ig->sites.len; i++) {
		if (ig->sites.ptr[i].section != section)
			break;
		if (site_holds(&ig->sites.ptr[i], url))
			return true;
	}
	return false;
}
