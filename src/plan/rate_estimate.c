/*
 * Eq. 5 multiplied by the rate, with z = rate * length:
 *
 *	sum over changed intervals of z / (e^z - 1)  =  rate * (time of unchanged intervals)
 *
 * Since 1 - z/2 <= z/(e^z - 1) <= 1, the root lies between m / (Tu + Tc/2) and m / Tu. That may be
 * many powers of ten, so Brent's method looks for the logarithm of the rate.
 */
#include "plan/rate_estimate.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/word.h"
#include "plan/brent.h"

#define DAY 86400.0

static const struct {
	const char *word;
	double seconds; /* from one change to the next */
} ROWS[FREQUENCIES] = {
	[FREQUENCY_ALWAYS] = {"always", 60},
	[FREQUENCY_HOURLY] = {"hourly", 3600},
	[FREQUENCY_DAILY] = {"daily", DAY},
	[FREQUENCY_WEEKLY] = {"weekly", 7 * DAY},
	[FREQUENCY_MONTHLY] = {"monthly", 30 * DAY},
	[FREQUENCY_YEARLY] = {"yearly", 365 * DAY},
	[FREQUENCY_NEVER] = {"never", 3650 * DAY},
};

enum frequency frequency_parse(slice word)
{
	for (int f = FREQUENCY_NONE + 1; f < FREQUENCIES; f++)
		if (word_is(word, slice_str(ROWS[f].word)))
			return (enum frequency)f;
	return FREQUENCY_NONE;
}

const char *frequency_name(enum frequency f)
{
	return ROWS[f].word;
}

double frequency_value(enum frequency f)
{
	return f == FREQUENCY_NONE ? 0 : 1 / ROWS[f].seconds;
}

bool frequency_rate(slice word, double *ret_rate)
{
	enum frequency f = frequency_parse(word);

	if (f == FREQUENCY_NONE)
		return false;
	*ret_rate = frequency_value(f);
	return true;
}

static const double LOG_TOLERANCE = 1e-13;

double rate_length(double length)
{
	if (!(length >= RATE_LENGTH_MIN))
		return 0;
	return length < RATE_LENGTH_MAX ? length : RATE_LENGTH_MAX;
}

struct rate_tally rate_tally_of(const struct rate_interval *intervals, size_t count)
{
	struct rate_tally t = {0};

	for (size_t i = 0; i < count; i++) {
		double length = rate_length(intervals[i].length);

		if (length == 0)
			continue;
		t.n++;
		t.m += intervals[i].changed;
		if (intervals[i].changed)
			t.changed += length;
		else
			t.steady += length;
	}
	return t;
}

bool rate_naive(const struct rate_tally *t, double *ret_rate)
{
	if (t->n == 0)
		return false;
	*ret_rate = (double)t->m / (t->changed + t->steady);
	return true;
}

bool rate_bias_reduced(const struct rate_tally *t, double *ret_rate)
{
	double n = (double)t->n, m = (double)t->m;

	if (t->n == 0)
		return false;
	*ret_rate = n / (t->changed + t->steady) * log1p(m / (n - m + 0.5));
	return true;
}

struct likelihood {
	const struct rate_interval *intervals;
	size_t count;
	double steady;
};

/* The derivative of the log-likelihood by the logarithm of the rate. */
static double slope(const void *context, double log_rate)
{
	const struct likelihood *l = context;
	double rate = exp(log_rate), sum = -rate * l->steady;

	for (size_t i = 0; i < l->count; i++) {
		double z = rate * rate_length(l->intervals[i].length);

		if (l->intervals[i].changed && z > 0)
			sum += z / expm1(z);
	}
	return sum;
}

bool rate_mle(const struct rate_interval *intervals, size_t count, double *ret_rate)
{
	struct rate_tally t = rate_tally_of(intervals, count);
	struct likelihood l = {intervals, count, t.steady};
	double m = (double)t.m;

	if (t.n == 0 || t.m == t.n)
		return false;
	*ret_rate = t.m == 0 ? 0
			     : exp(rate_brent(slope, &l, log(m / (t.steady + t.changed / 2)),
				       log(m / t.steady), LOG_TOLERANCE));
	return true;
}

