#include "extract/deceit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/word.h"
#include "extract/deceit_script.h"
#include "extract/deceit_text.h"
#include "extract/html_attr.h"
#include "extract/refresh.h"

enum {
	WORDS_MIN = 60,      /* below, shares of words say nothing */
	SHORT_PAGE = 160,    /* words of a page that may be parked, or a redirect and no more */
	HIDDEN_MIN = 200,    /* bytes */
	FRAME_WORDS = 20,    /* of a page that only shows another in a frame */
	REFRESH_SECONDS = 5, /* a later refresh is for readers */
};

const char *deceit_redirect_name(enum deceit_redirect kind)
{
	static const char *const NAMES[] = {
		[DECEIT_NO_REDIRECT] = "",
		[DECEIT_META] = "meta",
		[DECEIT_SCRIPT] = "script",
		[DECEIT_FRAME] = "frame",
	};

	return NAMES[kind];
}

void deceit_init(struct deceit *d)
{
	*d = (struct deceit){0};
	buf_init(&d->text, DECEIT_TEXT_MAX);
	buf_init(&d->hidden, DECEIT_HIDDEN_MAX);
	buf_init(&d->script, DECEIT_SCRIPT_MAX);
	buf_init(&d->title, DECEIT_TITLE_MAX);
}

void deceit_release(struct deceit *d)
{
	buf_release(&d->text);
	buf_release(&d->hidden);
	buf_release(&d->script);
	buf_release(&d->title);
	*d = (struct deceit){0};
}

void deceit_start(struct deceit *d)
{
	struct deceit fresh = {
		.text = d->text, .hidden = d->hidden, .script = d->script, .title = d->title};

	*d = fresh;
	buf_reset(&d->text);
	buf_reset(&d->hidden);
	buf_reset(&d->script);
	buf_reset(&d->title);
}

/* ---- styles ---- */

/* The value of a property in a style attribute; empty when there is none. */
static slice property(slice style, slice name)
{
	while (style.len) {
		slice one = slice_take(&style, ';');
		slice key = word_trim(slice_take(&one, ':'));

		if (word_is(key, name))
			return word_trim(one);
	}
	return (slice){0};
}

static bool is_zero(slice value)
{
	return value.len && value.ptr[0] == '0' && (value.len < 2 || value.ptr[1] != '.');
}

/* Far outside of the page: -999px and more, or -100em. */
static bool is_far(slice value)
{
	return value.len >= 4 && value.ptr[0] == '-' && word_is_digit(value.ptr[1]) &&
	       word_is_digit(value.ptr[2]) && word_is_digit(value.ptr[3]);
}

static bool is_same_colour(slice a, slice b)
{
	return a.len && word_is(a, b);
}

/* Ways that have no other use than to show machines what people do not see. */
static bool hides_slyly(const struct deceit *d, const struct html_token *token, slice style)
{
	slice colour = property(style, SLICE("color"));
	slice ground = property(style, SLICE("background-color"));

	if (!ground.len)
		ground = property(style, SLICE("background"));
	if (token->tag == HTML_TAG_FONT)
		colour = html_attr_value(token, SLICE("color"));
	if (!ground.len)
		ground = slice_str(d->background);
	return is_zero(property(style, SLICE("font-size"))) ||
	       is_far(property(style, SLICE("text-indent"))) ||
	       is_far(property(style, SLICE("left"))) || is_far(property(style, SLICE("top"))) ||
	       is_zero(property(style, SLICE("opacity"))) || is_same_colour(colour, ground);
}

static bool hides(slice style)
{
	return word_is(property(style, SLICE("display")), SLICE("none")) ||
	       word_is(property(style, SLICE("visibility")), SLICE("hidden"));
}

static bool is_void(enum html_tag tag)
{
	return tag == HTML_TAG_INPUT || tag == HTML_TAG_IMG || tag == HTML_TAG_BR ||
	       tag == HTML_TAG_HR || tag == HTML_TAG_META || tag == HTML_TAG_LINK;
}

