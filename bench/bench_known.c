/*
 * What a known URL costs in memory, everything included: the table of pages, the test for known
 * URLs, the hosts and the planner of a visit–revisit capture, from the first discovery over the
 * barrier to the last revisit. Most of a site is found before it is visited, which is the worst.
 *
 *	known_bench [STRATEGY [COUNT [spread]]]     spread: pages of different rates
 *
 * Without arguments: several strategies, each in a process of its own. Bytes are those of the
 * process at its largest (VmHWM) beyond what it had at first.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"
#include "bench.h"
#include "crawl/pages.h"
#include "frontier/hosts.h"
#include "plan/plan.h"

enum {
	COUNT = 10000000,
	HOSTS = 1000,
	AT_ONCE = 16,
	URL_SIZE = 128,
	EARLY = 10, /* one page of so many is found before the visits begin */
};

struct known {
	struct pages pages;
	struct servers lane;
	struct hosts hosts;
	struct plan_run *plan;
	struct rng rng;
	bool spread;
	uint32_t count;
	double clock;
};

static void require(bool ok, const char *what)
{
	if (!ok) {
		(void)fprintf(stderr, "known_bench: %s failed\n", what);
		exit(1);
	}
}

/* Of /proc/self/status, in bytes. */
static double status(const char *field)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	double kb = 0;

	require(f != NULL, "status");
	while (fgets(line, sizeof line, f))
		if (strncmp(line, field, strlen(field)) == 0)
			kb = strtod(line + strlen(field) + 1, NULL);
	(void)fclose(f);
	return kb * 1024;
}

static void find_page(struct known *k, uint32_t i)
{
	double day = 86400;
	struct page_prior prior = {.survival = survival_gamma(0.5, 0.5 * 30 * day), .weight = 1};
	struct crawl_page page = {.taken = true, .via = i / 30};
	struct err err = {0};
	char text[URL_SIZE];
	struct url url;
	uint32_t number;
	int n = snprintf(text, sizeof text,
		"https://www.site-%u.example.org/section-%u/2026/article-%u.html", i % HOSTS,
		i % 977, i);

	if (i < HOSTS) {
		url_init(&url);
		require(url_parse(&url, slice_str(text), NULL, NULL) == 0, "url_parse");
		require(hosts_find(&k->hosts, &url, &page.host) == 0, "hosts_find");
		url_release(&url);
	}
	page.host = i % HOSTS;
	if (k->spread)
		prior.survival.rate *= rng_exponential(&k->rng, 1);
	require(pages_add(&k->pages, (slice){text, (size_t)n}, &prior, &page, &number, &err) == 0,
		"pages_add");
	require(plan_discovered(k->plan, number, prior.survival, prior.weight) == 0,
		"plan_discovered");
}

/* What the end of a visit leaves behind, and the links of its page. */
static void visit(struct known *k, uint32_t page)
{
	struct page_visit v = {.date = page, .end = k->clock};
	struct err err = {0};
	uint32_t next = (uint32_t)k->pages.list.len;

	require(pages_set_visit(&k->pages, page, &v, &err) == 0, "pages_set_visit");
	for (uint32_t i = 0; i < 30 && next < k->count; i++)
		find_page(k, next++);
}

static void run(struct known *k)
{
	struct plan_order out[AT_ONCE];
	size_t n = 0;

	for (uint32_t i = 0; i < k->count / EARLY; i++)
		find_page(k, i);
	for (;;) {
		enum plan_step step = plan_next(k->plan, k->clock, &out[n]);

		if (step == PLAN_END)
			break;
		n += step == PLAN_ORDER;
		if (step == PLAN_ORDER && n < AT_ONCE)
			continue;
		k->clock += 0.001;
		if (out[0].leg == PLAN_VISIT)
			visit(k, out[0].page);
		plan_done(k->plan, &out[0], PLAN_OK, k->clock - 0.0005, k->clock);
		out[0] = out[--n];
	}
}

static void measure(const char *strategy, uint32_t count, bool spread)
{
	struct known k = {.count = count, .spread = spread};
	double before = status("VmHWM:"), start;
	struct err err = {0};

	pages_init(&k.pages, "/tmp");
	servers_init(&k.lane, (struct pace_rule){.automatic = true}, NULL, hash_key_random());
	hosts_init(&k.hosts, &k.lane, 0, hash_key_random());
	rng_init(&k.rng, 1);
	k.plan = plan_run_new(
		&(struct plan_params){.strategy = plan_strategy_find(strategy, false)}, &err);
	require(k.plan != NULL, "plan_run_new");
	start = processor_time();
	run(&k);
	require(plan_progress(k.plan).revisited == count && plan_error(k.plan) == 0, "the plan");
	printf("%-24s %8u URLs, rates %s: %5.1f bytes each (known URLs %4.1f, pages %4.1f); "
	       "%4.1f µs\n",
		strategy, count, spread ? "differ" : "alike ", (status("VmHWM:") - before) / count,
		(double)seen_bytes(&k.pages.seen) / count, (double)sizeof(struct crawl_page),
		(processor_time() - start) * 1e6 / count);
	plan_run_free(k.plan);
	hosts_release(&k.hosts);
	servers_release(&k.lane);
	pages_release(&k.pages);
}

static void measure_apart(const char *strategy, bool spread)
{
	pid_t child;

	(void)fflush(stdout);
	child = fork();
	require(child >= 0, "fork");
	if (child == 0) {
		measure(strategy, COUNT, spread);
		(void)fflush(stdout);
		_exit(0);
	}
	require(waitpid(child, NULL, 0) == child, "waitpid");
}

int main(int argc, char **argv)
{
	static const char *const STRATEGIES[] = {"stillpoint", "bfs-lifo", "sharc", "solar"};

	(void)mallopt(M_MMAP_THRESHOLD, 256 << 10); /* as the program does */
	if (argc > 1) {
		measure(argv[1], argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : COUNT, argc > 3);
		return 0;
	}
	for (size_t i = 0; i < sizeof STRATEGIES / sizeof STRATEGIES[0]; i++) {
		measure_apart(STRATEGIES[i], false);
		measure_apart(STRATEGIES[i], true);
	}
	return 0;
}
