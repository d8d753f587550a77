#include "archive/rates_model.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "catalog/unknown_rate.h"
#include "plan/gamma_poisson.h"
#include "plan/rate_grid.h"

static slice rates_origin(slice url);

/* Answers for whole sites. */

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

enum { READ_SIZE = 64 << 10 };

static int read_all(FILE *file, struct buf *out, struct err *err)
{
	size_t n;

	do {
		if (buf_reserve(out, READ_SIZE))
			return err_set(err, out->error, "the model is too large");
		n = fread(out->ptr + out->len, 1, READ_SIZE, file);
		buf_truncate(out, out->len + n);
	} while (n > 0);
	return ferror(file) ? err_set(err, ERR_IO, "%s", strerror(errno)) : 0;
}

/* Closes the file, unless it is standard input. */
static int read_model(FILE *file, const char *path, struct predict_model *ret, struct err *err)
{
	uint64_t line = 0;
	struct buf text;
	int rc;

	if (!file)
		return err_set(err, errno == ENOENT ? ERR_NOTFOUND : ERR_IO, "%.200s: %s", path,
			file_problem(errno));
	buf_init(&text, PREDICT_MODEL_MAX);
	rc = read_all(file, &text, err);
	if (file != stdin)
		(void)fclose(file);
	if (rc == 0)
		rc = predict_model_parse(buf_slice(&text), ret, &line, err);
	buf_release(&text);
	if (rc && line)
		err_prefix(err, "%.200s:%llu", path, (unsigned long long)line);
	else if (rc)
		err_prefix(err, "%.200s", path);
	return rc;
}

int rates_model_file_read(const char *path, struct predict_model *ret, struct err *err)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : file_stream(path, "re");

	return read_model(file, path, ret, err);
}

int rates_model_file_inside(const char *path, struct predict_model *ret, struct err *err)
{
	int fd = file_open_inside(AT_FDCWD, path);

	return read_model(fd < 0 ? NULL : fdopen(fd, "r"), path, ret, err);
}

enum { ALL = PAGE_WORD_HTTP | PAGE_WORD_SITEMAP };

/* Of the names of hosts that lied: those of ten million. */
#define NAMES_MAX ((size_t)1 << 30)

/* "https://example.org" of a page: scheme, host and port. */
static slice rates_origin(slice url)
{
	const char *colon = memchr(url.ptr, ':', url.len);
	size_t start = colon ? (size_t)(colon - url.ptr) + 3 : 0;
	const char *end = start < url.len ? memchr(url.ptr + start, '/', url.len - start) : NULL;

	return slice_sub(url, 0, end ? (size_t)(end - url.ptr) : url.len);
}

/* Does not move afterwards. */
static void rates_trust_release(struct rates_trust *t)
{
	strmap_release(&t->liars);
	arena_release(&t->names);
}

/* A host has an entry for each word that lied. */
static slice key_of(slice origin, unsigned word, char *out, size_t size)
{
	size_t len = origin.len < size - 1 ? origin.len : size - 1;

	memcpy(out, origin.ptr, len);
	out[len] = (char)word;
	return (slice){out, len + 1};
}

/* A lie that was found elsewhere. 0 or ERR_NOMEM. */
static int rates_trust_accuse(struct rates_trust *t, slice url, unsigned words)
{
	char key[512];

	for (unsigned word = 1; word <= PAGE_WORD_SITEMAP; word <<= 1) {
		int rc = 0;

		if (words & word)
			rc = strmap_put(
				&t->liars, key_of(rates_origin(url), word, key, sizeof key), word);
		if (rc && rc != ERR_EXISTS)
			return rc;
	}
	return 0;
}

/* Finds the liars among the hosts of a table. 0 or ERR_NOMEM. */
static SP_MUST_CHECK int rates_trust_learn(struct rates_trust *t, const struct page_table *table)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < table->pages.len; i++) {
		unsigned lies = page_entry_lies(&table->pages.ptr[i]);

		if (lies)
			rc = rates_trust_accuse(t, table->pages.ptr[i].url, lies);
	}
	return rc;
}

