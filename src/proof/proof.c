#include "proof/proof.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "base/word.h"
#include "formats/charset.h"
#include "formats/media_type.h"
#include "proof/proof_judge.h"

enum { PROOF_MEMORY_MAX = 64 << 20 }; /* bytes of the texts of a result */

const char *proof_in_name(unsigned bit)
{
	static const char *const NAMES[PROOF_IN_COUNT] = {
		"text", "links", "structure", "attributes", "code", "style", "data"};

	return NAMES[bit];
}

const char *proof_same_name(enum proof_same same)
{
	static const char *const NAMES[] = {
		[PROOF_BYTES] = "bytes", [PROOF_NORMALISED] = "normalised"};

	return NAMES[same];
}

/* --- the two looks --- */

static enum proof_format format_of(slice type)
{
	static const struct {
		const char *type;
		enum proof_format format;
	} TYPES[] = {
		{"text/html", FORMAT_HTML},
		{"application/xhtml+xml", FORMAT_XML},
		{"text/xml", FORMAT_XML},
		{"application/xml", FORMAT_XML},
		{"text/css", FORMAT_CSS},
		{"text/javascript", FORMAT_SCRIPT},
		{"application/javascript", FORMAT_SCRIPT},
		{"application/x-javascript", FORMAT_SCRIPT},
		{"text/ecmascript", FORMAT_SCRIPT},
		{"application/ecmascript", FORMAT_SCRIPT},
		{"application/json", FORMAT_JSON},
		{"text/json", FORMAT_JSON},
		{"text/plain", FORMAT_PLAIN},
	};

	if (!type.len)
		return FORMAT_HTML;
	for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
		if (word_is(type, slice_str(TYPES[i].type)))
			return TYPES[i].format;
	if (word_ends(type, SLICE("+json")))
		return FORMAT_JSON;
	return word_ends(type, SLICE("+xml")) ? FORMAT_XML : FORMAT_OPAQUE;
}

/* Bytes that are no UTF-8 become characters of their own, so that other bytes stay others. */
static int keep_bytes(slice in, struct buf *out)
{
	const unsigned char *p = (const unsigned char *)in.ptr;
	int rc = 0;

	for (size_t i = 0; i < in.len && rc == 0;) {
		bool ok;
		size_t n = utf8_length(p + i, in.len - i, &ok);

		if (ok) {
			rc = buf_add(out, slice_sub(in, i, i + n));
			i += n;
		} else {
			char text[UTF8_MAX];
			size_t len = utf8_put(0x10ff00U + p[i], text);

			rc = buf_add(out, (slice){text, len});
			i++;
		}
	}
	return rc;
}

/* The body in UTF-8: itself, or in out. */
static int decode(
	struct judge *j, slice body, struct charset_guess guess, struct buf *out, slice *ret)
{
	struct charset_decoder *decoder = NULL;
	slice in = slice_sub(body, guess.bom, body.len), text;
	struct buf scratch;
	int rc;

	*ret = in;
	if (guess.charset == CHARSET_UTF_8) {
		if (utf8_valid_prefix(in) == in.len)
			return 0;
		rc = keep_bytes(in, out);
		*ret = buf_slice(out);
		return rc;
	}
	buf_init(&scratch, CHARSET_EXPANSION * in.len + 64);
	rc = charset_decoder_open(guess.charset, &decoder);
	if (rc == ERR_UNSUPPORTED)
		rc = charset_decoder_open(CHARSET_WINDOWS_1252, &decoder);
	if (rc == 0)
		rc = charset_decode(decoder, in, true, &scratch, &text);
	if (rc == 0)
		rc = buf_add(out, text);
	charset_decoder_close(decoder);
	buf_release(&scratch);
	*ret = buf_slice(out);
	if (rc == 0 && ret->len && memmem(ret->ptr, ret->len, UTF8_REPLACEMENT, 3))
		met_limit(j, "bytes that are no text");
	return rc;
}

