#include "archive/training.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/page_file.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/sort.h"
#include "plan/rate_estimate.h"

enum { WORD_SHOWN_MAX = 40 };

void training_init(struct training *t)
{
	*t = (struct training){0};
	feature_words_init(&t->words);
}

void training_release(struct training *t)
{
	feature_words_release(&t->words);
	training_rows_release(&t->rows);
	training_rates_release(&t->rates);
	free(t->ends);
	free(t->labels);
	free(t->guesses);
	free(t->is_held_out);
	free(t->order);
}

/* The rate, or that of the word; false where neither is given. */
static int find_rate(const struct training *t, const struct page_file_entry *e, double *ret_rate,
	struct err *err)
{
	*ret_rate = e->rate;
	if (!t->has_classes || e->class.len == 0 || frequency_rate(e->class, ret_rate))
		return 0;
	return err_set(err, ERR_SYNTAX,
		"class '%.*s' is not always, hourly, daily, weekly, monthly, yearly or never",
		slice_shown(e->class, WORD_SHOWN_MAX), e->class.ptr);
}

static int add_page(struct training *t, const struct page_file_entry *e, struct err *err)
{
	struct features f;
	double rate;
	int rc = find_rate(t, e, &rate, err);

	if (rc)
		return rc;
	if (isnan(rate)) {
		t->left_out++;
		return 0;
	}
	if (t->rows.len == UINT32_MAX)
		return err_set(err, ERR_LIMIT, "too many pages");
	rc = features_of_url(&t->words, e->url, true, &f);
	memcpy(&f.at[FEATURES_ONLINE], e->offline, sizeof e->offline);
	training_rows_push(&t->rows, f);
	training_rates_push(&t->rates, rate);
	return err_code(err, rc);
}

static int check_columns(struct training *t, const struct page_file *f, struct err *err)
{
	bool has_classes = f->rate < 0;

	if (f->rate < 0 && f->class < 0) {
		(void)err_set(err, ERR_SYNTAX, "no column 'rate' or 'class'");
		return page_file_fail(f, 1, err);
	}
	if (t->files > 0 && has_classes != t->has_classes) {
		(void)err_set(err, ERR_SYNTAX,
			"has %s, but the file before it has %s (train a model for each)",
			has_classes ? "classes" : "rates", has_classes ? "rates" : "classes");
		return page_file_fail(f, 1, err);
	}
	t->has_classes = has_classes;
	for (size_t i = 0; i < PAGE_FILE_OFFLINE; i++)
		t->has_offline = t->has_offline || f->offline[i] >= 0;
	return 0;
}

static int read_file(struct training *t, struct page_file *f, const char *path, struct err *err)
{
	struct page_file_entry e;
	int rc = page_file_open(f, path, false, err);

	if (rc == 0)
		rc = check_columns(t, f, err);
	while (rc == 0) {
		rc = page_file_next(f, &e, err);
		if (rc == 0 && add_page(t, &e, err))
			rc = page_file_fail(f, e.line, err);
	}
	page_file_close(f);
	return rc == ERR_END ? 0 : rc;
}

int training_read(struct training *t, char **paths, size_t count, struct err *err)
{
	struct page_file *f = mem_new(1, sizeof *f);
	int rc = 0;

	t->ends = mem_new(count, sizeof *t->ends);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		rc = read_file(t, f, paths[i], err);
		t->ends[t->files++] = t->rows.len;
	}
	free(f);
	if (rc == 0 && t->rows.len == 0)
		return err_set(err, ERR_SYNTAX, "%.200s: no page has a rate or class", paths[0]);
	return rc;
}

static void choose(struct training *t, double share, uint64_t seed)
{
	size_t n = t->rows.len;
	struct rng r;

	t->labels = mem_new(n, sizeof *t->labels);
	t->guesses = mem_new(n, sizeof *t->guesses);
	t->is_held_out = mem_new(n, sizeof *t->is_held_out);
	t->order = mem_new(n, sizeof *t->order);
	for (size_t i = 0; i < n; i++)
		t->order[i] = (uint32_t)i;
	rng_init(&r, seed);
	rng_shuffle(&r, t->order, n, sizeof *t->order);
	t->learned = (size_t)fmax(1, round(share * (double)n));
	for (size_t i = t->learned; i < n; i++)
		t->is_held_out[t->order[i]] = true;
}

/* A class for each rate: there are as many as words. */
static void classify_words(const double *sorted, size_t count, struct rate_bins *bins)
{
	for (size_t i = 0; i < count; i++)
		if (i == 0 || sorted[i] > sorted[i - 1]) {
			bins->upper[bins->count] = sorted[i];
			bins->mean[bins->count++] = sorted[i];
		}
}