unsigned rates_trust_of(const struct rates_trust *t, slice url)
{
	unsigned words = ALL;
	char key[512];

	for (unsigned word = 1; t->liars.len > 0 && word <= PAGE_WORD_SITEMAP; word <<= 1)
		if (strmap_get(&t->liars, key_of(rates_origin(url), word, key, sizeof key), NULL))
			words &= ~word;
	return words;
}

static const double NS = 1e9, DAY = 86400;

/* Once in 3000 years stands for "never". */
static const double RATE_LOW = 1e-11, RATE_HIGH = 1;

/* Pages that a parent's prior counts for, and what a predictor says. */
static const double PRIOR_STRENGTH = 10;

/*
 * What is assumed of a page that nothing is known about (in days). It counts as BASE_PAGES
 * pages: with few pages of their own, priors would else claim to know what they cannot. Where the
 * pages show that they change far more or less often than that, their own order of magnitude takes
 * its place, and only the spread stays: eight pages that change once a month, among many that
 * change every minute, would make a prior of pages that never change or do all the time.
 */
static const struct rate_gamma BASE = {.shape = UNKNOWN_RATE_SHAPE, .time = UNKNOWN_RATE_DAYS};
enum { BASE_PAGES = 8, BASE_SAMPLE = 512, PATH_MAX_SIZE = 4096 };

/* What an assumption may lack of the likeliest one, as a logarithm: chance explains so much. */
static const double BASE_LACK = 2, FASTER_LACK = 0.05;

/* How sure a word alone is, and a predictor: as if one change had been seen. */
static const double WORD_SHAPE = 1, PREDICTED_SHAPE = 1;

/* Pages of a class that are in the sample in any case. */
enum { SAMPLE_MIN = 4 };

int rates_class_path(slice url, enum frequency word, struct buf *out)
{
	const char *colon = memchr(url.ptr, ':', url.len);
	size_t start = colon ? (size_t)(colon - url.ptr) + 3 : 0, host, end, slashes = 0;

	for (end = host = start; end < url.len && url.ptr[end] != '?'; end++) {
		if (url.ptr[end] == '/' && ++slashes > RATES_DIRECTORIES_MAX + 1)
			break;
		host = slashes == 0 ? end + 1 : host;
	}
	buf_add(out, slice_sub(url, start, host));
	if (word != FREQUENCY_NONE)
		buf_printf(out, "/sitemap:%s", frequency_name(word));
	return buf_add(out, slice_sub(url, host, end));
}

static struct rate_gamma gamma_of(double shape, double rate)
{
	return rate_gamma_clean((struct rate_gamma){shape, shape / fmax(rate, RATE_LOW)});
}

/* ---- fitting ---- */

/* Pages with evidence, and what counts as some, as the fit wants them. */
struct fit {
	struct rate_row *logs;
	uint32_t *classes;
	size_t count;
	uint32_t *seen; /* by class: pages with evidence in it that the sample has passed */
	double share;   /* of pages that are in the sample */
};

static int make_classes(struct rates_model *m)
{
	BUF_SCOPED(path, PATH_MAX_SIZE);

	TRY(directories_init(&m->directories));
	for (size_t i = 0; i < m->table->pages.len; i++) {
		const struct page_entry *p = &m->table->pages.ptr[i];

		/* Of a URL that is too long the first directories tell enough. */
		buf_reset(&path);
		(void)rates_class_path(p->url, (enum frequency)p->frequency, &path);
		TRY(directories_add(&m->directories, buf_slice(&path)));
	}
	return 0;
}

/* A page whose rate is known, more or less. */
static void add_known(const struct rates_model *m, struct fit *f, double rate, uint32_t class)
{
	struct rate_row *row = &f->logs[f->count];

	for (size_t k = 0; k < RATE_GRID_SIZE; k++) {
		double far = log(m->grid.rates[k] / fmax(rate, RATE_LOW));

		row->at[k] = -far * far;
	}
	f->classes[f->count++] = class;
}

