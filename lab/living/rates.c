#include "living/rates.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/csv.h"
#include "base/rng.h"
#include "base/sort.h"

enum { SHOWN_MAX = 80 };

/* Descending, as far as the kind goes. */
static void draw(const struct living_rates *want, struct rng *rng, double *rates, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (want->kind == LIVING_ZIPF)
			rates[i] = pow((double)i + 1, -want->a);
		else if (want->kind == LIVING_LOGNORMAL)
			rates[i] = exp(want->a + want->b * rng_normal(rng));
		else
			rates[i] = want->a;
	}
}

static void arrange(enum living_rate_order order, struct rng *rng, double *rates, size_t n)
{
	if (order == LIVING_RATES_SHUFFLED) {
		rng_shuffle(rng, rates, n, sizeof *rates);
		return;
	}
	qsort(rates, n, sizeof *rates, sort_by_value);
	if (order == LIVING_RATES_HOT_FIRST)
		for (size_t i = 0; i < n / 2; i++) {
			double rate = rates[i];

			rates[i] = rates[n - 1 - i];
			rates[n - 1 - i] = rate;
		}
}

int rates_scale(double mean, double *rates, size_t n, struct err *err)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += rates[i];
	if (!(sum > 0 && isfinite(sum)))
		return err_set(err, ERR_RANGE,
			"rates that add up to %g cannot be scaled to a mean of %g", sum, mean);
	for (size_t i = 0; i < n; i++)
		rates[i] *= mean * (double)n / sum;
	return 0;
}

/* Columns of a file of rates. */
struct columns {
	int page;
	int rate;
};

static int read_row(const struct columns *c, const struct csv_row *row, rates_take *take,
	void *context, struct err *err)
{
	slice name = row->fields[c->page];
	double rate;
	int rc = csv_number(row->fields[c->rate], "rate", DBL_MAX, &rate, err);

	if (rc)
		rc = err->code = ERR_SYNTAX; /* also a negative rate is no rate */
	if (rc == 0 && take(context, name, rate))
		rc = err_set(err, ERR_NOTFOUND, "the site has no page '%.*s'",
			slice_shown(name, SHOWN_MAX), name.ptr);
	if (rc)
		err_prefix(err, "line %llu", (unsigned long long)row->line);
	return rc;
}

static int read_rows(FILE *file, rates_take *take, void *context, struct err *err)
{
	struct csv_reader csv;
	struct columns c;
	struct csv_row row;
	int rc = csv_open_file(&csv, file, CSV_HEADER, err);

	if (rc)
		return rc;
	c.page = csv_column(&csv, SLICE("page"));
	if (c.page < 0)
		c.page = csv_column(&csv, SLICE("url"));
	c.rate = csv_column(&csv, SLICE("rate"));
	if (c.page < 0 || c.rate < 0)
		rc = err_set(err, ERR_SYNTAX,
			"line 1: the header names the columns page (or url) and rate");
	while (rc == 0 && (rc = csv_next(&csv, &row, err)) == 0)
		rc = read_row(&c, &row, take, context, err);
	csv_close(&csv);
	return rc == ERR_END ? 0 : rc;
}

int rates_read(const char *name, rates_take *take, void *context, struct err *err)
{
	FILE *file = csv_open_path(name, err);
	int rc = file ? read_rows(file, take, context, err) : ERR_IO;

	if (file)
		(void)fclose(file);
	if (rc)
		err_prefix(err, "%.200s", name);
	return rc;
}

void rates_draw(const struct living_rates *want, enum living_rate_order order, uint64_t seed,
	double *rates, size_t n)
{
	struct rng rng;

	rng_init(&rng, seed);
	draw(want, &rng, rates, n);
	arrange(order, &rng, rates, n);
}
