#include "report/rates_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "archive/listing.h"
#include "archive/rates_observed.h"
#include "base/csv.h"
#include "base/format.h"
#include "base/json.h"
#include "base/text.h"
#include "plan/gamma_poisson.h"
#include "warc/warc_date.h"

enum { EVERY_SIZE = 64, PATH_MAX_SIZE = 4096 };

static size_t add_source(char out[RATES_SOURCE_SIZE], size_t len, const char *name)
{
	int n = snprintf(out + len, RATES_SOURCE_SIZE - len, "%s%s", len ? "+" : "", name);

	return len + (size_t)n < RATES_SOURCE_SIZE ? len + (size_t)n : RATES_SOURCE_SIZE - 1;
}

/* "archive+cdx+last-modified"; "class" where nothing of the page itself tells its rate. */
static void rates_source(const struct rates_answer *a, char out[RATES_SOURCE_SIZE])
{
	size_t len = 0;

	out[0] = '\0';
	for (unsigned i = 0; a->compared > 0 && i < LISTING_FORMATS; i++)
		if (a->sources & 1U << i)
			len = add_source(out, len,
				1U << i == RATES_FROM_ARCHIVE ? "archive" : listing_format_name(i));
	if (a->words & PAGE_WORD_HTTP)
		len = add_source(out, len, "last-modified");
	if (a->words & PAGE_WORD_SITEMAP || (a->has_word && a->compared == 0))
		len = add_source(out, len, "sitemap");
	if (a->predicted && a->compared == 0)
		len = add_source(out, len, "model");
	if (len == 0)
		(void)add_source(out, len, "class");
}

/* "" for a change that is not known. */
static slice date_text(int64_t ns, char out[WARC_DATE_SIZE])
{
	if (ns == 0)
		return (slice){0};
	warc_date_format(ns, out);
	return slice_str(out);
}

static void put_json(struct json *j, const struct rates_answer *a, bool due)
{
	char source[RATES_SOURCE_SIZE], date[WARC_DATE_SIZE];

	rates_source(a, source);
	json_object_begin(j);
	json_text(j, "url", a->url);
	json_put_double(j, "rate", a->rate);
	json_put_double(j, "low", a->low);
	json_put_double(j, "high", a->high);
	json_put_uint(j, "observations", a->captures);
	json_put_uint_if(j, "changes", a->compared > 0, a->changes);
	json_text(j, "last_change", date_text(a->last_change, date));
	json_put_string(j, "source", source);
	if (due)
		json_put_double(j, "probability", a->changed);
	json_object_end(j);
}

static int print_json(const struct rates_answers *answers, bool due)
{
	struct json j;

	json_init_file(&j, stdout, JSON_LINES);
	for (size_t i = 0; i < answers->len; i++)
		put_json(&j, &answers->ptr[i], due);
	return json_finish(&j);
}

static void put_number(double value)
{
	char text[FORMAT_DOUBLE_SIZE];

	(void)format_double(value, text);
	(void)printf(",%s", text);
}

static void put_contents(const struct page_contents *c)
{
	if (c)
		(void)printf(",%u,%u,%u,%u", c->images, c->tables, c->out_links, c->in_links);
	else
		(void)printf(",,,,");
}

static void put_csv(const struct rates_answer *a, const struct rates_listing *l)
{
	char source[RATES_SOURCE_SIZE], date[WARC_DATE_SIZE];
	slice changed = date_text(a->last_change, date);

	rates_source(a, source);
	csv_write_field(stdout, a->url);
	put_number(a->rate);
	put_number(a->rate * a->rate / a->variance);
	put_number(a->low);
	put_number(a->high);
	(void)printf(",%" PRIu64 ",", a->captures);
	if (a->compared > 0)
		(void)printf("%" PRIu64, a->changes);
	(void)printf(",%.*s,", (int)changed.len, changed.ptr ? changed.ptr : "");
	if (a->last_change)
		(void)printf("%.3f", fmax(l->at - (double)a->last_change / 1e9, 0) / 86400);
	(void)printf(",%s", source);
	if (l->contents)
		put_contents(rates_contents_find(l->contents, a->url));
	if (l->due)
		put_number(a->changed);
	(void)putchar('\n');
}

