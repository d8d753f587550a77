#include "living/rates.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/parse.h"
#include "base/rng.h"

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

static int by_falling_rate(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

static void arrange(enum living_rate_order order, struct rng *rng, double *rates, size_t n)
{
	if (order == LIVING_RATES_SHUFFLED) {
		rng_shuffle_doubles(rng, rates, n);
		return;
	}
	qsort(rates, n, sizeof *rates, by_falling_rate);
	if (order == LIVING_RATES_HOT_LAST)
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
	slice name = row->fields[c->page], number = row->fields[c->rate];
	unsigned long long line = row->line;
	double rate;

	if (parse_double(number, &rate) || rate < 0)
		return err_set(err, ERR_SYNTAX,
			"line %llu: rate '%.*s' is not a number of at least 0", line,
			slice_shown(number, SHOWN_MAX), number.ptr);
	if (take(context, name, rate))
		return err_set(err, ERR_NOTFOUND, "line %llu: the site has no page '%.*s'", line,
			slice_shown(name, SHOWN_MAX), name.ptr);
	return 0;
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
	FILE *file = fopen(name, "re");
	int rc;

	if (!file)
		return err_set(err, ERR_IO, "%.200s: %s", name, strerror(errno));
	rc = read_rows(file, take, context, err);
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
