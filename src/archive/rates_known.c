#include "archive/rates_known.h"

#include <stdlib.h>

#include "archive/rates_model.h"
#include "archive/rates_observed.h"
#include "base/mem.h"
#include "plan/gamma_poisson.h"

static const double NS = 1e9;

enum { KEEP = 16 }; /* looks of a page */

struct known_rate {
	uint64_t hash; /* 0: free */
	float rate, shape;
};

static uint64_t hash_of(const struct known_rates *k, slice url)
{
	uint64_t hash = hash_bytes(k->key, url);

	return hash ? hash : 1;
}

static struct known_rate *find_slot(const struct known_rates *k, uint64_t hash)
{
	size_t at = (size_t)hash & (k->slot_count - 1);

	while (k->slots[at].hash != 0 && k->slots[at].hash != hash)
		at = (at + 1) & (k->slot_count - 1);
	return &k->slots[at];
}

/* Pages without evidence of their own need no entry: their class answers. */
static int keep_page(struct known_rates *k, uint32_t page)
{
	struct page_entry *p = &k->model->table->pages.ptr[page];
	struct known_rate *slot;
	struct rate_gamma g;
	int rc;

	if (p->len == 0)
		return 0;
	rc = rates_model_gamma(k->model, page, &g);
	if (rc || k->model->intervals.len == 0)
		return rc;
	slot = find_slot(k, hash_of(k, p->url));
	k->pages += slot->hash == 0;
	*slot = (struct known_rate){hash_of(k, p->url), (float)rate_gamma_mean(g), (float)g.shape};
	return 0;
}

static int keep_pages(struct known_rates *k, struct page_table *table)
{
	k->slot_count = 16;
	while (k->slot_count < 2 * table->pages.len)
		k->slot_count *= 2;
	k->slots = mem_new(k->slot_count, sizeof *k->slots);
	for (uint32_t i = 0; i < table->pages.len; i++)
		TRY(keep_page(k, i));
	return 0;
}

static int fit(struct known_rates *k, struct page_table *table, bool has_predictor)
{
	int rc;

	k->model = mem_new(1, sizeof *k->model);
	rc = rates_model_init(k->model, table, has_predictor ? &k->predictor : NULL);
	if (rc == 0)
		rc = keep_pages(k, table);
	k->model->table = NULL;
	return rc;
}

int known_rates_load(struct known_rates *k, struct catalog *catalog, const char *model,
	enum rates_change change, const struct strmap *owners, struct err *err)
{
	struct rates_observed observed;
	bool has_predictor = false;
	int rc = 0;

	*k = (struct known_rates){.key = hash_key_random()};
	rates_observed_init(&observed, change);
	observed.table.keep = KEEP;
	observed.owners = owners;
	observed.finished_only = true; /* so that resume knows what the start knew */
	if (model)
		rc = rates_model_file_inside(model, &k->predictor, err);
	has_predictor = model && rc == 0;
	if (rc == ERR_NOTFOUND) {
		*err = (struct err){0};
		rc = 0;
	}
	if (rc == 0)
		rc = rates_observed_catalog(&observed, catalog, err);
	if (rc == 0)
		rc = err_code(err, fit(k, &observed.table, has_predictor));
	rates_observed_release(&observed);
	return rc;
}

void known_rates_release(struct known_rates *k)
{
	if (k->model)
		rates_model_release(k->model);
	free(k->model);
	free(k->slots);
	predict_model_release(&k->predictor);
	*k = (struct known_rates){0};
}

/* A trusted lastmod tells for how long the page has not changed; whether it did before, it may not.
 */
static void hear_sitemap(
	const struct known_rates *k, const struct rates_page *page, struct rate_gamma *g)
{
	double age = ((double)page->read - (double)page->lastmod) / NS;

	if (page->lastmod != 0 && (rates_trust_of(&k->model->trust, page->url) & PAGE_WORD_SITEMAP))
		rate_gamma_observe(g, (struct rate_interval){.length = age});
}

int known_rates_find(
	const struct known_rates *k, const struct rates_page *page, struct rate_gamma *ret)
{
	const struct known_rate *slot = find_slot(k, hash_of(k, page->url));
	struct rates_prior prior;

	if (slot->hash != 0) {
		*ret = rate_gamma_clean((struct rate_gamma){
			(double)slot->shape, (double)slot->shape / (double)slot->rate});
		return 0;
	}
	TRY(rates_model_prior(k->model, page, &prior));
	hear_sitemap(k, page, &prior.gamma);
	*ret = prior.gamma;
	return 0;
}