static void print_csv(const struct rates_answers *answers, const struct rates_listing *l)
{
	(void)printf("url,rate,shape,low,high,observations,changes,last_change,"
		     "days_since_change,source%s%s\n",
		l->contents ? ",images,tables,out_links,in_links" : "",
		l->due ? ",probability" : "");
	for (size_t i = 0; i < answers->len; i++)
		put_csv(&answers->ptr[i], l);
}

/* "once in 3 d 4 h" */
static const char *every(double rate, char out[EVERY_SIZE])
{
	char time[TEXT_DURATION_SIZE];
	static const double CENTURY = 36525 * 86400.0;

	if (!(rate > 1 / CENTURY)) {
		(void)snprintf(out, EVERY_SIZE, "less than once in 100 years");
		return out;
	}
	text_duration(1 / rate, time);
	(void)snprintf(out, EVERY_SIZE, "once in %s", time);
	return out;
}

/* Captures, changes, the rate, the URL, which may be long. */
static void print_text(const struct rates_answers *answers, bool due)
{
	(void)printf("%scaptures  changes  changes about             URL\n", due ? "chance  " : "");
	for (size_t i = 0; i < answers->len; i++) {
		const struct rates_answer *a = &answers->ptr[i];
		char often[EVERY_SIZE], changes[FORMAT_U64_SIZE] = "?";

		if (a->compared > 0)
			(void)format_u64(a->changes, changes);
		if (due)
			(void)printf("%5.1f%%  ", 100 * a->changed);
		(void)printf(
			"%8" PRIu64 "  %7s  %-24s  ", a->captures, changes, every(a->rate, often));
		text_name(stdout, a->url, 0);
		(void)putchar('\n');
	}
}

int rates_print(const struct rates_answers *answers, const struct rates_listing *listing)
{
	switch (listing->form) {
	case RATES_JSON:
		return print_json(answers, listing->due);
	case RATES_CSV:
		print_csv(answers, listing);
		return 0;
	default:
		print_text(answers, listing->due);
		return 0;
	}
}

/* ---- explain ---- */

static void explain_prior(const struct rates_model *m, uint32_t class, slice path)
{
	struct rate_gamma g = m->priors[class];
	char often[EVERY_SIZE];

	(void)printf("    %-28s ", every(rate_gamma_mean(g), often));
	if (class == 0)
		(void)fputs("all pages", stdout);
	else
		text_name(stdout, path, 0);
	(void)printf(" (%" PRIu32 " with captures to compare)\n", m->evidence[class]);
}

/* From all pages down to the page's own directory: each slash ends the name of a class. */
static void explain_classes(const struct rates_model *m, slice path)
{
	explain_prior(m, 0, path);
	for (size_t i = 0; i < path.len; i++) {
		uint32_t class;

		if (path.ptr[i] == '/' &&
			strmap_get(&m->directories.known, slice_sub(path, 0, i), &class))
			explain_prior(m, class, slice_sub(path, 0, i + 1));
	}
}

/* What the word of a sitemap and the predictor make of it. */
static void explain_other(
	const struct rates_model *m, const struct rates_prior *p, enum frequency word)
{
	char often[EVERY_SIZE];

	if (word != FREQUENCY_NONE)
		(void)printf("    %-28s its sitemap: %s\n", every(frequency_value(word), often),
			frequency_name(word));
	if (p->predicted)
		(void)printf("    %-28s the model, for pages with such a URL\n",
			every(p->predicted_rate, often));
	if (rate_gamma_mean(p->gamma) != rate_gamma_mean(m->priors[p->class]))
		(void)printf("    %-28s all of this together\n",
			every(rate_gamma_mean(p->gamma), often));
}