bool rate_hacs(const struct rate_interval *intervals, size_t count, double *ret_rate)
{
	struct rate_tally t = rate_tally_of(intervals, count);

	return t.n > 0 && t.m == t.n ? rate_bias_reduced(&t, ret_rate)
				     : rate_mle(intervals, count, ret_rate);
}

size_t rate_interpolate(
	const struct rate_visit *visits, size_t count, struct rate_interval *out, double *ret_last)
{
	double before = count > 0 ? visits[0].time : 0;

	for (size_t i = 1; i < count; i++) {
		double at = visits[i].time;

		if (visits[i].changed) {
			at = visits[i - 1].time / 2 + at / 2;
			*ret_last = at;
		}
		out[i - 1] =
			(struct rate_interval){.length = at - before, .changed = visits[i].changed};
		before = at;
	}
	return count > 0 ? count - 1 : 0;
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Takes rates from the first on until the bin has its share and the next one differs. */
static size_t fill(const double *rates, size_t count, size_t bins_left, double *ret_mean)
{
	double share = (double)count / (double)bins_left, sum = 0;
	size_t n = 0;

	/* Differences to the first: the mean of equal rates is exactly theirs. */
	do
		sum += rates[n++] - rates[0];
	while (n < count && ((double)n < share - 0.5 || rates[n] == rates[n - 1]));
	*ret_mean = rates[0] + sum / (double)n;
	return n;
}

int rate_bins_make(const double *rates, size_t count, struct rate_bins *ret)
{
	double *sorted = malloc((count + 1) * sizeof *sorted);
	size_t n = 0, done = 0;

	if (!sorted)
		return ERR_NOMEM;
	for (size_t i = 0; i < count; i++)
		if (isfinite(rates[i]) && rates[i] >= 0)
			sorted[n++] = rates[i];
	qsort(sorted, n, sizeof *sorted, compare);
	*ret = (struct rate_bins){0};
	while (done < n && ret->count < RATE_BINS_MAX) {
		done += fill(sorted + done, n - done, RATE_BINS_MAX - ret->count,
			&ret->mean[ret->count]);
		ret->upper[ret->count++] = sorted[done - 1];
	}
	free(sorted);
	return 0;
}

size_t rate_bins_find(const struct rate_bins *b, double rate)
{
	size_t i = 0;

	while (i + 1 < b->count && rate > b->upper[i])
		i++;
	return i;
}

enum { NAME_MAX_SIZE = 1024 }; /* a directory with a longer name is no class */

#define NAMES_MAX ((size_t)2 * DIRECTORIES_MAX * NAME_MAX_SIZE)

int directories_init(struct directories *d)
{
	*d = (struct directories){0};
	arena_init(&d->names, NAMES_MAX);
	strmap_init(&d->known, hash_key_random(), &d->names);
	return u32_vec_try_push(&d->parents, 0);
}

void directories_release(struct directories *d)
{
	u32_vec_release(&d->parents);
	u32_vec_release(&d->classes);
	strmap_release(&d->known);
	arena_release(&d->names);
}

static int add_class(struct directories *d, slice name, uint32_t parent, uint32_t *ret)
{
	uint32_t class = (uint32_t)d->parents.len;

	TRY(strmap_put(&d->known, name, class));
	TRY(u32_vec_try_push(&d->parents, parent));
	*ret = class;
	return 0;
}

/* The class of the path's last directory, or the nearest above it. */
static uint32_t walk(const struct directories *d, slice path, size_t *ret_next)
{
	uint32_t class = 0;
	size_t i;

	for (i = 0; i < path.len; i++)
		if (path.ptr[i] == '/' && !strmap_get(&d->known, slice_sub(path, 0, i), &class))
			break;
	*ret_next = i;
	return class;
}

int directories_add(struct directories *d, slice path)
{
	size_t next;
	uint32_t class = walk(d, path, &next);

	path = slice_sub(path, 0, NAME_MAX_SIZE);
	for (; next < path.len && d->parents.len < DIRECTORIES_MAX; next++)
		if (path.ptr[next] == '/')
			TRY(add_class(d, slice_sub(path, 0, next), class, &class));
	return u32_vec_try_push(&d->classes, class);
}

uint32_t directories_find(const struct directories *d, slice path)
{
	size_t next;

	return walk(d, path, &next);
}