static enum charset_format charset_format_of(enum proof_format format)
{
	if (format == FORMAT_CSS)
		return CHARSET_CSS;
	return format == FORMAT_HTML || format == FORMAT_XML ? CHARSET_HTML : CHARSET_PLAIN;
}

static bool are_blank(slice s)
{
	return word_trim(s).len == 0;
}

/* A look without a type says nothing of it. */
static bool are_types_alike(struct media_type x, struct media_type y)
{
	if (!x.essence.len || !y.essence.len)
		return true;
	return word_is(x.essence, y.essence) && word_is(x.charset, y.charset);
}

/* Looks that differ before their bodies are read. */
static bool differ_at_once(struct judge *j, struct media_type x, struct media_type y)
{
	const struct proof_params *p = j->params;
	struct place place = {.step = "Content-Type", .element = NO_TOKEN, .in = PROOF_IN_DATA};

	if (!are_types_alike(x, y)) {
		(void)unexplained(j, &place, p->a.media_type, p->b.media_type);
		return true;
	}
	place.step = "body";
	if (p->a.body.len > PROOF_BODY_MAX || p->b.body.len > PROOF_BODY_MAX) {
		(void)unexplained(j, &place, p->a.body, p->b.body);
		met_limit(j, "a body is too large");
		return true;
	}
	if (format_of(x.essence.len ? x.essence : y.essence) == FORMAT_OPAQUE ||
		are_blank(p->a.body) || are_blank(p->b.body)) {
		(void)unexplained(j, &place, p->a.body, p->b.body);
		return true;
	}
	return false;
}

static void compare_bodies(struct judge *j, struct media_type type)
{
	enum proof_format format = format_of(type.essence);
	const struct proof_params *p = j->params;
	struct place place = {.element = NO_TOKEN, .in = PROOF_IN_TEXT};
	struct charset_guess x, y;
	struct buf a, b;

	if (format == FORMAT_CSS)
		place.in = PROOF_IN_STYLE;
	else if (format == FORMAT_SCRIPT)
		place.in = PROOF_IN_CODE;
	else if (format == FORMAT_JSON)
		place.in = PROOF_IN_DATA;
	x = charset_guess(slice_sub(p->a.body, 0, CHARSET_SNIFF_MAX), type.charset,
		charset_format_of(format));
	y = charset_guess(slice_sub(p->b.body, 0, CHARSET_SNIFF_MAX), type.charset,
		charset_format_of(format));
	if (x.charset != y.charset || x.bom != y.bom) {
		place.step = "character set";
		(void)unexplained(j, &place, slice_str(charset_name(x.charset)),
			slice_str(charset_name(y.charset)));
		return;
	}
	buf_init(&a, (size_t)PROOF_BODY_MAX * CHARSET_EXPANSION);
	buf_init(&b, (size_t)PROOF_BODY_MAX * CHARSET_EXPANSION);
	failed(j, decode(j, p->a.body, x, &a, &j->text[0]));
	failed(j, decode(j, p->b.body, y, &b, &j->text[1]));
	if (!j->is_done) {
		(void)compare_documents(j, format, j->text[0], j->text[1], &place);
		check_renames(j);
	}
	buf_release(&a);
	buf_release(&b);
}

/* --- the result --- */

static void add_rule(struct judge *j, slice name, uint64_t count)
{
	if (count)
		failed(j, proof_rules_push(&j->out->rules, (struct proof_rule){name, count}));
}

static double share(size_t part, size_t all)
{
	return part == 0 ? 0 : part >= all ? 1 : (double)part / (double)all;
}

