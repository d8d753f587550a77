/*
 * Sites: any file is read or refused with a line that says why; what was read can be captured by
 * every strategy, each page that can be reached exactly once in each leg.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/expect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static int read_site(const uint8_t *data, size_t size, struct site *ret_site)
{
	FILE *file = tmpfile();
	struct err err = {0};
	int rc;

	require(file && fwrite(data, 1, size, file) == size);
	rewind(file);
	rc = site_read(file, "site", ret_site, &err);
	(void)fclose(file);
	require(rc == 0 || (err.code == rc && strncmp(err.text, "site:", 5) == 0));
	return rc;
}

/* The times of a leg are those of its pages, one download each. */
static void check_leg(const struct u32_vec *pages, const double *times, size_t n)
{
	size_t downloaded = 0;

	for (size_t i = 0; i < n; i++)
		downloaded += !isnan(times[i]);
	require(downloaded == pages->len);
	for (size_t i = 1; i < pages->len; i++)
		require(times[pages->ptr[i - 1]] < times[pages->ptr[i]]);
}

static void capture(const struct site *site, const struct plan_strategy *strategy)
{
	static const uint32_t seed[] = {0};
	struct drive_params params = {
		.site = site,
		.plan = {.strategy = strategy, .delay = 1},
		.seeds = seed,
		.seed_count = 1,
	};
	struct drive_result c;
	struct evaluation e;
	struct err err = {0};

	require(drive(&params, &c, &err) == 0);
	require(c.visits.len + c.unreached.len == site->n);
	require(c.revisits.len == (c.single ? 0 : c.visits.len));
	check_leg(&c.visits, c.visited_at, site->n);
	check_leg(&c.revisits, c.revisited_at, site->n);
	e = evaluate(site, &c, NULL);
	require(c.single ? isnan(e.coherence) : e.coherence >= 0);
	drive_release(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct plan_strategy *strategy;
	struct site site;

	if (read_site(data, size, &site))
		return 0;
	for (size_t i = 0; (strategy = plan_strategy_at(i)); i++)
		capture(&site, strategy);
	site_release(&site);
	return 0;
}
