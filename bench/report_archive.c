/*
 * report_archive DIRECTORY PAGES: writes the catalog of a finished capture, for report_bench.py.
 * URLs are in directories of a few hundred, visits come one after another, revisits in the reverse
 * order; one page in eight has changed, some are missing, failed, or were seen once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "archive/judging.h"
#include "base/rng.h"
#include "catalog/catalog.h"

enum { COMMIT = 10000, DIRECTORY = 300, PATH_SIZE = 4096 };

static const int64_t START = INT64_C(1767225600000000000); /* 2026 */
static const int64_t STEP = INT64_C(500000000);            /* between two requests */
static const int64_t LENGTH = INT64_C(80000000);           /* of a download */

/* Ways in which pages turn out, out of 100. */
enum fate { MISSING = 2, FAILED = 4, ONCE = 6, CHANGED = 18 };

struct site {
	struct catalog *catalog;
	uint32_t capture, pages;
	struct rng rng;
	struct err err;
};

static void must(const struct site *s, int rc)
{
	if (rc == 0)
		return;
	(void)fprintf(stderr, "report_archive: %s\n", s->err.text);
	exit(1);
}

static unsigned fate_of(uint32_t page)
{
	return (uint32_t)(page * UINT32_C(2654435761)) % 100;
}

static void make_digest(struct digest *d, uint32_t page, uint64_t version)
{
	struct rng rng;

	rng_init(&rng, page + (version << 32));
	d->kind = DIGEST_SHA256;
	for (size_t i = 0; i < 4; i++) {
		uint64_t bits = rng_u64(&rng);

		memcpy(d->bytes + 8 * i, &bits, sizeof bits);
	}
}

static void add_page(struct site *s, uint32_t n)
{
	char url[160];
	struct catalog_page page = {
		.number = n,
		.kind = SLICE("page"),
		.via = n ? n / 10 : CATALOG_NO_PAGE,
		.found = SLICE("link"),
		.depth = 3,
		.taken = true,
		.rule = SLICE("in: host www.example.org"),
		.rate = 1e-6 * (1 + rng_double(&s->rng)),
		.weight = 1,
	};

	(void)snprintf(url, sizeof url,
		"https://www.example.org/section-%u/2026/%02u/the-title-of-a-page-%u",
		n / DIRECTORY, n % 12 + 1, n);
	page.url = slice_str(url);
	must(s, catalog_put(s->catalog, CATALOG_ROW_ADD_PAGE, s->capture, &page, &s->err));
}

static void add_look(struct site *s, uint32_t n, enum attempt_leg leg)
{
	uint32_t position = leg == ATTEMPT_VISIT ? n : 2 * s->pages - n;
	int64_t at = START + position * STEP;
	unsigned fate = fate_of(n);
	bool failed = fate >= MISSING && fate < FAILED;
	uint64_t version = fate >= ONCE && fate < CHANGED && leg == ATTEMPT_REVISIT;
	struct attempt a = {
		.page = n,
		.leg = leg,
		.number = 1,
		.wall = {at, at + LENGTH / 2, at + LENGTH},
		.clock = {at - START, at - START + LENGTH / 2, at - START + LENGTH},
		.status = fate < MISSING ? 404
			  : failed       ? 0
					 : 200,
		.failure = failed ? SLICE("timeout: no answer within 30 s") : (slice){0},
		.has_state = !failed,
		.has_payload = !failed,
		.media_type = SLICE("text/html"),
		.warc = SLICE("stillpoint-20260101000000-00001.warc.gz"),
		.offset = position * UINT64_C(8123),
		.length = 8000,
	};

	if (leg == ATTEMPT_REVISIT && (failed || (fate >= FAILED && fate < ONCE)))
		return;
	make_digest(&a.state, n, version);
	make_digest(&a.payload, n, version);
	must(s, catalog_add_observation(s->catalog, s->capture, &a, &s->err));
}

static void each(struct site *s, void (*add)(struct site *s, uint32_t n))
{
	for (uint32_t n = 0; n < s->pages; n++) {
		add(s, n);
		if (n % COMMIT == 0)
			must(s, catalog_commit(s->catalog, &s->err));
	}
}

static void add_both(struct site *s, uint32_t n)
{
	add_page(s, n);
	add_look(s, n, ATTEMPT_VISIT);
	add_look(s, n, ATTEMPT_REVISIT);
}

int main(int argc, char **argv)
{
	struct site s = {.pages = argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0};
	struct catalog_capture row = {
		.uuid = SLICE("urn:uuid:00000000-0000-4000-8000-000000000001"),
		.site = SLICE("https://www.example.org/"),
		.strategy = SLICE("stillpoint-online"),
		.settings = SLICE(""),
		.state = CATALOG_FINISHED,
		.started = START,
		.addresses = CATALOG_NO_ADDRESSES,
	};
	char path[PATH_SIZE];

	if (s.pages == 0) {
		(void)fprintf(stderr, "usage: report_archive DIRECTORY PAGES\n");
		return 2;
	}
	(void)mkdir(argv[1], 0777);
	(void)snprintf(path, sizeof path, "%s/warc", argv[1]);
	(void)mkdir(path, 0777);
	(void)snprintf(path, sizeof path, "%s/catalog.sqlite", argv[1]);
	rng_init(&s.rng, 1);
	row.finished = START + (2 * s.pages + 1) * STEP;
	must(&s, catalog_open(path, CATALOG_CREATE, &s.catalog, &s.err));
	must(&s, catalog_add_capture(s.catalog, &row, &s.capture, &s.err));
	each(&s, add_both);
	must(&s, judging_store(s.catalog, s.capture, NULL, &s.err));
	must(&s, catalog_commit(s.catalog, &s.err));
	catalog_close(s.catalog);
	return 0;
}