static void explain_kind(const struct rates_model *m, const struct page_entry *page)
{
	enum frequency word = (enum frequency)page->frequency;
	struct rates_prior prior;
	struct buf path;

	(void)puts("  Prior: what pages of its kind do");
	buf_init(&path, PATH_MAX_SIZE);
	if (rates_class_path(page->url, word, &path) == 0)
		explain_classes(m, buf_slice(&path));
	if (rates_model_prior(m, &(struct rates_page){.url = page->url, .word = word}, &prior) == 0)
		explain_other(m, &prior, word);
	buf_release(&path);
}

static void explain_words(const struct rates_model *m, slice url, const struct rates_answer *a)
{
	unsigned trusted = rates_trust_of(&m->trust, url);

	if (a->words & PAGE_WORD_HTTP)
		(void)puts("    Last-Modified tells when it changed");
	else if (!(trusted & PAGE_WORD_HTTP))
		(void)puts("    Last-Modified of this host contradicts its captures: not used");
	if (a->words & PAGE_WORD_SITEMAP)
		(void)puts("    lastmod of its sitemap tells when it changed, or that it did not");
	else if (!(trusted & PAGE_WORD_SITEMAP))
		(void)puts(
			"    lastmod of this host's sitemaps contradicts its captures: not used");
	if (a->forgotten > 0)
		(void)printf("    it behaves otherwise since: the first %" PRIu64
			     " intervals are forgotten\n",
			a->forgotten);
}

static void explain_evidence(
	const struct rates_model *m, const struct page_entry *p, const struct rates_answer *a)
{
	char first[WARC_DATE_SIZE], last[WARC_DATE_SIZE], source[RATES_SOURCE_SIZE];
	char often[EVERY_SIZE];
	double alone;

	(void)puts("  Evidence: captures of the page itself");
	if (p->len == 0) {
		(void)puts("    none: the prior stands");
		return;
	}
	warc_date_format(p->seen[0].time, first);
	warc_date_format(p->seen[p->len - 1].time, last);
	(void)printf("    %" PRIu64 " captures, %s to %s\n", a->captures, first, last);
	explain_words(m, p->url, a);
	if (a->compared == 0) {
		(void)printf("    no two of them can be compared%s\n",
			m->intervals.len == 0 ? ": the prior stands" : "");
		return;
	}
	rates_source(a, source);
	(void)printf("    %" PRIu64 " intervals between captures, %" PRIu64
		     " with a change (from %s)\n",
		a->compared, a->changes, source);
	if (a->last_change != 0) {
		warc_date_format(a->last_change, last);
		(void)printf("    last change first seen at %s\n", last);
	}
	if (rate_hacs(m->intervals.ptr, m->intervals.len, &alone))
		(void)printf("    alone, without the prior: %s\n",
			alone > 0 ? every(alone, often) : "never");
}

void rates_explain(
	const struct rates_model *m, uint32_t page, const struct rates_answer *a, int64_t by)
{
	char often[EVERY_SIZE], seldom[EVERY_SIZE], date[WARC_DATE_SIZE];

	text_name(stdout, a->url, 0);
	(void)putchar('\n');
	explain_kind(m, &m->table->pages.ptr[page]);
	explain_evidence(m, &m->table->pages.ptr[page], a);
	(void)puts("  Both together");
	(void)printf("    changes %s: %.3g per second\n", every(a->rate, often), a->rate);
	(void)printf("    with 95 %% probability between %s\n", every(a->low, seldom));
	(void)printf("    and %s\n", every(a->high, often));
	if (m->table->pages.ptr[page].len == 0)
		return;
	warc_date_format(by, date);
	(void)printf("    changed since its last capture by %s: %.1f %%\n", date, 100 * a->changed);
}
