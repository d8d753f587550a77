#include "proof/response_reader.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/word.h"
#include "proof/verdict.h"
#include "warc/warc_reader.h"

/* Which requirements hold, and how the body is read by them. */
static int begin_manner(struct response_reader *r)
{
	const struct fields *head = message_fields(r->message);
	bool is_html = stand_in_applies(head);
	int rc = is_html ? required_start(&r->required, &r->book->ignore, r->url) : 0;

	r->required.is_on = r->required.is_on && is_html;
	r->manner = manner_of(head, required_number(&r->required));
	return rc;
}

/* The head is known when the body begins. */
static int begin_body(struct response_reader *r)
{
	const struct fields *head = message_fields(r->message);
	slice type = media_type_of_head(head);
	int rc = begin_manner(r);

	if (rc)
		return rc;
	r->begun = true;
	r->signing = stand_in_applies(head);
	r->parsing = r->signing || (r->links && page_format_of(type) != PAGE_OPAQUE);
	if (r->links)
		links_reset(r->links);
	if (r->signing)
		stand_in_reset(&r->stand_in);
	if (r->parsing)
		page_open(r->page, &(struct page_params){
					   .content_type = type,
					   .links = r->links,
					   .required = r->required.is_on ? &r->required : NULL,
					   .stand_in = r->signing ? &r->stand_in : NULL,
				   });
	return 0;
}

static int sink(void *context, slice decoded)
{
	struct response_reader *r = context;
	int rc = r->begun ? 0 : begin_body(r);

	if (rc)
		return rc;
	return r->parsing ? page_feed(r->page, decoded) : 0;
}

void response_reader_init(struct response_reader *r)
{
	*r = (struct response_reader){.book = rulebook_default()};
	stand_in_init(&r->stand_in);
	r->message = message_new(sink, r);
	if (!r->message)
		mem_end();
	r->page = mem_resize(NULL, 1, sizeof *r->page);
}

static void end_body(struct response_reader *r)
{
	if (r->parsing)
		page_close(r->page);
	r->begun = r->parsing = r->signing = false;
}

void response_reader_release(struct response_reader *r)
{
	end_body(r);
	message_free(r->message);
	free(r->page);
	required_release(&r->required);
	stand_in_release(&r->stand_in);
	*r = (struct response_reader){0};
}

void response_reader_info(struct response_reader *r, slice block)
{
	unsigned form = STATE_FORM_LAST;

	while (block.len > 0) {
		slice value = slice_take(&block, '\n'), name = slice_take(&value, ':');

		value = word_trim(value);
		if (word_is(name, SLICE("software")) &&
			slice_starts_with(value, SLICE("stillpoint/")))
			form = STATE_FORM_1;
		else if (word_is(name, SLICE("stillpoint-state-form")) &&
			 slice_eq(value, SLICE("2")))
			form = STATE_FORM_LAST;
	}
	message_set_form(r->message, form);
}

void response_reader_start(struct response_reader *r)
{
	end_body(r);
	message_start(r->message);
}

int response_reader_feed(struct response_reader *r, slice block)
{
	return message_feed(r->message, block);
}

int response_reader_read(struct response_reader *r, struct warc_reader *from, struct err *err)
{
	slice bytes;
	int rc;

	response_reader_start(r);
	while ((rc = warc_reader_block(from, &bytes, err)) == 0) {
		rc = err_code(err, response_reader_feed(r, bytes));
		if (rc)
			return rc;
	}
	return rc == ERR_END ? 0 : rc;
}

int response_reader_finish(struct response_reader *r, struct state_result *ret_state)
{
	int rc = message_finish(r->message, ret_state);

	r->missing = (slice){0};
	if (rc == 0 && r->framed)
		ret_state->close_delimited = false;
	if (rc == 0 && !r->begun) /* an empty body */
		rc = begin_body(r);
	if (rc == 0 && r->parsing)
		rc = page_finish(r->page);
	r->has_signs = rc == 0 && r->signing && page_is_html(r->page) && manner_is_read(ret_state);
	if (r->has_signs) {
		r->signs = stand_in_body(&r->stand_in);
		r->missing = required_missing(&r->required);
	}
	end_body(r);
	return rc;
}

bool response_reader_signs(const struct response_reader *r, struct blocked_body *ret)
{
	if (r->has_signs)
		*ret = r->signs;
	return r->has_signs;
}

const struct fields *response_reader_head(const struct response_reader *r)
{
	return message_fields(r->message);
}

int response_reader_combine(
	struct response_reader *r, const struct state_result *of, struct state_result *ret)
{
	int rc = message_combine(r->message, of, ret);

	if (rc)
		return rc;
	if (r->framed)
		ret->close_delimited = false;
	return begin_manner(r);
}

/* ---- what it shows ---- */

static void fill(const struct state_result *s, struct words *words, struct shown *ret)
{
	ret->status = (uint16_t)s->status;
	ret->whole = s->whole;
	ret->decoded = s->decoded;
	ret->coding_end = (uint8_t)s->coding_end;
	ret->close_delimited = s->close_delimited;
	ret->has_state = true;
	ret->state = s->state;
	ret->payload = s->payload;
	ret->body = s->body;
	ret->coding = words_put(words, s->coding);
}

int shown_finish(struct response_reader *r, struct words *words, struct shown *ret)
{
	struct state_result s;

	TRY(response_reader_finish(r, &s));
	ret->has_signs = response_reader_signs(r, &ret->signs);
	ret->missing = words_put(words, r->missing);
	fill(&s, words, ret);
	return 0;
}

int shown_combine(struct response_reader *r, struct words *words, const struct shown *of,
	bool is_sound, struct shown *ret)
{
	struct state_result s = {
		.whole = of->whole && is_sound,
		.decoded = of->decoded,
		.coding_end = (enum coding_end)of->coding_end,
		.payload = of->payload,
		.body = of->body,
		.coding = words_text(words, of->coding),
	};

	TRY(response_reader_combine(r, &s, &s));
	ret->has_signs = of->has_signs;
	ret->signs = of->signs;
	ret->missing = of->missing;
	fill(&s, words, ret);
	return 0;
}

int shown_stand_in(struct response_reader *r, struct words *words, slice url, struct shown *s)
{
	struct stand_in_facts facts = {
		.status = s->status,
		.head = response_reader_head(r),
		.url = url,
		.body = s->has_signs ? &s->signs : NULL,
		.missing = words_text(words, s->missing),
	};
	char text[STAND_IN_SIZE];

	TRY(stand_in_judge(&facts, text));
	s->stand_in = words_put(words, slice_str(text));
	return 0;
}
