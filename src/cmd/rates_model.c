#include "cmd/rates_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rate/gamma_page.h"
#include "rate/grid.h"

static const double NS = 1e9, DAY = 86400;

/* Once in 3000 years stands for "never". */
static const double RATE_LOW = 1e-11, RATE_HIGH = 1;

/* Pages that a parent directory's prior counts for. */
static const double STRENGTH = 10;

/*
 * What `crawl` assumes of a page that it knows nothing about (in days). It counts as BASE_PAGES
 * pages: with few pages of their own, priors would else claim to know what they cannot.
 */
static const struct rate_gamma BASE = {.shape = 0.5, .time = 15};
enum { BASE_PAGES = 8 };

slice rates_model_path(slice url)
{
	const char *colon = memchr(url.ptr, ':', url.len);
	size_t start = colon ? (size_t)(colon - url.ptr) + 3 : 0, end, slashes = 0;

	for (end = start; end < url.len && url.ptr[end] != '?'; end++)
		if (url.ptr[end] == '/' && ++slashes > RATES_DIRECTORIES_MAX + 1)
			break;
	return slice_sub(url, start, end);
}

static int make_directories(struct rates_model *m)
{
	const struct page_entries *pages = &m->table->pages;
	slice *paths = calloc(pages->len + 1, sizeof *paths);
	int rc;

	if (!paths)
		return ERR_NOMEM;
	for (size_t i = 0; i < pages->len; i++)
		paths[i] = rates_model_path(pages->ptr[i].url);
	rc = directories_make(paths, pages->len, &m->directories);
	free(paths);
	return rc;
}

/* Pages with evidence, and those that BASE counts for, as the fit wants them. */
struct fit {
	struct rate_grid grid;
	struct rate_row *logs;
	uint32_t *classes;
	size_t count;
};

/* Quantiles of BASE, each a page whose rate is known. */
static void add_base(struct fit *f)
{
	for (int i = 0; i < BASE_PAGES; i++) {
		double rate = rate_gamma_quantile(BASE, (i + 0.5) / BASE_PAGES) / DAY;
		struct rate_row *row = &f->logs[f->count];

		for (size_t k = 0; k < RATE_GRID_SIZE; k++) {
			double far = log(f->grid.rates[k] / fmax(rate, RATE_LOW));

			row->at[k] = -far * far;
		}
		f->classes[f->count++] = 0;
	}
}

static int add_pages(struct rates_model *m, struct fit *f)
{
	for (size_t i = 0; i < m->table->pages.len; i++) {
		struct page_summary s;
		int rc = page_entry_intervals(&m->table->pages.ptr[i], &m->intervals, &s);

		if (rc)
			return rc;
		if (s.compared == 0)
			continue;
		for (size_t k = 0; k < m->intervals.len; k++)
			rate_grid_observe(&f->grid, &f->logs[f->count], m->intervals.ptr[k]);
		f->classes[f->count++] = m->directories.classes.ptr[i];
		for (uint32_t c = m->directories.classes.ptr[i]; c != 0;
			c = m->directories.parents.ptr[c])
			m->evidence[c]++;
		m->evidence[0]++;
	}
	return 0;
}

static int fit_priors(struct rates_model *m)
{
	size_t room = m->table->pages.len + BASE_PAGES;
	struct fit f = {
		.logs = calloc(room, sizeof *f.logs), .classes = calloc(room, sizeof *f.classes)};
	int rc = f.logs && f.classes ? 0 : ERR_NOMEM;

	rate_grid_init(&f.grid, RATE_LOW, RATE_HIGH);
	if (rc == 0) {
		add_base(&f);
		rc = add_pages(m, &f);
	}
	if (rc == 0) {
		struct rate_tree tree = {.classes = m->directories.parents.len,
			.parents = m->directories.parents.ptr,
			.pages = f.count,
			.page_classes = f.classes,
			.logs = f.logs};

		rc = rate_gamma_fit_tree(&f.grid, &tree, STRENGTH, m->priors);
	}
	free(f.logs);
	free(f.classes);
	return rc;
}

int rates_model_init(struct rates_model *m, const struct page_table *table)
{
	size_t classes;
	int rc;

	*m = (struct rates_model){.table = table};
	rc = make_directories(m);
	if (rc)
		return rc;
	classes = m->directories.parents.len;
	m->priors = calloc(classes, sizeof *m->priors);
	m->evidence = calloc(classes, sizeof *m->evidence);
	return m->priors && m->evidence ? fit_priors(m) : ERR_NOMEM;
}

void rates_model_release(struct rates_model *m)
{
	directories_release(&m->directories);
	rate_intervals_release(&m->intervals);
	free(m->priors);
	free(m->evidence);
}

static double waiting(const struct page_entry *p, int64_t by)
{
	double seconds = p->len > 0 ? ((double)by - (double)p->seen[p->len - 1].time) / NS : 0;

	return fmax(seconds, 0);
}

int rates_model_answer(struct rates_model *m, uint32_t page, int64_t by, struct rates_answer *ret)
{
	const struct page_entry *p = &m->table->pages.ptr[page];
	struct rate_gamma same;
	struct page_summary s;
	int rc = page_entry_intervals(p, &m->intervals, &s);

	if (rc)
		return rc;
	rate_posterior_init(&m->posterior, m->priors[m->directories.classes.ptr[page]],
		m->intervals.ptr, m->intervals.len);
	same = rate_posterior_gamma(&m->posterior);
	*ret = (struct rates_answer){
		.url = p->url,
		.rate = rate_posterior_mean(&m->posterior),
		.low = rate_posterior_quantile(&m->posterior, 0.025),
		.high = rate_posterior_quantile(&m->posterior, 0.975),
		.variance = same.shape / (same.time * same.time),
		.captures = p->captures,
		.compared = s.compared,
		.changes = s.changes,
		.last_change = s.last_change,
		.sources = p->sources,
		/* a page that nobody captured is new to whoever captures it */
		.changed = p->len > 0 ? rate_posterior_within(&m->posterior, waiting(p, by)) : 1,
	};
	return 0;
}

/* "https://example.org/" */
static slice origin_of(slice url)
{
	slice path = rates_model_path(url);
	size_t start = (size_t)(path.ptr - url.ptr);
	const char *slash = path.len > 0 ? memchr(path.ptr, '/', path.len) : NULL;

	return slice_sub(url, 0, slash ? (size_t)(slash - url.ptr) + 1 : start + path.len);
}

static void join(struct rates_answer *site, const struct rates_answer *page)
{
	site->rate += page->rate;
	site->variance += page->variance;
	site->captures += page->captures;
	site->compared += page->compared;
	site->changes += page->changes;
	site->sources |= page->sources;
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
		slice origin = origin_of(answers->ptr[i].url);

		if (sites > 0 && slice_eq(answers->ptr[sites - 1].url, origin)) {
			join(&answers->ptr[sites - 1], &answers->ptr[i]);
			continue;
		}
		answers->ptr[sites] = answers->ptr[i];
		answers->ptr[sites++].url = origin;
	}
	for (size_t i = 0; i < sites; i++)
		finish_site(&answers->ptr[i]);
	answers->len = sites;
}
