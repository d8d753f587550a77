#include "http/message.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/err.h"
#include "http/fields.h"

enum part { IN_HEAD, IN_BODY, NO_HTTP };

struct message {
	struct state *state;
	enum part part;
	struct buf head;
	size_t seen; /* bytes of it that were looked through */
};

struct message *message_new(state_sink *sink, void *context)
{
	struct message *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	buf_init(&m->head, FIELDS_HEAD_MAX);
	m->state = state_new(sink, context);
	if (m->state)
		return m;
	message_free(m);
	return NULL;
}

void message_free(struct message *m)
{
	if (!m)
		return;
	state_free(m->state);
	buf_release(&m->head);
	free(m);
}

void message_start(struct message *m)
{
	m->part = IN_HEAD;
	m->seen = 0;
	buf_reset(&m->head);
}

/* What is left of the block behind the head's end belongs to the body. */
static int feed_head(struct message *m, slice *block)
{
	size_t before = m->head.len, end;
	slice part = slice_sub(*block, 0, FIELDS_HEAD_MAX - before);
	int rc = buf_add(&m->head, part);

	if (rc)
		return rc;
	end = fields_find_end(buf_slice(&m->head), &m->seen);
	if (end == 0) {
		if (m->head.len == FIELDS_HEAD_MAX)
			m->part = NO_HTTP;
		*block = slice_sub(*block, part.len, block->len);
		return 0;
	}
	*block = slice_sub(*block, end - before, block->len);
	rc = state_start(m->state, slice_sub(buf_slice(&m->head), 0, end), NULL);
	m->part = rc ? NO_HTTP : IN_BODY;
	return rc == ERR_NOMEM ? rc : 0;
}

int message_feed(struct message *m, slice block)
{
	int rc = m->part == IN_HEAD && block.len > 0 ? feed_head(m, &block) : 0;

	if (rc || m->part != IN_BODY || block.len == 0)
		return rc;
	return state_feed(m->state, block);
}

int message_finish(struct message *m, struct state_result *ret)
{
	return m->part == IN_BODY ? state_finish(m->state, ret) : ERR_SYNTAX;
}

int message_combine(struct message *m, const struct state_result *of, struct state_result *ret)
{
	return m->part == IN_BODY ? state_combine(m->state, of, ret) : ERR_SYNTAX;
}

const struct fields *message_fields(const struct message *m)
{
	return state_fields(m->state);
}