/* How likely a prior makes the pages of the sample: the logarithm. Of many pages some will do. */
static double likelihood(const struct rates_model *m, const struct fit *f, struct rate_gamma g)
{
	size_t step = f->count / BASE_SAMPLE + 1;
	struct rate_row prior;
	double sum = 0;

	rate_gamma_cells(&m->grid, g, &prior);
	for (size_t i = 0; i < f->count; i += step) {
		double page = 0;

		for (size_t k = 0; k < RATE_GRID_SIZE; k++)
			page += prior.at[k] * exp(f->logs[i].at[k]);
		sum += log(fmax(page, RATE_SMALLEST));
	}
	return sum;
}

/*
 * What is assumed of all pages, in seconds: BASE where those of the sample allow it, else the
 * nearest rate that they allow. Of those that are faster one as good as the likeliest: a calmer one
 * would claim that pages stay as they are. Where none has changed, calmer is always likelier.
 */
static struct rate_gamma find_base(const struct rates_model *m, const struct fit *f)
{
	struct rate_gamma base = {BASE.shape, BASE.time * DAY}, nearest = base;
	double all[RATE_GRID_SIZE], usual = likelihood(m, f, base), most = usual, far = INFINITY;

	for (size_t k = 0; k < RATE_GRID_SIZE; k++) {
		all[k] = likelihood(m, f, gamma_of(BASE.shape, m->grid.rates[k]));
		most = fmax(most, all[k]);
	}
	for (size_t k = 0; k < RATE_GRID_SIZE && usual < most - BASE_LACK; k++) {
		double distance = log(m->grid.rates[k] / rate_gamma_mean(base));

		if (all[k] >= most - (distance > 0 ? FASTER_LACK : BASE_LACK) &&
			fabs(distance) < far) {
			far = fabs(distance);
			nearest = gamma_of(BASE.shape, m->grid.rates[k]);
		}
	}
	return nearest;
}

/* Behind all pages of the sample. */
static void add_assumed(const struct rates_model *m, struct fit *f)
{
	struct rate_gamma base = find_base(m, f);

	for (int i = 0; i < BASE_PAGES; i++)
		add_known(m, f, rate_gamma_quantile(base, (i + 0.5) / BASE_PAGES), 0);
}

/* ---- what sites say at the first look ---- */

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* What the page said of its last change when it was first seen; 0: nothing. */
static int64_t first_word(const struct page_entry *p)
{
	return p->len > 0 ? p->seen[0].modified : 0;
}

