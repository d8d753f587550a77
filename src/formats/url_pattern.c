#include "formats/url_pattern.h"

#include <stdlib.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/mem.h"

enum { MESSAGE_SIZE = 256 };

struct pattern {
	pcre2_code *code;
	pcre2_match_context *limits;
	size_t len;
	char text[]; /* NUL-terminated */
};

void pattern_free(struct pattern *p)
{
	if (!p)
		return;
	pcre2_code_free(p->code);
	pcre2_match_context_free(p->limits);
	free(p);
}

/* The limits are the pattern's own, and final: (*LIMIT_MATCH=…) can only lower them. */
static int set_limits(struct pattern *p)
{
	p->limits = pcre2_match_context_create(NULL);
	if (!p->limits)
		return ERR_NOMEM;
	(void)pcre2_set_match_limit(p->limits, PATTERN_MATCH_LIMIT);
	(void)pcre2_set_depth_limit(p->limits, PATTERN_DEPTH_LIMIT);
	(void)pcre2_set_heap_limit(p->limits, PATTERN_HEAP_LIMIT);
	return 0;
}

static int compile(struct pattern *p, struct err *err)
{
	unsigned char message[MESSAGE_SIZE];
	PCRE2_SIZE at;
	int code;

	p->code = pcre2_compile((PCRE2_SPTR)p->text, p->len,
		PCRE2_NEVER_UTF | PCRE2_NEVER_BACKSLASH_C, &code, &at, NULL);
	if (!p->code) {
		(void)pcre2_get_error_message(code, message, sizeof message);
		return err_set(err, ERR_SYNTAX, "regular expression: %s at character %zu",
			(const char *)message, (size_t)at + 1);
	}
	/* Without it matching is slower, not different. */
	(void)pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE);
	return set_limits(p);
}

int pattern_compile(slice text, struct pattern **ret, struct err *err)
{
	struct pattern *p;
	int rc;

	if (text.len > PATTERN_MAX)
		return err_set(err, ERR_LIMIT, "regular expression over %d bytes", PATTERN_MAX);
	p = mem_new(1, sizeof *p + text.len + 1);
	if (text.len)
		memcpy(p->text, text.ptr, text.len);
	p->len = text.len;
	rc = compile(p, err);
	if (rc) {
		pattern_free(p);
		return rc;
	}
	*ret = p;
	return 0;
}

enum pattern_result pattern_match(const struct pattern *p, slice s)
{
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	int rc;

	if (!data)
		return PATTERN_GAVE_UP;
	rc = pcre2_match(p->code, (PCRE2_SPTR)(s.ptr ? s.ptr : ""), s.len, 0, 0, data, p->limits);
	pcre2_match_data_free(data);
	if (rc == PCRE2_ERROR_NOMATCH)
		return PATTERN_NO;
	return rc >= 0 ? PATTERN_YES : PATTERN_GAVE_UP;
}

slice pattern_text(const struct pattern *p)
{
	return (slice){p->text, p->len};
}