static void see_style(struct deceit *d, const struct html_token *token)
{
	slice style = html_attr_value(token, SLICE("style"));
	bool sly;

	if (d->hidden_tag) {
		d->hidden_depth += token->tag == d->hidden_tag && !token->self_closing;
		return;
	}
	if (!style.len && token->tag != HTML_TAG_FONT)
		return;
	sly = hides_slyly(d, token, style);
	if ((!sly && !hides(style)) || is_void(token->tag) || token->tag == HTML_TAG_OTHER)
		return;
	d->hidden_tag = token->tag;
	d->hidden_depth = 1;
	d->is_sly = sly;
}

/* ---- tags ---- */

static void set_target(struct deceit *d, enum deceit_redirect kind, slice target)
{
	if (d->redirect != DECEIT_NO_REDIRECT || target.len > DECEIT_TARGET_MAX || !target.len)
		return;
	d->redirect = kind;
	memcpy(d->target, target.ptr, target.len);
	d->target[target.len] = '\0';
}

static unsigned count_keywords(slice content)
{
	unsigned count = 0;

	while (content.len)
		count += word_trim(slice_take(&content, ',')).len > 0;
	return count;
}

static void see_meta(struct deceit *d, const struct html_token *token)
{
	slice content = html_attr_value(token, SLICE("content")), url;
	uint64_t seconds;

	if (word_is(html_attr_value(token, SLICE("name")), SLICE("keywords")))
		d->keywords += count_keywords(content);
	if (d->inside != HTML_TAG_NOSCRIPT &&
		word_is(html_attr_value(token, SLICE("http-equiv")), SLICE("refresh")) &&
		refresh_parse(content, &seconds, &url) && seconds <= REFRESH_SECONDS)
		set_target(d, DECEIT_META, url);
}

static bool is_full(slice value)
{
	return slice_eq(word_trim(value), SLICE("100%"));
}

/* A frame that fills the page. */
static void see_frame(struct deceit *d, const struct html_token *token)
{
	slice style = html_attr_value(token, SLICE("style")), src;
	bool fills = token->tag == HTML_TAG_FRAME ||
		     (is_full(html_attr_value(token, SLICE("width"))) &&
			     is_full(html_attr_value(token, SLICE("height")))) ||
		     (is_full(property(style, SLICE("width"))) &&
			     is_full(property(style, SLICE("height"))));

	if (d->inside == HTML_TAG_NOSCRIPT)
		return;
	src = html_attr_value(token, SLICE("src"));
	d->frames++;
	d->full_frames += fills;
	if (fills && d->full_frames == 1 && src.len <= DECEIT_TARGET_MAX && src.len) {
		memcpy(d->frame, src.ptr, src.len);
		d->frame[src.len] = '\0';
	}
}

static void start_tag(struct deceit *d, const struct html_token *token)
{
	slice colour;

	switch (token->tag) {
	case HTML_TAG_SCRIPT:
	case HTML_TAG_STYLE:
	case HTML_TAG_TITLE:
	case HTML_TAG_NOSCRIPT:
	case HTML_TAG_TEMPLATE:
	case HTML_TAG_TEXTAREA:
	case HTML_TAG_SELECT:
		if (!d->inside && !token->self_closing)
			d->inside = token->tag;
		buf_reset(&d->script);
		return;
	case HTML_TAG_META:
		see_meta(d, token);
		return;
	case HTML_TAG_FRAME:
	case HTML_TAG_IFRAME:
		see_frame(d, token);
		return;
	case HTML_TAG_BODY:
		colour = html_attr_value(token, SLICE("bgcolor"));
		if (!colour.len)
			colour = property(
				html_attr_value(token, SLICE("style")), SLICE("background-color"));
		(void)snprintf(d->background, sizeof d->background, "%.*s",
			slice_shown(colour, sizeof d->background - 1), colour.ptr);
		return;
	default:
		if (token->attr_count || d->hidden_tag)
			see_style(d, token);
		return;
	}
}

