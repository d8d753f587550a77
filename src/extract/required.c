#include "extract/required.h"

void required_release(struct required *r)
{
	if (r->page.rules)
		ignore_page_release(&r->page);
	*r = (struct required){0};
}

int required_start(struct required *r, const struct ignore *rules, slice url)
{
	struct url parsed;
	int rc;

	r->is_on = false;
	if (rules->rules.len == 0)
		return 0;
	if (r->page.rules && r->page.rules != rules)
		required_release(r);
	if (!r->page.rules)
		ignore_page_init(&r->page, rules);
	url_init(&parsed);
	rc = url_parse(&parsed, url, NULL, NULL);
	if (rc != ERR_NOMEM)
		rc = ignore_page_start(&r->page, &parsed, 0);
	url_release(&parsed);
	r->is_on = rc == 0 && r->page.requires.len > 0;
	return rc;
}

uint64_t required_number(const struct required *r)
{
	return r->is_on ? ignore_page_number(&r->page) : 0;
}

void required_set_flags(struct required *r, unsigned flags)
{
	if (r->is_on)
		selector_stack_reset(&r->page.stack, flags);
}

int required_token(struct required *r, const struct html_token *token)
{
	return r->is_on ? ignore_page_token(&r->page, token) : 0;
}

slice required_missing(const struct required *r)
{
	uint32_t rule = r->is_on ? ignore_page_missing(&r->page) : IGNORE_NONE;

	if (rule == IGNORE_NONE)
		return (slice){0};
	return r->page.rules->rules.ptr[rule].name;
}
