/*
 * The comparison of two looks: any two bodies of any type are compared, both ways alike; a result
 * that is the same by rules names at least one, and every place has its rule; what differs says in
 * what, or names a limit; values shown are within their limits. The first byte chooses the type and
 * whether all places are wanted, the next two where the input is cut in two.
 */
#include <stdint.h>
#include <stdlib.h>

#include "proof/proof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void check(const struct proof *c, slice a, slice b)
{
	bool explained = true;

	require(c->same != PROOF_BYTES || slice_eq(a, b));
	require(c->same != PROOF_NORMALISED ||
		(c->rules.len > 0 && !c->limit && c->changed_in == 0));
	require(c->same != PROOF_DIFFERENT || c->changed_in != 0 || c->limit);
	require(c->masked >= 0 && c->masked <= 1);
	require(c->places.len <= PROOF_PLACES_MAX);
	for (size_t i = 0; i < c->places.len; i++) {
		const struct proof_place *p = &c->places.ptr[i];

		explained &= p->rule.ptr != NULL;
		require(p->a.len <= PROOF_SHOWN_MAX && p->b.len <= PROOF_SHOWN_MAX);
		require(!p->can_learn || !p->is_visible);
	}
	require(c->same != PROOF_NORMALISED || explained);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const TYPES[] = {"text/html", "application/xml", "text/javascript",
		"application/json", "text/css", "text/plain", "image/png",
		"text/html; charset=latin1"};
	struct proof_params p = {.url = SLICE("https://www.example.org/dir/page")};
	struct proof c, d;
	slice type, rest;
	size_t cut;

	if (size < 3)
		return 0;
	type = slice_str(TYPES[data[0] % 8]);
	rest = (slice){(const char *)data + 3, size - 3};
	cut = rest.len ? ((size_t)data[1] << 8 | data[2]) % (rest.len + 1) : 0;
	p.a = (struct proof_look){slice_sub(rest, 0, cut), type, (int64_t)1794947376 * 1000000000};
	p.b = (struct proof_look){
		slice_sub(rest, cut, rest.len), type, (int64_t)1794947976 * 1000000000};
	p.all = data[0] & 8;
	require(proof_compare(&p, &c) == 0);
	check(&c, p.a.body, p.b.body);
	p = (struct proof_params){.a = p.b, .b = p.a, .url = p.url, .all = p.all};
	require(proof_compare(&p, &d) == 0);
	require(c.same == d.same && c.places.len == d.places.len && c.rules.len == d.rules.len);
	require(c.changed_in == d.changed_in && c.duties.len == d.duties.len);
	proof_release(&c);
	proof_release(&d);
	return 0;
}