static void conclude(struct judge *j)
{
	double a = share(j->masked[0], j->visible[0]), b = share(j->masked[1], j->visible[1]);
	struct place place = {.step = "body", .element = NO_TOKEN, .in = PROOF_IN_DATA};

	for (size_t i = 0; i < RULE_COUNT; i++)
		add_rule(j, slice_str(proof_rule_name((enum proof_rule_id)i)), j->counts[i]);
	for (size_t i = 0; i < j->ignored.len; i++)
		add_rule(j, j->params->ignore->rules.ptr[i].name, j->ignored.ptr[i]);
	add_rule(j, SLICE("learned"), j->learned);
	j->out->masked = a > b ? a : b;
	if (j->unexplained || j->out->limit)
		return;
	if (j->out->rules.len == 0) /* bytes that no reader tells apart */
		(void)unexplained(j, &place, j->params->a.body, j->params->b.body);
	else
		j->out->same = PROOF_NORMALISED;
}

static int begin(struct judge *j, const struct proof_params *params)
{
	struct hash_key key = {1, 2};
	int rc = 0;

	arena_init(&j->arena, JUDGE_MEMORY_MAX);
	strmap_init(&j->renamed, key, &j->arena);
	strmap_init(&j->differing, key, NULL);
	strmap_init(&j->names[0], key, NULL);
	strmap_init(&j->names[1], key, NULL);
	url_init(&j->base);
	j->work = JUDGE_WORK_MAX;
	j->looks = (struct value_looks){(double)params->a.time / 1e9, (double)params->b.time / 1e9};
	j->has_base = params->url.len && url_parse(&j->base, params->url, NULL, NULL) == 0;
	if (!params->ignore)
		return 0;
	for (int i = 0; i < 2; i++)
		ignore_page_init(&j->ignoring[i], params->ignore);
	j->ignored.len = params->ignore->rules.len;
	j->ignored.ptr = mem_new(j->ignored.len + 1, sizeof *j->ignored.ptr);
	for (int i = 0; i < 2 && rc == 0; i++)
		rc = ignore_page_start(&j->ignoring[i], &j->base,
			format_of(media_type_parse(params->a.media_type).essence) == FORMAT_XML
				? HTML_XML
				: 0);
	j->ignores = rc == 0 && ignore_page_acts(&j->ignoring[0]);
	return rc;
}

static void end(struct judge *j)
{
	arena_release(&j->arena);
	strmap_release(&j->renamed);
	strmap_release(&j->differing);
	u32_vec_release(&j->differed);
	strmap_release(&j->names[0]);
	strmap_release(&j->names[1]);
	rename_vec_release(&j->renames);
	url_release(&j->base);
	for (int i = 0; i < 2 && j->params->ignore; i++)
		ignore_page_release(&j->ignoring[i]);
	free(j->ignored.ptr);
}

/* The bodies in an order that does not depend on which look came first. */
static bool is_swapped(const struct proof_params *p)
{
	size_t shorter = p->a.body.len < p->b.body.len ? p->a.body.len : p->b.body.len;
	int order = shorter ? memcmp(p->a.body.ptr, p->b.body.ptr, shorter) : 0;

	return order ? order > 0 : p->a.body.len > p->b.body.len;
}

int proof_compare(const struct proof_params *params, struct proof *ret)
{
	struct proof_params p = *params;
	struct judge j = {.params = &p, .out = ret};
	struct media_type x, y;
	int rc;

	*ret = (struct proof){0};
	arena_init(&ret->arena, PROOF_MEMORY_MAX);
	x = media_type_parse(params->a.media_type);
	y = media_type_parse(params->b.media_type);
	if (slice_eq(params->a.body, params->b.body) && are_types_alike(x, y)) {
		ret->same = PROOF_BYTES;
		return 0;
	}
	if (is_swapped(params)) {
		j.swapped = true;
		p.a = params->b;
		p.b = params->a;
	}
	rc = begin(&j, &p);
	if (rc == 0 && !differ_at_once(&j, x, y))
		compare_bodies(&j, x.essence.len ? x : y);
	if (rc == 0)
		conclude(&j);
	end(&j);
	return rc ? rc : j.rc;
}

void proof_release(struct proof *c)
{
	proof_places_release(&c->places);
	proof_rules_release(&c->rules);
	proof_duties_release(&c->duties);
	arena_release(&c->arena);
}
