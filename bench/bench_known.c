/*
 * What a known URL costs in memory, everything included: captures with their tables of pages, tests
 * for known URLs, hosts, traps and planners, from the first discovery over the barrier to the last
 * revisit. Most of a site is found before it is visited, which is the worst. All captures go on
 * together, page by page.
 *
 *	known_bench [STRATEGY [URLS [CAPTURES [spread]]]]     spread: pages of different rates
 *
 * URLS is the number of all captures together. Without arguments: several strategies and numbers of
 * captures, each in a process of its own. Bytes are those of the process at its largest (VmHWM)
 * beyond what it had at first.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"
#include "bench.h"
#include "crawl/capture.h"

enum {
	COUNT = 10000000,
	HOSTS = 1000, /* of one capture alone; of many, one each */
	AT_ONCE = 16,
	URL_SIZE = 128,
	EARLY = 10, /* one page of so many is found before the visits begin */
	TRIM = 50,  /* rounds: of a second each, if the sites are asked politely */
};

/* What to measure. */
struct figure {
	const char *strategy;
	uint32_t urls, captures;
	bool spread;
};

/* One capture, and its orders that are out. */
struct known {
	struct capture *capture;
	uint32_t number, hosts;
	uint32_t count; /* URLs that it will know */
	struct plan_order out[AT_ONCE];
	size_t out_len;
	bool ended;
};