/* Pages before a time, in the sorted list. */
static size_t count_before(const struct rates_model *m, int64_t time)
{
	size_t low = 0, high = m->first_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->firsts[middle] < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Whether that was a change of the page: many pages with one time were put there together, and what
 * they did before is not known. To count the time since but not the change would make pages seem
 * calmer than they are.
 */
static bool is_change(const struct rates_model *m, int64_t time)
{
	enum { FEW = 8, SHARED = 4 }; /* pages that tell nothing; part of all that is together */
	size_t with = time ? count_before(m, time + 1) - count_before(m, time) : 0;

	return m->first_count >= FEW && with > 0 && with <= 1 + m->first_count / SHARED;
}

static struct page_summary page_intervals(struct rates_model *m, uint32_t page)
{
	const struct page_entry *p = &m->table->pages.ptr[page];
	unsigned trusted = rates_trust_of(&m->trust, p->url);

	if (is_change(m, first_word(p)))
		trusted |= PAGE_WORD_FIRST;
	return page_entry_intervals(p, trusted, &m->intervals);
}

/* ---- the sample ---- */

/* Whether the sample takes this page of a class: a share of them, spread evenly. */
static bool is_sampled(struct fit *f, uint32_t class)
{
	double n = f->seen[class]++;

	return n < SAMPLE_MIN || floor(n * f->share) != floor((n + 1) * f->share);
}

static uint64_t count_evidence(struct rates_model *m)
{
	uint64_t pages = 0;

	for (uint32_t i = 0; i < m->table->pages.len; i++) {
		(void)page_intervals(m, i);
		if (m->intervals.len == 0)
			continue;
		pages++;
		for (uint32_t c = m->directories.classes.ptr[i]; c != 0;
			c = m->directories.parents.ptr[c])
			m->evidence[c]++;
		m->evidence[0]++;
	}
	return pages;
}

static void add_pages(struct rates_model *m, struct fit *f)
{
	for (uint32_t i = 0; i < m->table->pages.len; i++) {
		uint32_t class = m->directories.classes.ptr[i];

		(void)page_intervals(m, i);
		if (m->intervals.len == 0 || !is_sampled(f, class))
			continue;
		for (size_t k = 0; k < m->intervals.len; k++)
			rate_grid_observe(&m->grid, &f->logs[f->count], m->intervals.ptr[k]);
		f->classes[f->count++] = class;
	}
}

static int fit_priors(struct rates_model *m)
{
	size_t classes = m->directories.parents.len, room;
	struct rate_tree tree = {.classes = classes, .parents = m->directories.parents.ptr};
	struct fit f = {.seen = mem_new(classes, sizeof *f.seen)};
	uint64_t pages = count_evidence(m);
	int rc;

	f.share = pages > RATES_FIT_MAX ? (double)RATES_FIT_MAX / (double)pages : 1;
	room = (size_t)(f.share * (double)pages) + (SAMPLE_MIN + 1) * classes + BASE_PAGES;
	f.logs = mem_new(room, sizeof *f.logs);
	f.classes = mem_new(room, sizeof *f.classes);
	add_pages(m, &f);
	add_assumed(m, &f);
	tree.pages = f.count;
	tree.page_classes = f.classes;
	tree.logs = f.logs;
	rc = rate_gamma_fit_tree(&m->grid, &tree, PRIOR_STRENGTH, m->priors);
	free(f.logs);
	free(f.classes);
	free(f.seen);
	return rc;
}

int rates_model_init(
	struct rates_model *m, const struct page_table *table, struct predict_model *predictor)
{
	*m = (struct rates_model){.table = table, .predictor = predictor};
	rate_grid_init(&m->grid, RATE_LOW, RATE_HIGH);
	arena_init(&m->trust.names, NAMES_MAX);
	strmap_init(&m->trust.liars, hash_key_random(), &m->trust.names);
	TRY(make_classes(m));
	TRY(rates_trust_learn(&m->trust, table));
	m->firsts = mem_new(table->pages.len + 1, sizeof *m->firsts);
	for (size_t i = 0; i < table->pages.len; i++)
		if (first_word(&table->pages.ptr[i]))
			m->firsts[m->first_count++] = first_word(&table->pages.ptr[i]);
	qsort(m->firsts, m->first_count, sizeof *m->firsts, by_time);
	m->priors = mem_new(m->directories.parents.len, sizeof *m->priors);
	m->evidence = mem_new(m->directories.parents.len, sizeof *m->evidence);
	return fit_priors(m);
}

void rates_model_release(struct rates_model *m)
{
	directories_release(&m->directories);
	rates_trust_release(&m->trust);
	rate_intervals_release(&m->intervals);
	free(m->firsts);
	free(m->priors);
	free(m->evidence);
}

/* ---- priors ---- */

/*
 * Two opinions, of which the first has that share: a Gamma distribution whose mean lies between
 * theirs by orders of magnitude, so that one that is far off counts no more for that.
 */
static struct rate_gamma pool(struct rate_gamma a, struct rate_gamma b, double share)
{
	double shape = share * a.shape + (1 - share) * b.shape;
	double log_mean = share * log(rate_gamma_mean(a)) + (1 - share) * log(rate_gamma_mean(b));

	return rate_gamma_clean((struct rate_gamma){shape, shape / exp(log_mean)});
}

/* How much a class counts against PRIOR_STRENGTH pages of another opinion. */
static double share_of(double pages)
{
	return pages / (pages + PRIOR_STRENGTH);
}

static int predict(const struct rates_model *m, slice url, struct rates_prior *p)
{
	struct features f;

	if (!m->predictor)
		return 0;
	TRY(features_of_url(&m->predictor->words, url, false, &f));
	p->predicted = true;
	p->predicted_rate = m->predictor->classes[predict_model_class(m->predictor, &f)].rate;
	p->gamma = pool(p->gamma, gamma_of(PREDICTED_SHAPE, p->predicted_rate),
		share_of(m->evidence[p->class]));
	return 0;
}

/* How many pages with that word were seen; of a word not met yet, pages of the host may count. */
static double pages_with_word(const struct rates_model *m, slice path, uint32_t host)
{
	size_t slashes = 0, i;
	uint32_t class;

	for (i = 0; i < path.len; i++)
		if (path.ptr[i] == '/' && ++slashes == 2)
			break;
	if (strmap_get(&m->directories.known, slice_sub(path, 0, i), &class))
		return m->evidence[class];
	return fmin(m->evidence[host], PRIOR_STRENGTH);
}

int rates_model_prior(
	const struct rates_model *m, const struct rates_page *page, struct rates_prior *ret)
{
	struct rates_prior p = {0};
	struct buf path;

	buf_init(&path, PATH_MAX_SIZE);
	(void)rates_class_path(page->url, page->word, &path);
	p.class = directories_find(&m->directories, buf_slice(&path));
	p.gamma = m->priors[p.class];
	if (m->evidence[0] == 0 && p.class == 0)
		p.gamma = (struct rate_gamma){BASE.shape, BASE.time * DAY};
	if (page->word != FREQUENCY_NONE)
		p.gamma = pool(p.gamma, gamma_of(WORD_SHAPE, frequency_value(page->word)),
			share_of(pages_with_word(m, buf_slice(&path), p.class)));
	buf_release(&path);
	TRY(predict(m, page->url, &p));
	*ret = p;
	return 0;
}

/* ---- answers ---- */

static bool is_mixed(const struct rate_intervals *x)
{
	size_t changes = 0;

	for (size_t i = 0; i < x->len; i++)
		changes += x->ptr[i].changed;
	return x->len >= (size_t)2 * SHIFT_SIDE_MIN && changes > 0 && changes < x->len;
}

/* Intervals from before the page's behaviour changed, if it did. */
static size_t find_shift(const struct rates_model *m, struct rate_gamma prior)
{
	struct rate_row row;

	if (!is_mixed(&m->intervals))
		return 0;
	rate_gamma_cells(&m->grid, prior, &row);
	return rate_shift(&m->grid, &row, m->intervals.ptr, m->intervals.len);
}

static int prepare(
	struct rates_model *m, uint32_t page, struct rates_prior *prior, struct page_summary *ret)
{
	const struct page_entry *p = &m->table->pages.ptr[page];
	*ret = page_intervals(m, page);
	return rates_model_prior(m,
		&(struct rates_page){.url = p->url, .word = (enum frequency)p->frequency}, prior);
}

int rates_model_gamma(struct rates_model *m, uint32_t page, struct rate_gamma *ret)
{
	struct rates_prior prior;
	struct page_summary s;

	TRY(prepare(m, page, &prior, &s));
	for (size_t i = find_shift(m, prior.gamma); i < m->intervals.len; i++)
		rate_gamma_observe(&prior.gamma, m->intervals.ptr[i]);
	*ret = prior.gamma;
	return 0;
}

static double waiting(const struct page_summary *s, int64_t by)
{
	return s->last_seen ? fmax(((double)by - (double)s->last_seen) / NS, 0) : 0;
}

int rates_model_answer(struct rates_model *m, uint32_t page, int64_t by, struct rates_answer *ret)
{
	const struct page_entry *p = &m->table->pages.ptr[page];
	struct rates_prior prior;
	struct rate_gamma same;
	struct page_summary s;
	size_t shift;

	TRY(prepare(m, page, &prior, &s));
	shift = find_shift(m, prior.gamma);
	rate_posterior_init(&m->posterior, prior.gamma,
		shift > 0 ? m->intervals.ptr + shift : m->intervals.ptr, m->intervals.len - shift);
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
		.forgotten = shift,
		.last_change = s.last_change,
		.sources = p->sources,
		.words = s.words,
		.has_word = p->frequency != FREQUENCY_NONE,
		.predicted = prior.predicted,
		.changed = p->len > 0 ? rate_posterior_within(&m->posterior, waiting(&s, by)) : 1,
	};
	return 0;
}