static void end_tag(struct deceit *d, const struct html_token *token)
{
	char target[DECEIT_TARGET_MAX + 1];

	if (d->inside && token->tag == d->inside) {
		if (d->inside == HTML_TAG_SCRIPT && d->redirect == DECEIT_NO_REDIRECT &&
			deceit_script_target(buf_slice(&d->script), target, sizeof target))
			set_target(d, DECEIT_SCRIPT, slice_str(target));
		d->inside = HTML_TAG_OTHER;
	}
	if (d->hidden_tag && token->tag == d->hidden_tag && --d->hidden_depth == 0)
		d->hidden_tag = HTML_TAG_OTHER;
}

/* As much of it as there is room for, and a blank: tags part words. */
static int add_part(struct buf *out, slice text)
{
	size_t room = out->max - out->len;
	int rc = room ? buf_add(out, slice_sub(text, 0, room)) : 0;

	return rc == 0 && out->len < out->max ? buf_add_char(out, ' ') : rc;
}

static int add_text(struct deceit *d, slice text)
{
	if (d->inside == HTML_TAG_SCRIPT)
		return d->redirect ? 0
				   : buf_add(&d->script,
					     slice_sub(text, 0, d->script.max - d->script.len));
	if (d->inside == HTML_TAG_TITLE)
		return add_part(&d->title, text);
	if (d->inside)
		return 0;
	if (!d->hidden_tag) {
		d->text_bytes += text.len;
		return add_part(&d->text, text);
	}
	d->hidden_bytes += text.len;
	d->has_sly = d->has_sly || (d->is_sly && word_trim(text).len > 0);
	return add_part(&d->hidden, text);
}

int deceit_token(struct deceit *d, const struct html_token *token)
{
	switch (token->kind) {
	case HTML_START_TAG:
		start_tag(d, token);
		return 0;
	case HTML_END_TAG:
		end_tag(d, token);
		return 0;
	case HTML_TEXT:
		return add_text(d, token->text);
	default:
		return 0;
	}
}

/* ---- judging ---- */

/* 0 up to low, 1 from high on. */
static double ramp(double value, double low, double high)
{
	return fmin(1, fmax(0, (value - low) / (high - low)));
}

/*
 * Signs that prove little alone add up; those that have no innocent cause count by themselves. The
 * bounds are such that no page of real documentation reaches 0.5 (docs/deceit.md).
 */
double deceit_score(const struct deceit_signs *s)
{
	double words = 0.5 * ramp(s->repetition, 0.6, 0.9) + 0.5 * ramp(s->stuffing, 0.12, 0.3) +
		       0.4 * ramp(s->compression, 5, 12) + 0.3 * ramp(1 - s->entropy, 0.35, 0.7);
	double around = 0.3 * ramp(s->title_words, 25, 60) + 0.3 * ramp(s->keywords, 40, 150);
	double score = words + around + s->hidden;

	score = fmax(score, 0.9 * s->parked);
	score = fmax(score, 0.7 * s->error);
	score = fmax(score, ramp(s->farm, 0.3, 0.9));
	return fmin(1, score);
}

/* Hidden text that people never see is bad; what a script may show later only if it is stuffed. */
static double judge_hidden(const struct deceit *d)
{
	double share = (double)d->hidden_bytes / (double)(d->hidden_bytes + d->text_bytes + 1);
	struct deceit_text text;

	if (d->hidden_bytes < HIDDEN_MIN)
		return 0;
	deceit_text_read(buf_slice(&d->hidden), &text);
	if (text.words < WORDS_MIN / 2)
		return 0;
	if (d->has_sly)
		return 0.7 * ramp(share, 0.05, 0.4);
	return 0.7 * ramp(share, 0.1, 0.5) * ramp((double)text.most / text.words, 0.06, 0.15);
}

