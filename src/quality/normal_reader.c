#include "quality/normal_reader.h"

#include <stdlib.h>

/* Which rules hold, and how the body is read by them. */
static int begin_view(struct normal_reader *r)
{
	const struct fields *head = message_fields(r->message);
	int rc = 0;

	r->viewing = normal_applies(head);
	if (r->viewing)
		rc = view_start(&r->view, r->book, r->url);
	r->manner = normal_manner(head, r->viewing ? r->view.manner : 0);
	return rc;
}

/* The head is known when the body begins. */
static int begin_body(struct normal_reader *r)
{
	const struct fields *head = message_fields(r->message);
	slice type = media_type_of_head(head);
	int rc = begin_view(r);

	if (rc)
		return rc;
	r->begun = true;
	r->signing = stand_in_applies(head);
	r->parsing = r->viewing || r->signing || (r->links && page_format_of(type) != PAGE_OPAQUE);
	if (r->links)
		links_reset(r->links);
	if (r->signing)
		stand_in_reset(&r->stand_in);
	if (r->parsing)
		page_open(r->page, &(struct page_params){
					   .content_type = type,
					   .links = r->links,
					   .view = r->viewing ? &r->view : NULL,
					   .stand_in = r->signing ? &r->stand_in : NULL,
				   });
	return 0;
}

static int sink(void *context, slice decoded)
{
	struct normal_reader *r = context;
	int rc = r->begun ? 0 : begin_body(r);

	if (rc)
		return rc;
	return r->parsing ? page_feed(r->page, decoded) : 0;
}

int normal_reader_init(struct normal_reader *r)
{
	*r = (struct normal_reader){.book = rulebook_default()};
	view_init(&r->view, NOISE_DEFAULT);
	stand_in_init(&r->stand_in);
	r->message = message_new(sink, r);
	r->page = malloc(sizeof *r->page);
	return r->message && r->page ? 0 : ERR_NOMEM;
}

static void end_body(struct normal_reader *r)
{
	if (r->parsing)
		page_close(r->page);
	r->begun = r->viewing = r->parsing = r->signing = false;
}

void normal_reader_release(struct normal_reader *r)
{
	end_body(r);
	message_free(r->message);
	free(r->page);
	view_release(&r->view);
	stand_in_release(&r->stand_in);
	*r = (struct normal_reader){0};
}

void normal_reader_start(struct normal_reader *r)
{
	end_body(r);
	message_start(r->message);
}

int normal_reader_feed(struct normal_reader *r, slice block)
{
	return message_feed(r->message, block);
}

int normal_reader_finish(
	struct normal_reader *r, struct state_result *ret_state, struct normal *ret)
{
	int rc = message_finish(r->message, ret_state);

	*ret = (struct normal){0};
	if (rc == 0 && r->framed)
		ret_state->close_delimited = false;
	if (rc == 0 && !r->begun) /* an empty body */
		rc = begin_body(r);
	if (rc == 0 && r->parsing)
		rc = page_finish(r->page);
	r->has_signs = rc == 0 && r->signing && page_is_html(r->page) && normal_is_read(ret_state);
	if (r->has_signs)
		r->signs = stand_in_body(&r->stand_in);
	if (rc == 0 && r->viewing) {
		rc = normal_take(&r->view, ret_state, ret);
		if (rc == 0 && ret->has_digest)
			rc = message_shown(r->message, &ret->view, &ret->digest);
	}
	end_body(r);
	return rc;
}

bool normal_reader_signs(const struct normal_reader *r, struct blocked_body *ret)
{
	if (r->has_signs)
		*ret = r->signs;
	return r->has_signs;
}

const struct fields *normal_reader_head(const struct normal_reader *r)
{
	return message_fields(r->message);
}

int normal_reader_combine(struct normal_reader *r, const struct normal_original *of,
	struct state_result *ret_state, struct normal *ret)
{
	struct normal shown = *of->shown;
	int rc = message_combine(r->message, of->state, ret_state);

	*ret = (struct normal){0};
	if (rc)
		return rc;
	if (r->framed)
		ret_state->close_delimited = false;
	rc = begin_view(r);
	if (rc || !shown.is_read || !ret_state->whole || of->manner != r->manner)
		return rc;
	*ret = shown;
	ret->has_digest = ret->has_view && !ret_state->close_delimited;
	return ret->has_digest ? message_shown(r->message, &ret->view, &ret->digest) : 0;
}
