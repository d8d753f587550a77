#include "living/documents.h"

#include <stdlib.h>

#include "base/format.h"
#include "base/parse.h"
#include "living/markup.h"

enum { SECONDS_PER_DAY = 86400 };

static const slice GROUP_BEFORE = SLICE_INIT("/sitemap-");
static const slice GROUP_AFTER = SLICE_INIT(".xml");

static const char URLSET[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			     "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
static const char INDEX[] =
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	"<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";

static const struct living_params *params(const struct documents *d)
{
	return &d->timeline->model->params;
}

static void put_origin(struct markup *w, const struct documents *d)
{
	markup_put(w, "http://");
	if (w->rc == 0)
		w->rc = buf_add(w->out, d->authority);
}

static void write_robots(struct markup *w, const struct documents *d)
{
	const struct living_params *p = params(d);
	char delay[FORMAT_DOUBLE_SIZE];

	markup_put(w, "User-agent: *\n");
	if (p->disallow_count == 0)
		markup_put(w, "Disallow:\n");
	for (size_t i = 0; i < p->disallow_count; i++)
		markup_printf(w, "Disallow: %s\n", p->disallow[i]);
	if (p->robots_delay > 0) {
		(void)format_double(p->robots_delay, delay);
		markup_printf(w, "Crawl-delay: %s\n", delay);
	}
	if (p->sitemap != LIVING_SITEMAP_NONE) {
		markup_put(w, "\nSitemap: ");
		put_origin(w, d);
		markup_put(w, "/sitemap.xml\n");
	}
}

/* The word of the sitemaps protocol for a rate, in recorded time. */
static const char *changefreq(double per_second)
{
	static const struct {
		const char *word;
		double seconds;
	} WORDS[] = {
		{"always", 3600},
		{"hourly", SECONDS_PER_DAY},
		{"daily", 7.0 * SECONDS_PER_DAY},
		{"weekly", 30.0 * SECONDS_PER_DAY},
		{"monthly", 365.0 * SECONDS_PER_DAY},
	};

	for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++)
		if (per_second * WORDS[i].seconds > 1)
			return WORDS[i].word;
	return per_second > 0 ? "yearly" : "never";
}

static void put_entry(
	struct markup *w, const struct documents *d, uint32_t resource, const struct sighting *seen)
{
	const struct living_model *m = d->timeline->model;
	enum living_validators v = m->validators[resource];
	int64_t modified = seen->changed_ns;
	char date[CLOCK_TEXT_SIZE];

	if (v == LIVING_STALE)
		modified = d->timeline->start_ns;
	else if (v == LIVING_NOW)
		modified = seen->at_ns;
	markup_put(w, "<url><loc>");
	put_origin(w, d);
	markup_path(w, m, resource);
	markup_put(w, "</loc>");
	if (v != LIVING_ABSENT) {
		clock_format(modified, CLOCK_ROUND_DOWN, date);
		markup_printf(w, "<lastmod>%s</lastmod>", date);
	}
	markup_printf(w, "<changefreq>%s</changefreq></url>\n",
		changefreq(m->rates[resource] / m->params.time_scale));
}

/* The pages that are there, seen at one instant. */
static int write_urls(struct markup *w, const struct documents *d, struct layout_group g)
{
	uint32_t *resources = calloc(g.count + 1, sizeof *resources);
	struct sighting *seen = calloc(g.count + 1, sizeof *seen);
	int rc = resources && seen ? 0 : ERR_NOMEM;

	if (rc == 0) {
		for (size_t i = 0; i < g.count; i++)
			resources[i] = living_page_resource(
				d->timeline->model, d->host, g.first + (uint32_t)i * g.step);
		rc = timeline_look(d->timeline, resources, g.count, false, seen);
	}
	markup_put(w, URLSET);
	for (size_t i = 0; rc == 0 && i < g.count; i++)
		if (seen[i].version != LIVING_GONE)
			put_entry(w, d, resources[i], &seen[i]);
	markup_put(w, "</urlset>\n");
	free(resources);
	free(seen);
	return rc ? rc : w->rc;
}

static int write_index(struct markup *w, const struct documents *d)
{
	size_t groups = layout_group_count(&d->timeline->model->layout);

	markup_put(w, INDEX);
	for (size_t i = 0; i < groups; i++) {
		markup_put(w, "<sitemap><loc>");
		put_origin(w, d);
		markup_printf(w, "%s%zu%s</loc></sitemap>\n", GROUP_BEFORE.ptr, i, GROUP_AFTER.ptr);
	}
	markup_put(w, "</sitemapindex>\n");
	return w->rc;
}

/* The number of the group whose file has that path. */
static bool find_group(const struct documents *d, slice path, size_t *ret_group)
{
	slice number_text = slice_sub(path, GROUP_BEFORE.len, path.len - GROUP_AFTER.len);
	uint64_t number;

	if (path.len <= GROUP_BEFORE.len + GROUP_AFTER.len ||
		!slice_starts_with(path, GROUP_BEFORE) || !slice_ends_with(path, GROUP_AFTER))
		return false;
	if (parse_u64(number_text, &number) ||
		number >= layout_group_count(&d->timeline->model->layout))
		return false;
	*ret_group = (size_t)number;
	return true;
}

int documents_write(const struct documents *d, slice path, struct buf *body, const char **ret_type)
{
	const struct layout *layout = &d->timeline->model->layout;
	enum living_sitemap sitemap = params(d)->sitemap;
	struct layout_group all = {.step = 1, .count = layout->n};
	struct markup w = {.out = body};
	size_t group;

	*ret_type = "application/xml";
	if (slice_eq(path, SLICE("/robots.txt"))) {
		*ret_type = "text/plain; charset=utf-8";
		write_robots(&w, d);
		return w.rc;
	}
	if (sitemap == LIVING_SITEMAP_FLAT && slice_eq(path, SLICE("/sitemap.xml")))
		return write_urls(&w, d, all);
	if (sitemap == LIVING_SITEMAP_INDEX && slice_eq(path, SLICE("/sitemap.xml")))
		return write_index(&w, d);
	if (sitemap == LIVING_SITEMAP_INDEX && find_group(d, path, &group))
		return write_urls(&w, d, layout_group(layout, group));
	return ERR_NOTFOUND;
}