static unsigned count_words(slice text)
{
	unsigned count = 0;
	slice word;

	while (word_next(&text, ' ', &word))
		count++;
	return count;
}

static void judge_words(
	const struct deceit *d, const struct deceit_text *text, struct deceit_signs *s)
{
	s->entropy = 1;
	if (text->words < WORDS_MIN)
		return;
	s->repetition = (double)text->repeats / (text->words - 2);
	s->stuffing = (double)text->most / text->words;
	s->entropy = text->entropy;
	if (s->repetition > 0.5 || s->stuffing > 0.1)
		s->compression = deceit_text_compression(buf_slice(&d->text));
}

void deceit_judge(const struct deceit *d, struct deceit_signs *ret)
{
	slice text = buf_slice(&d->text), title = buf_slice(&d->title);
	struct deceit_text read;

	*ret = (struct deceit_signs){.redirect = d->redirect, .keywords = d->keywords};
	memcpy(ret->target, d->target, sizeof ret->target);
	deceit_text_read(text, &read);
	judge_words(d, &read, ret);
	ret->hidden = judge_hidden(d);
	ret->title_words = title.len ? count_words(title) : 0;
	if (read.words < SHORT_PAGE) {
		ret->parked = deceit_text_is_parked(text, title);
		ret->error = deceit_text_is_error(text, title);
	}
	if (!ret->redirect && d->full_frames == 1 && d->frames == 1 && d->frame[0] &&
		read.words < FRAME_WORDS) {
		ret->redirect = DECEIT_FRAME;
		memcpy(ret->target, d->frame, sizeof ret->target);
	}
	ret->score = deceit_score(ret);
}

/* ---- as a line ---- */

/* Scores below are noise of ordinary pages. */
static const double SCORE_MIN = 0.1;

void deceit_write(const struct deceit_signs *s, char ret[DECEIT_LINE_SIZE])
{
	size_t len = 0;

	ret[0] = '\0';
#define ADD(name, value)         \
	if ((value) > 0)         \
	len += (size_t)snprintf( \
		ret + len, DECEIT_LINE_SIZE - len, "%s%s=%.4g", len ? " " : "", (name), (value))
#define X(name, member) ADD(name, s->member);
	if (s->score >= SCORE_MIN) {
		ADD("score", s->score);
		DECEIT_FEATURES(X)
	}
#undef X
#undef ADD
	if (s->redirect && !strpbrk(s->target, "\r\n"))
		(void)snprintf(ret + len, DECEIT_LINE_SIZE - len, "%sredirect=%s %s",
			len ? " " : "", deceit_redirect_name(s->redirect), s->target);
}

static bool read_redirect(slice kind, slice target, struct deceit_signs *ret)
{
	for (int i = DECEIT_META; i <= DECEIT_FRAME; i++)
		if (slice_eq(kind, slice_str(deceit_redirect_name((enum deceit_redirect)i))))
			ret->redirect = (enum deceit_redirect)i;
	if (!ret->redirect || target.len > DECEIT_TARGET_MAX)
		return false;
	memcpy(ret->target, target.ptr, target.len);
	ret->target[target.len] = '\0';
	return true;
}

static bool read_number(slice name, slice value, struct deceit_signs *ret)
{
	double number;

	if (parse_double(value, &number) || !(number >= 0 && number <= 1e9))
		return false;
	if (slice_eq(name, SLICE("score")))
		ret->score = fmin(1, number);
#define X(text, member)                      \
	if (slice_eq(name, slice_str(text))) \
		ret->member = number;
	DECEIT_FEATURES(X)
#undef X
	return true;
}

bool deceit_read(slice line, struct deceit_signs *ret)
{
	*ret = (struct deceit_signs){0};
	while (line.len) {
		slice value = slice_take(&line, ' ');
		slice name = slice_take(&value, '=');

		if (slice_eq(name, SLICE("redirect")))
			return read_redirect(value, line, ret);
		if (!read_number(name, value, ret))
			return false;
	}
	return true;
}
