#include "archive/cdxj_scan.h"

#include <stdlib.h>

#include "archive/cdxj_find.h"
#include "archive/lines.h"
#include "archive/zipnum.h"

/* One source, and the line that it stands at. */
struct head {
	const struct cdxj_source *source;
	struct lines lines;
	struct zipnum_reader *blocks;
	size_t at;  /* in memory */
	slice line; /* its next line */
	bool has_line;
};

struct cdxj_scan {
	size_t count;
	slice given; /* the line handed out last, still at the front of its heads */
	bool has_given;
	struct head heads[];
};

/* Goes to the next line; 0 also at the end, where it has none. */
static int advance(struct head *h, struct err *err)
{
	int rc = 0;

	switch (h->source->kind) {
	case CDXJ_PLAIN:
		do
			rc = lines_next(&h->lines, &h->line, err);
		while (rc == 0 && h->line.len == 0);
		break;
	case CDXJ_ZIPNUM:
		rc = zipnum_reader_next(h->blocks, &h->line, err);
		break;
	case CDXJ_MEMORY:
		rc = h->at < h->source->count ? 0 : ERR_END;
		if (rc == 0)
			h->line = h->source->lines[h->at++];
		break;
	}
	h->has_line = rc == 0;
	return rc == ERR_END ? 0 : rc;
}

static size_t find_in_memory(const struct cdxj_source *s, slice from)
{
	size_t low = 0, high = s->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (cdxj_compare(s->lines[middle], from) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int start(struct head *h, slice from, struct err *err)
{
	int rc = 0;

	switch (h->source->kind) {
	case CDXJ_PLAIN:
		lines_init_part(&h->lines, &h->source->data);
		rc = cdxj_find(&h->lines, from, err);
		break;
	case CDXJ_ZIPNUM:
		rc = zipnum_reader_open_parts(
			&h->source->data, &h->source->blocks, from, &h->blocks, err);
		break;
	case CDXJ_MEMORY:
		h->at = find_in_memory(h->source, from);
		break;
	}
	return rc ? rc : advance(h, err);
}

int cdxj_scan_open(const struct cdxj_source *sources, size_t count, slice from,
	struct cdxj_scan **ret, struct err *err)
{
	struct cdxj_scan *s = calloc(1, sizeof *s + count * sizeof s->heads[0]);
	int rc = s ? 0 : err_code(err, ERR_NOMEM);

	for (size_t i = 0; rc == 0 && i < count; i++) {
		s->heads[s->count++].source = &sources[i];
		rc = start(&s->heads[i], from, err);
	}
	if (rc) {
		cdxj_scan_close(s);
		return rc;
	}
	*ret = s;
	return 0;
}

void cdxj_scan_close(struct cdxj_scan *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->count; i++) {
		lines_release(&s->heads[i].lines);
		zipnum_reader_close(s->heads[i].blocks);
	}
	free(s);
}

/* All heads that stand at the given line go on: but for one, to which its bytes belong, first. */
static int leave_given(struct cdxj_scan *s, struct err *err)
{
	struct head *owner = NULL;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->count; i++) {
		struct head *h = &s->heads[i];

		if (!h->has_line || !slice_eq(h->line, s->given))
			continue;
		if (h->line.ptr == s->given.ptr)
			owner = h;
		else
			rc = advance(h, err);
	}
	s->has_given = false;
	return rc == 0 && owner ? advance(owner, err) : rc;
}

int cdxj_scan_next(struct cdxj_scan *s, slice *ret, struct err *err)
{
	const struct head *least = NULL;
	int rc = s->has_given ? leave_given(s, err) : 0;

	if (rc)
		return rc;
	for (size_t i = 0; i < s->count; i++) {
		const struct head *h = &s->heads[i];

		if (h->has_line && (!least || cdxj_compare(h->line, least->line) < 0))
			least = h;
	}
	if (!least)
		return ERR_END;
	s->given = *ret = least->line;
	s->has_given = true;
	return 0;
}
