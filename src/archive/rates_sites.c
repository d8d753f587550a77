/* Answers for whole sites. */
#include "archive/rates_model.h"
#include "plan/gamma_poisson.h"

/* With the slash behind it, if there is one. */
static slice home_of(slice url)
{
	return slice_sub(url, 0, rates_origin(url).len + 1);
}

static void join(struct rates_answer *site, const struct rates_answer *page)
{
	site->rate += page->rate;
	site->variance += page->variance;
	site->captures += page->captures;
	site->compared += page->compared;
	site->changes += page->changes;
	site->forgotten += page->forgotten;
	site->sources |= page->sources;
	site->words |= page->words;
	site->has_word = site->has_word || page->has_word;
	site->predicted = site->predicted || page->predicted;
	site->changed = 1 - (1 - site->changed) * (1 - page->changed);
	if (page->last_change > site->last_change)
		site->last_change = page->last_change;
}

/* Pages change independently: means and variances add, and a Gamma distribution has both. */
static void finish_site(struct rates_answer *site)
{
	struct rate_gamma g = {.shape = site->rate * site->rate / site->variance,
		.time = site->rate / site->variance};

	g = rate_gamma_clean(g);
	site->low = rate_gamma_quantile(g, 0.025);
	site->high = rate_gamma_quantile(g, 0.975);
}

void rates_join_sites(struct rates_answers *answers)
{
	size_t sites = 0;

	for (size_t i = 0; i < answers->len; i++) {
		slice home = home_of(answers->ptr[i].url);

		if (sites > 0 && slice_eq(answers->ptr[sites - 1].url, home)) {
			join(&answers->ptr[sites - 1], &answers->ptr[i]);
			continue;
		}
		answers->ptr[sites] = answers->ptr[i];
		answers->ptr[sites++].url = home;
	}
	for (size_t i = 0; i < sites; i++)
		finish_site(&answers->ptr[i]);
	answers->len = sites;
}

void rates_keep_homepages(struct rates_answers *answers)
{
	size_t kept = 0;

	for (size_t i = 0; i < answers->len; i++)
		if (slice_eq(answers->ptr[i].url, home_of(answers->ptr[i].url)))
			answers->ptr[kept++] = answers->ptr[i];
	answers->len = kept;
}
