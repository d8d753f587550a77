#include "extract/text_pattern.h"

#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum { MESSAGE_SIZE = 256 };

struct text_pattern {
	pcre2_code *code;
	pcre2_match_context *limits;
};

void text_pattern_free(struct text_pattern *p)
{
	if (!p)
		return;
	pcre2_code_free(p->code);
	pcre2_match_context_free(p->limits);
	free(p);
}

/* The limits are final: (*LIMIT_MATCH=…) in an expression can only lower them. */
static int set_limits(struct text_pattern *p)
{
	p->limits = pcre2_match_context_create(NULL);
	if (!p->limits)
		return ERR_NOMEM;
	(void)pcre2_set_match_limit(p->limits, TEXT_PATTERN_MATCH_LIMIT);
	(void)pcre2_set_depth_limit(p->limits, TEXT_PATTERN_DEPTH_LIMIT);
	(void)pcre2_set_heap_limit(p->limits, TEXT_PATTERN_HEAP_LIMIT);
	return 0;
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
	return err_code(err, set_limits(p));
}

int text_pattern_compile(slice text, struct text_pattern **ret, size_t *ret_at, struct err *err)
{
	struct text_pattern *p;
	int rc;

	if (text.len > TEXT_PATTERN_MAX) {
		*ret_at = TEXT_PATTERN_MAX;
		return err_set(err, ERR_LIMIT, "regular expression: longer than %d bytes",
			TEXT_PATTERN_MAX);
	}
	p = calloc(1, sizeof *p);
	if (!p)
		return err_code(err, ERR_NOMEM);
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

enum text_pattern_result text_pattern_find(
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
