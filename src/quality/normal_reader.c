#include "quality/normal_reader.h"

#include <stdlib.h>

/* The head is known when the body begins. */
static void begin_body(struct normal_reader *r)
{
	const struct fields *head = message_fields(r->message);

	r->begun = true;
	r->viewing = normal_applies(head);
	if (!r->viewing)
		return;
	view_reset(&r->view, NOISE_DEFAULT);
	page_open(r->page, &(struct page_params){
				   .content_type = fields_get(head, SLICE("Content-Type")),
				   .view = &r->view,
			   });
}

static int sink(void *context, slice decoded)
{
	struct normal_reader *r = context;

	if (!r->begun)
		begin_body(r);
	return r->viewing ? page_feed(r->page, decoded) : 0;
}

int normal_reader_init(struct normal_reader *r)
{
	*r = (struct normal_reader){0};
	view_init(&r->view, NOISE_DEFAULT);
	r->message = message_new(sink, r);
	r->page = malloc(sizeof *r->page);
	return r->message && r->page ? 0 : ERR_NOMEM;
}

static void end_body(struct normal_reader *r)
{
	if (r->viewing)
		page_close(r->page);
	r->begun = r->viewing = false;
}

void normal_reader_release(struct normal_reader *r)
{
	end_body(r);
	message_free(r->message);
	free(r->page);
	view_release(&r->view);
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
	if (rc == 0 && !r->begun) /* an empty body */
		begin_body(r);
	if (rc == 0 && r->viewing) {
		rc = page_finish(r->page);
		if (rc == 0)
			rc = normal_take(&r->view, ret_state, ret);
		if (rc == 0 && ret->has_digest)
			rc = message_shown(r->message, &ret->digest, &ret->digest);
	}
	end_body(r);
	return rc;
}

int normal_reader_combine(
	struct normal_reader *r, const struct state_result *of, struct state_result *ret)
{
	return message_combine(r->message, of, ret);
}
