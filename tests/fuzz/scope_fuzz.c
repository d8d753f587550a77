/*
 * Scopes: lines of rules, each with a letter before it (p, d, h, o: a seed's page, directory, host,
 * domain; s: SURT prefix; i, e: expressions), and lines with u and a URL that is decided
 * about. Nothing may run away, and every decision can be explained.
 */
#include <stdint.h>
#include <stdlib.h>

#include "formats/scope.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LINES_MAX = 64, LINE_MAX_LEN = 1024 };

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void decide(const struct scope *s, const struct url *u)
{
	struct scope_link link = {.requisite = u->text.len % 2 == 0};
	struct scope_decision d = scope_decide(s, u, link);
	struct buf out;

	buf_init(&out, URL_MAX + 64);
	require(scope_explain(&out, &d) == 0 && out.len > 0);
	require(d.hops_out == (d.rule == SCOPE_RULE_REQUISITE));
	buf_release(&out);
}

static void with_url(struct scope *s, char letter, const struct url *u)
{
	static const char kinds[] = "pdho";
	const char *kind = letter ? strchr(kinds, letter) : NULL;
	struct err err = {0};

	if (letter == 'u')
		decide(s, u);
	else if (kind)
		(void)!scope_add_seed(s, u, (enum scope_kind)(kind - kinds), &err);
}

static void take_line(struct scope *s, slice line)
{
	slice rest = slice_sub(line, 1, line.len);
	struct err err = {0};
	struct url u;

	if (line.len == 0 || line.len > LINE_MAX_LEN)
		return;
	if (line.ptr[0] == 'i') {
		(void)!scope_add_include(s, rest, &err);
	} else if (line.ptr[0] == 'e') {
		(void)!scope_add_exclude(s, rest, &err);
	} else if (line.ptr[0] == 's') {
		(void)!scope_add_surt(s, rest, &err);
	} else {
		url_init(&u);
		if (url_parse(&u, rest, NULL, NULL) == 0)
			with_url(s, line.ptr[0], &u);
		url_release(&u);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice input = {(const char *)data, size};
	size_t from = 0, lines = 0;
	struct scope s;

	scope_init(&s, SCOPE_REQUISITE_HOPS_DEFAULT);
	for (size_t i = 0; i <= size && lines < LINES_MAX; i++) {
		if (i < size && input.ptr[i] != '\n')
			continue;
		take_line(&s, slice_sub(input, from, i));
		from = i + 1;
		lines++;
	}
	scope_release(&s);
	return 0;
}