static int make_bins(struct training *t, struct rate_bins *ret)
{
	double *rates = mem_new(t->learned, sizeof *rates);
	int rc = 0;

	*ret = (struct rate_bins){0};
	for (size_t i = 0; i < t->learned; i++)
		rates[i] = t->rates.ptr[t->order[i]];
	if (t->has_classes) {
		qsort(rates, t->learned, sizeof *rates, sort_by_value);
		classify_words(rates, t->learned, ret);
	} else {
		rc = rate_bins_make(rates, t->learned, ret);
	}
	free(rates);
	return rc;
}

static void name_class(const struct training *t, size_t number, struct predict_class *c)
{
	static const char *const WORDS[] = {
		"always", "hourly", "daily", "weekly", "monthly", "yearly", "never"};
	double rate;

	(void)snprintf(c->name, sizeof c->name, "%zu", number + 1);
	for (size_t i = 0; t->has_classes && i < sizeof WORDS / sizeof WORDS[0]; i++)
		if (frequency_rate(slice_str(WORDS[i]), &rate) && rate == c->rate)
			(void)snprintf(c->name, sizeof c->name, "%s", WORDS[i]);
}

int training_classify(struct training *t, double share, uint64_t seed, struct predict_model *m)
{
	struct rate_bins bins;

	choose(t, share, seed);
	TRY(make_bins(t, &bins));
	m->pages = t->learned;
	m->class_count = bins.count;
	for (size_t i = 0; i < bins.count; i++) {
		m->classes[i] =
			(struct predict_class){.rate = bins.mean[i], .upper = bins.upper[i]};
		name_class(t, i, &m->classes[i]);
	}
	for (size_t i = 0; i < t->rows.len; i++) {
		t->labels[i] = (uint8_t)rate_bins_find(&bins, t->rates.ptr[i]);
		m->classes[t->labels[i]].pages += !t->is_held_out[i];
	}
	return 0;
}

/* The pages to learn from, in their random order; arrays of its own. */
struct chosen {
	struct sample sample;
	struct features *rows;
	uint8_t *labels, *guesses;
	uint32_t *order; /* 0, 1, 2, … */
	enum classifier_kind kind;
};

static void chosen_release(struct chosen *c)
{
	free(c->rows);
	free(c->labels);
	free(c->guesses);
	free(c->order);
}

static void choose_rows(const struct training *t, const struct predict_model *m, struct chosen *c)
{
	size_t n = t->learned;

	c->rows = mem_new(n, sizeof *c->rows);
	c->labels = mem_new(n, 1);
	c->guesses = mem_new(n, 1);
	c->order = mem_new(n, sizeof *c->order);
	for (size_t i = 0; i < n; i++) {
		c->rows[i] = t->rows.ptr[t->order[i]];
		c->labels[i] = t->labels[t->order[i]];
		c->order[i] = (uint32_t)i;
	}
	c->sample = (struct sample){
		n, c->rows, c->labels, m->class_count, m->features, t->words.counts};
}

static int run_fold(void *context, size_t fold)
{
	struct chosen *c = context;

	return classifier_fold(c->kind, &c->sample, c->order, fold, c->guesses);
}

int training_validate(struct training *t, const struct predict_model *m, enum classifier_kind kind,
	void (*report)(void *context, size_t done), void *context)
{
	struct chosen c = {.kind = kind};
	int rc;

	choose_rows(t, m, &c);
	rc = parallel_run(&(struct parallel){.count = CLASSIFIER_FOLDS,
		.work = run_fold,
		.context = &c,
		.report = report,
		.report_context = context});
	for (size_t i = 0; rc == 0 && i < t->learned; i++)
		t->guesses[t->order[i]] = c.guesses[i];
	chosen_release(&c);
	return rc;
}

int training_finish(struct training *t, enum classifier_kind kind, struct predict_model *m)
{
	struct chosen c = {.kind = kind};
	int rc;

	choose_rows(t, m, &c);
	rc = classifier_train(&m->classifier, kind, &c.sample);
	chosen_release(&c);
	for (size_t i = 0; rc == 0 && i < t->rows.len; i++)
		if (t->is_held_out[i])
			t->guesses[i] = (uint8_t)predict_model_class(m, &t->rows.ptr[i]);
	m->words = t->words;
	feature_words_init(&t->words);
	return rc;
}

struct training_score training_score(const struct training *t, size_t file, bool held_out)
{
	size_t counts[SAMPLE_CLASSES_MAX] = {0};
	size_t from = file > 0 && file < t->files ? t->ends[file - 1] : 0;
	size_t to = file < t->files ? t->ends[file] : t->rows.len;
	struct training_score s = {0};

	for (size_t i = from; i < to; i++) {
		if (t->is_held_out[i] != held_out)
			continue;
		s.pages++;
		s.histogram[abs(t->guesses[i] - t->labels[i])]++;
		if (++counts[t->labels[i]] > s.most)
			s.most = counts[t->labels[i]];
	}
	return s;
}
