#include "crawl/cloaking.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/word.h"
#include "crawl/capture.h"
#include "crawl/response.h"

/* Below, the texts are of different pages. */
static const double RESEMBLANCE = 0.3;

enum { SEQUENCE = 2, WORDS_MIN = 2 };

/* Constant: compared within one process. */
static const struct hash_key KEY = {0x5354494c4c504f49, 0x4e542d434c4f414b};

void cloaking_release(struct cloaking *k)
{
	cloaking_samples_release(&k->waiting);
	*k = (struct cloaking){0};
}

/* ---- sketches ---- */

static void sketch_add(struct cloaking_sketch *s, uint64_t hash)
{
	uint32_t low = 0, high = s->count;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (s->hashes[mid] < hash)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == CLOAKING_SKETCH || (low < s->count && s->hashes[low] == hash))
		return;
	if (s->count < CLOAKING_SKETCH)
		s->count++;
	memmove(&s->hashes[low + 1], &s->hashes[low], (s->count - 1 - low) * sizeof hash);
	s->hashes[low] = hash;
}

/* Numbers do not count: they are the clocks and counters of a page. */
static bool next_word(slice *text, slice *ret)
{
	size_t n = 0;

	while (text->len && !word_is_alpha(text->ptr[0]) && (unsigned char)text->ptr[0] < 0x80)
		*text = slice_sub(*text, 1, text->len);
	while (n < text->len &&
		(word_is_alpha(text->ptr[n]) || (unsigned char)text->ptr[n] >= 0x80))
		n++;
	*ret = slice_sub(*text, 0, n);
	*text = slice_sub(*text, n, text->len);
	return n > 0;
}

static void sketch_read(struct cloaking_sketch *s, slice text)
{
	uint64_t last = 0;
	slice word;

	*s = (struct cloaking_sketch){0};
	while (text.len && next_word(&text, &word)) {
		uint64_t hash = hash_bytes(KEY, word);

		sketch_add(s, hash ^ last * 31);
		last = hash;
	}
}

/* ---- which pages ---- */

int cloaking_wants(struct capture *c, const struct arrival *p, bool *ret_text, struct err *err)
{
	uint8_t kind = c->pages.list.ptr[p->order->page].kind;
	struct cloaking *k = &c->cloaking;
	uint64_t part;

	(void)err;
	k->wants = false;
	if (!c->settings->cloaking || p->order->leg != PLAN_VISIT || p->fetch->status < 200 ||
		p->fetch->status >= 300 || page_kind_is_requisite(kind) || kind == LINK_FORM)
		return 0;
	part = (++k->seen * CLOAKING_PERCENT + 99) / 100;
	k->wants = k->sampled < (part > CLOAKING_MIN ? part : CLOAKING_MIN);
	*ret_text = *ret_text || k->wants;
	return 0;
}

int cloaking_visited(struct capture *c, const struct arrival *p, struct err *err)
{
	uint32_t page = p->order->page;
	struct cloaking *k = &c->cloaking;
	struct cloaking_sample sample = {.page = page, .status = p->fetch->status};
	struct request r = {
		.kind = REQUEST_LOOK,
		.purpose = PURPOSE_CLOAKING,
		.host = c->pages.list.ptr[page].host,
		.order = {.page = page, .attempt = c->probing.number + 1},
		.first = true,
	};

	if (stand_in_blocks(p->a.stand_in) || !k->wants || !p->reading->is_read ||
		fetch_is_down(c, r.host))
		return 0;
	k->wants = false;
	sketch_read(&sample.sketch, buf_slice(&p->reading->text.text));
	if (sample.sketch.count < WORDS_MIN)
		return 0;
	cloaking_samples_push(&k->waiting, sample);
	TRY(err_code(err, fetch_hold(c, &r)));
	c->probing.number++;
	k->sampled++;
	return 0;
}

void cloaking_restore(struct capture *c, const struct attempt *a)
{
	c->cloaking.sampled += a->leg == ATTEMPT_PROBE && attempt_purpose(a) == PURPOSE_CLOAKING;
	c->cloaking.seen += a->leg == ATTEMPT_VISIT && a->status >= 200 && a->status < 300;
}

/* ---- what the browser got ---- */

/* Removes the sample; false if another process made it. */
static bool take_sample(struct cloaking *k, uint32_t page, struct cloaking_sample *ret)
{
	for (size_t i = 0; i < k->waiting.len; i++)
		if (k->waiting.ptr[i].page == page) {
			*ret = k->waiting.ptr[i];
			k->waiting.ptr[i] = k->waiting.ptr[--k->waiting.len];
			return true;
		}
	return false;
}

/* An error or a challenge in place of the page says nothing about it. */
bool cloaking_compare(struct capture *c, const struct attempt *a, const struct page_text *text,
	char ret_line[CLOAKING_LINE_SIZE])
{
	struct cloaking_sample sample;
	struct cloaking_sketch sketch;
	double share;
	uint32_t i = 0, k = 0, both = 0, all = 0;

	if (!take_sample(&c->cloaking, a->page, &sample) || a->status == 0 || a->status >= 400 ||
		a->truncated || (a->stand_in.ptr && !stand_in_is_doubt(a->stand_in)))
		return false;
	if (a->status >= 300) {
		(void)snprintf(ret_line, CLOAKING_LINE_SIZE, "cloaked=true resemblance=0");
		return true;
	}
	sketch_read(&sketch, buf_slice(&text->text));
	/* The share of the smallest hashes of both that are in both (Broder 1997). */
	while (all < CLOAKING_SKETCH && (i < sample.sketch.count || k < sketch.count)) {
		bool same = i < sample.sketch.count && k < sketch.count &&
			    sample.sketch.hashes[i] == sketch.hashes[k];
		bool first =
			k >= sketch.count ||
			(i < sample.sketch.count && sample.sketch.hashes[i] <= sketch.hashes[k]);

		both += same;
		i += first;
		k += same || !first;
		all++;
	}
	share = all ? (double)both / all : 1;
	(void)snprintf(ret_line, CLOAKING_LINE_SIZE, "cloaked=%s resemblance=%.3f",
		share < RESEMBLANCE ? "true" : "false", share);
	return true;
}
