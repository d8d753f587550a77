#include "histories/past_capture.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

int past_capture_init(struct past_capture *c, size_t n)
{
	*c = (struct past_capture){.n = n, .begin = INFINITY, .end = -INFINITY};
	c->looks = calloc(n + 1, sizeof *c->looks);
	c->still = malloc((n + 1) * sizeof *c->still);
	c->hopeless = calloc(n + 1, sizeof *c->hopeless);
	if (!c->looks || !c->still || !c->hopeless) {
		past_capture_release(c);
		return ERR_NOMEM;
	}
	for (size_t i = 0; i < n; i++)
		c->still[i] = NAN;
	return 0;
}

int past_capture_copy(const struct past_capture *from, struct past_capture *ret_copy)
{
	struct past_capture c;
	int rc = past_capture_init(&c, from->n);

	if (rc)
		return rc;
	memcpy(c.looks, from->looks, from->n * sizeof *c.looks);
	memcpy(c.still, from->still, from->n * sizeof *c.still);
	memcpy(c.hopeless, from->hopeless, from->n * sizeof *c.hopeless);
	c.requests = from->requests;
	c.begin = from->begin;
	c.end = from->end;
	*ret_copy = c;
	return 0;
}

void past_capture_release(struct past_capture *c)
{
	free(c->looks);
	free(c->still);
	free(c->hopeless);
	*c = (struct past_capture){0};
}

bool past_capture_look(struct past_capture *c, uint32_t page, double at)
{
	struct looks *l = &c->looks[page];

	if (l->count == CAPTURE_LOOKS_MAX)
		return false;
	assert(l->count == 0 || looks_last(l) <= at);
	l->at[l->count++] = at;
	c->requests++;
	c->begin = fmin(c->begin, at);
	c->end = fmax(c->end, at);
	return true;
}