struct lab {
	const struct figure *figure;
	struct known *list;
	struct spill_pool pool;
	struct seen_budget known;
	struct servers servers;
	struct buf shape;
	struct rng rng;
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

/* The address of a page, and its host when it is the first there. */
static slice page_url(struct known *k, uint32_t i, char text[URL_SIZE], uint32_t *ret_host)
{
	int n = snprintf(text, URL_SIZE,
		"https://www.site-%u.example.org/section-%u/2026/article-%u.html",
		k->number * k->hosts + i % k->hosts, i % 977, i);

	*ret_host = i % k->hosts;
	return (slice){text, (size_t)n};
}

static void take_shape(struct lab *lab, struct capture *c, const struct url *url)
{
	struct trap_levels levels;
	struct trap_shape shape;

	require(trap_shape(&lab->shape, url, &shape) == 0, "trap_shape");
	require(traps_find(&c->traps.traps, &shape, &levels) == 0, "traps_find");
	traps_take(&c->traps.traps, &levels, false);
}

static void find_page(struct lab *lab, struct known *k, uint32_t i)
{
	double day = 86400;
	struct page_prior prior = {.survival = survival_gamma(0.5, 0.5 * 30 * day), .weight = 1};
	struct crawl_page page = {.taken = true, .via = i / 30};
	struct capture *c = k->capture;
	struct err err = {0};
	char text[URL_SIZE];
	slice address = page_url(k, i, text, &page.host);
	struct url url;
	uint32_t number;

	url_init(&url);
	require(url_parse(&url, address, NULL, NULL) == 0, "url_parse");
	if (i < k->hosts)
		require(hosts_find(&c->hosts, &url, &page.host) == 0, "hosts_find");
	take_shape(lab, c, &url);
	url_release(&url);
	if (lab->figure->spread)
		prior.survival.rate *= rng_exponential(&lab->rng, 1);
	require(pages_add(&c->pages, address, &prior, &page, &number, &err) == 0, "pages_add");
	require(plan_discovered(c->plan, number, prior.survival, prior.weight) == 0,
		"plan_discovered");
}

/* What the end of a visit leaves behind, and the links of its page. */
static void visit(struct lab *lab, struct known *k, uint32_t page)
{
	struct page_visit v = {.date = page, .end = lab->clock};
	struct err err = {0};
	uint32_t next = (uint32_t)k->capture->pages.list.len;

	require(pages_set_visit(&k->capture->pages, page, &v, &err) == 0, "pages_set_visit");
	for (uint32_t i = 0; i < 30 && next < k->count; i++)
		find_page(lab, k, next++);
}

/* Until a fetch has ended; false when there is nothing more to do. */
static bool step(struct lab *lab, struct known *k)
{
	struct plan_run *plan = k->capture->plan;
	struct plan_order *first = &k->out[0];

	while (k->out_len < AT_ONCE) {
		enum plan_step next = plan_next(plan, lab->clock, &k->out[k->out_len]);

		if (next == PLAN_END)
			return false;
		if (next != PLAN_ORDER)
			break;
		k->out_len++;
	}
	lab->clock += 0.001;
	if (first->leg == PLAN_VISIT)
		visit(lab, k, first->page);
	plan_done(plan, first, PLAN_OK, lab->clock - 0.0005, lab->clock);
	*first = k->out[--k->out_len];
	return true;
}

static void run(struct lab *lab)
{
	uint32_t left = lab->figure->captures, rounds = 0;

	for (uint32_t c = 0; c < lab->figure->captures; c++)
		for (uint32_t i = 0; i < lab->list[c].count / EARLY; i++)
			find_page(lab, &lab->list[c], i);
	while (left > 0) {
		if (lab->figure->captures > 1 && rounds++ % TRIM == 0)
			(void)malloc_trim(0); /* as the program does, more often */
		for (uint32_t c = 0; c < lab->figure->captures; c++) {
			struct known *k = &lab->list[c];

			if (k->ended || step(lab, k))
				continue;
			k->ended = true;
			left--;
		}
	}
}

static void open_capture(struct lab *lab, uint32_t number, const struct rates *rates,
	const struct crawl_settings *settings)
{
	struct known *k = &lab->list[number];
	uint32_t captures = lab->figure->captures;
	struct err err = {0};

	k->number = number;
	k->hosts = captures == 1 ? HOSTS : 1;
	k->count = lab->figure->urls / captures;
	require(capture_new(settings, rates, clock_system(), &k->capture, &err) == 0,
		"capture_new");
	pages_init(&k->capture->pages, &lab->pool, &lab->known);
	hosts_init(&k->capture->hosts, &lab->servers, number, hash_key_random());
}

static void open_lab(struct lab *lab, const struct rates *rates, const struct crawl_settings *s)
{
	uint32_t captures = lab->figure->captures;

	lab->list = calloc(captures, sizeof *lab->list);
	require(lab->list != NULL, "memory");
	spill_pool_init(&lab->pool, "/tmp");
	lab->known.max = SIZE_MAX / 2;
	servers_init(&lab->servers, (struct pace_rule){.automatic = true}, NULL, hash_key_random());
	buf_init(&lab->shape, URL_MAX);
	rng_init(&lab->rng, 1);
	for (uint32_t i = 0; i < captures; i++)
		open_capture(lab, i, rates, s);
}

static void close_lab(struct lab *lab)
{
	for (uint32_t i = 0; i < lab->figure->captures; i++)
		capture_free(lab->list[i].capture);
	servers_release(&lab->servers);
	spill_pool_release(&lab->pool);
	buf_release(&lab->shape);
	free(lab->list);
}

static void check(const struct lab *lab)
{
	for (uint32_t i = 0; i < lab->figure->captures; i++) {
		const struct known *k = &lab->list[i];

		require(plan_progress(k->capture->plan).revisited == k->count &&
				plan_error(k->capture->plan) == 0,
			"the plan");
	}
}

static void measure(const struct figure *f)
{
	struct lab lab = {.figure = f};
	struct crawl_settings settings;
	struct rates rates = {0};
	double before = status("VmHWM:"), start, idle;

	crawl_settings_init(&settings);
	settings.strategy = f->strategy;
	require(text_list_push(&settings.seeds, "https://www.site-1.example.org/") == 0, "seeds");
	open_lab(&lab, &rates, &settings);
	idle = status("VmRSS:") - before;
	start = processor_time();
	run(&lab);
	check(&lab);
	printf("%-12s %5u x %8u URLs, rates %s: %5.1f bytes each; a capture without any %6.0f; "
	       "%4.1f µs\n",
		f->strategy, f->captures, f->urls / f->captures, f->spread ? "differ" : "alike ",
		(status("VmHWM:") - before) / f->urls, idle / f->captures,
		(processor_time() - start) * 1e6 / f->urls);
	close_lab(&lab);
	crawl_settings_release(&settings);
}

static void measure_apart(const struct figure *f)
{
	pid_t child;

	(void)fflush(stdout);
	child = fork();
	require(child >= 0, "fork");
	if (child == 0) {
		measure(f);
		(void)fflush(stdout);
		_exit(0);
	}
	require(waitpid(child, NULL, 0) == child, "waitpid");
}

static uint32_t count_of(const char *text, uint32_t otherwise)
{
	uint32_t count = text ? (uint32_t)strtoul(text, NULL, 10) : otherwise;

	require(count > 0, "known_bench [STRATEGY [URLS [CAPTURES [spread]]]]");
	return count;
}

int main(int argc, char **argv)
{
	static const struct figure FIGURES[] = {
		{"stillpoint", COUNT, 1, false},
		{"stillpoint", COUNT, 1, true},
		{"stillpoint", COUNT, 1000, true},
		{"stillpoint", COUNT, 10000, true},
		{"bfs-lifo", COUNT, 1, false},
		{"sharc", COUNT, 1, false},
		{"solar", COUNT, 1, false},
	};

	(void)mallopt(M_MMAP_THRESHOLD, 256 << 10); /* as the program does */
	if (argc > 1) {
		measure(&(struct figure){argv[1], count_of(argc > 2 ? argv[2] : NULL, COUNT),
			count_of(argc > 3 ? argv[3] : NULL, 1), argc > 4});
		return 0;
	}
	for (size_t i = 0; i < sizeof FIGURES / sizeof FIGURES[0]; i++)
		measure_apart(&FIGURES[i]);
	return 0;
}
