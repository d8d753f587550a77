/*
 * Random traffic against a model of each server that knows nothing of jobs' pauses or heaps: it
 * remembers when every request began and ended. Held against it at every step:
 *  (1) a request starts only if, besides it, fewer than `jobs` requests are under way or ended less
 *      than the pause ago; and not within a Retry-After or a back-off;
 *  (2) when nothing is handed out although there is room, no server with held orders could start;
 *  (3) orders of a host start in the order they were held;
 *  (4) while a server is ready, no other has two turns before it: nothing starves;
 *  (5) everything ends.
 * Where servers share addresses, which they change at times, (1) and (2) hold for addresses as
 * well, and (4) also for a server that is ready but for its address, and the others there.
 */
#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "base/vec.h"
#include "net/servers.h"
#include "tap.h"

enum {
	SERVERS = 9,
	HOSTS = 2 * SERVERS, /* http and https of each */
	ORDERS = 3000,
	FLIGHT_MAX = 12,
	ADDRESSES = 4,
};

VEC_DECLARE(times, double);

/* Of a server, or of an address. */
struct model {
	struct times ends;
	unsigned address, moves_to; /* of a server */
	unsigned busy;
	unsigned failures, silent, strain, calm;
	unsigned held;
	double response, crawl_delay, quiet_until, backoff_until, alive_until;
	unsigned passed[SERVERS]; /* turns of the others while this one was ready */
};

struct flight {
	uint32_t host;
	double begin, end;
};

struct traffic {
	struct pace_rule rule;
	unsigned capacity; /* requests at once, in all */
	struct rng rng;
	struct rng jitter; /* the same numbers as the servers draw */
	struct servers lane;
	struct hosts hosts;
	bool shared; /* servers have addresses */
	struct model servers[SERVERS];
	struct model addresses[ADDRESSES];
	uint64_t next_in[HOSTS], next_out[HOSTS];
	struct flight flights[FLIGHT_MAX];
	size_t flying;
	double now;
	unsigned to_hold, started, wrong;
};

static double uniform(struct traffic *t, double from, double to)
{
	return from + (to - from) * rng_double(&t->rng);
}

static bool chance(struct traffic *t, double p)
{
	return rng_double(&t->rng) < p;
}

static void require(struct traffic *t, bool ok, const char *what)
{
	if (!ok && t->wrong++ < 5)
		tap_fail(__FILE__, __LINE__, "at %.6f: %s", t->now, what);
}

/* ---- the model ---- */

static double model_delay(const struct traffic *t, const struct model *m)
{
	double delay = t->rule.delay;

	if (t->rule.automatic)
		delay = fmin(60, fmax(1, 10 * m->response) * pow(2, m->strain));
	return fmax(delay, fmin(m->crawl_delay, 300));
}

static bool is_ready(const struct traffic *t, const struct model *m)
{
	unsigned jobs = m->crawl_delay > 0 ? 1 : t->rule.jobs, near = m->busy;
	double delay = model_delay(t, m);

	/* They are in order. */
	for (size_t i = m->ends.len; i-- > 0 && m->ends.ptr[i] + delay > t->now;)
		near++;
	return near < jobs && t->now >= m->quiet_until && t->now >= m->backoff_until;
}

static bool is_ready_but_for_address(const struct traffic *t, const struct model *m)
{
	return is_ready(t, m) && m->address == m->moves_to;
}

static bool may_start(const struct traffic *t, const struct model *m)
{
	return is_ready_but_for_address(t, m) &&
	       (!t->shared || is_ready(t, &t->addresses[m->address]));
}

static void model_answer(struct traffic *t, struct model *m, double seconds)
{
	if (m->silent >= 4)
		m->alive_until = t->now + 60;
	m->failures = m->silent = 0;
	m->response = seconds;
	m->backoff_until = -(double)INFINITY;
	if (m->strain > 0 && ++m->calm == 10) {
		m->strain--;
		m->calm = 0;
	}
}

static void model_failure(struct traffic *t, struct model *m, bool refused, double chance)
{
	double exponent;

	if (!refused && t->now < m->alive_until)
		return;
	m->failures++;
	m->silent = refused ? 0 : m->silent + 1;
	if (refused) {
		m->strain += m->strain < 6;
		m->calm = 0;
	}
	if (m->failures < 2 && !refused)
		return;
	exponent = m->failures < 2 ? 0 : m->failures - 2;
	m->backoff_until =
		fmax(m->backoff_until, t->now + fmin(300, pow(2, exponent)) * (1 + 0.5 * chance));
}

static void model_end(struct traffic *t, struct model *m, double seconds, enum pace_outcome outcome)
{
	double luck = rng_double(&t->jitter);

	m->busy--;
	CHECK_INT(times_push(&m->ends, t->now), 0);
	if (outcome == PACE_ANSWERED)
		model_answer(t, m, seconds);
	else
		model_failure(t, m, outcome == PACE_REFUSED, luck);
}

/* The same of an address, to which failures and refusals do not matter. */
static void model_pause(struct traffic *t, struct model *m, double seconds, bool answered)
{
	m->busy--;
	CHECK_INT(times_push(&m->ends, t->now), 0);
	if (answered)
		m->response = seconds;
}

/* Its address has a turn, or is not ready: turns elsewhere are counted anew. */
static void forget_elsewhere(struct traffic *t, struct model *m)
{
	for (uint32_t i = 0; i < SERVERS; i++)
		if (t->servers[i].address != m->address)
			m->passed[i] = 0;
}

/* Who is not ready does not wait for a turn. */
static void forget_turns(struct traffic *t)
{
	for (uint32_t i = 0; i < SERVERS; i++) {
		struct model *m = &t->servers[i];

		if (m->held == 0 || !is_ready_but_for_address(t, m))
			memset(m->passed, 0, sizeof m->passed);
		else if (!may_start(t, m))
			forget_elsewhere(t, m);
	}
}

/* Invariant (4), for a server that has its turn now. */
static void count_turn(struct traffic *t, uint32_t server)
{
	for (uint32_t i = 0; i < SERVERS; i++) {
		struct model *m = &t->servers[i];
		bool same = t->shared && m->address == t->servers[server].address;

		if (i == server)
			memset(m->passed, 0, sizeof m->passed);
		if (i == server || m->held == 0 || !is_ready_but_for_address(t, m))
			continue;
		if (same)
			forget_elsewhere(t, m);
		if (same || may_start(t, m))
			require(t, ++m->passed[server] <= 1, "a server waits longer than a round");
	}
}

/* ---- the traffic ---- */

static void hold_some(struct traffic *t)
{
	while (t->to_hold > 0 && chance(t, 0.7)) {
		/* Squared, so that the first hosts have most of the traffic. */
		double u = rng_double(&t->rng);
		uint32_t host = (uint32_t)(u * u * HOSTS);

		t->to_hold--;
		hosts_hold(&t->hosts, host, (uint64_t)host << 32 | t->next_in[host]++);
		t->servers[host / 2].held++;
	}
}

static void start(struct traffic *t, uint32_t host, uint64_t tag)
{
	struct model *m = &t->servers[host / 2];

	require(t, may_start(t, m), "a request starts too early");
	require(t, tag == t->next_out[host]++, "an order overtakes another of its host");
	forget_turns(t);
	count_turn(t, host / 2);
	m->busy++;
	t->addresses[m->address].busy++;
	m->held--;
	t->started++;
	t->flights[t->flying++] = (struct flight){host, t->now,
		t->now + (chance(t, 0.1) ? 0 : uniform(t, 0, chance(t, 0.1) ? 4 : 0.3))};
}

static void start_all(struct traffic *t)
{
	uint32_t client;
	uint64_t tag = 0;

	while (t->flying < t->capacity && servers_take(&t->lane, t->now, &client, &tag)) {
		hosts_started(&t->hosts, (uint32_t)(tag >> 32));
		start(t, (uint32_t)(tag >> 32), (uint32_t)tag);
	}
	if (t->flying == t->capacity)
		return;
	for (size_t i = 0; i < SERVERS; i++)
		require(t, t->servers[i].held == 0 || !may_start(t, &t->servers[i]),
			"a server could start, but is not taken");
	require(t, servers_next_ready(&t->lane) > t->now, "the next one is due, but not taken");
}

static void set_address(struct traffic *t, uint32_t host, unsigned address)
{
	struct model *m = &t->servers[host / 2];
	char text[32];

	(void)snprintf(text, sizeof text, "192.0.2.%u", address);
	m->moves_to = address;
	if (m->busy == 0)
		m->address = address;
	memset(m->passed, 0, sizeof m->passed);
	for (uint32_t i = 0; i < SERVERS; i++)
		t->servers[i].passed[host / 2] = 0;
	hosts_set_address(&t->hosts, host, slice_str(text));
}

static void finish(struct traffic *t, size_t i)
{
	struct flight f = t->flights[i];
	struct model *m = &t->servers[f.host / 2];
	enum pace_outcome outcome = chance(t, 0.7)   ? PACE_ANSWERED
				    : chance(t, 0.8) ? PACE_FAILED
						     : PACE_REFUSED;

	t->flights[i] = t->flights[--t->flying];
	model_pause(t, &t->addresses[m->address], f.end - f.begin, outcome != PACE_FAILED);
	model_end(t, m, f.end - f.begin, outcome);
	if (m->busy == 0)
		m->address = m->moves_to;
	hosts_done(&t->hosts, f.host, t->now, f.end - f.begin, outcome);
	if (chance(t, 0.05)) {
		double seconds = uniform(t, 0, 20);

		m->quiet_until = fmax(m->quiet_until, t->now + seconds);
		hosts_retry_after(&t->hosts, f.host, t->now, seconds);
	}
	if (chance(t, 0.05)) {
		m->crawl_delay = chance(t, 0.5) ? 0 : uniform(t, 0, 3);
		hosts_set_crawl_delay(&t->hosts, f.host, m->crawl_delay);
	}
	if (t->shared && chance(t, 0.05))
		set_address(t, f.host, (unsigned)uniform(t, 0, ADDRESSES));
	forget_turns(t);
}

static void finish_all(struct traffic *t)
{
	for (size_t i = t->flying; i-- > 0;)
		if (t->flights[i].end <= t->now)
			finish(t, i);
}

/* To the next thing that happens; false when nothing will. */
static bool advance(struct traffic *t)
{
	double next = t->flying < t->capacity ? servers_next_ready(&t->lane) : (double)INFINITY;

	for (size_t i = 0; i < t->flying; i++)
		next = fmin(next, t->flights[i].end);
	if (t->to_hold > 0)
		next = fmin(next, t->now + uniform(t, 0, 0.5));
	if (isinf(next))
		return false;
	t->now = fmax(t->now, next);
	return true;
}

static void init(
	struct traffic *t, struct pace_rule rule, unsigned capacity, bool shared, uint64_t seed)
{
	*t = (struct traffic){
		.rule = rule, .capacity = capacity, .shared = shared, .to_hold = ORDERS};
	rng_init(&t->rng, seed);
	rng_init(&t->jitter, seed);
	servers_init(&t->lane, rule, NULL, (struct hash_key){seed, seed});
	hosts_init(&t->hosts, &t->lane, 0, (struct hash_key){seed, seed});
	for (uint32_t i = 0; i < HOSTS; i++) {
		uint32_t host = UINT32_MAX;
		char text[64];
		struct url url;

		(void)snprintf(text, sizeof text, "http%s://s%u.example/", i % 2 ? "s" : "", i / 2);
		url_init(&url);
		CHECK_INT(url_parse(&url, slice_str(text), NULL, NULL), 0);
		CHECK_INT(hosts_find(&t->hosts, &url, &host), 0);
		CHECK_INT(host, i);
		url_release(&url);
		t->servers[i / 2].quiet_until = -(double)INFINITY;
		t->servers[i / 2].backoff_until = -(double)INFINITY;
		t->servers[i / 2].alive_until = -(double)INFINITY;
	}
	for (uint32_t i = 0; i < ADDRESSES; i++) {
		t->addresses[i].quiet_until = -(double)INFINITY;
		t->addresses[i].backoff_until = -(double)INFINITY;
	}
	for (uint32_t i = 0; shared && i < HOSTS; i++)
		set_address(t, i, i / 2 % ADDRESSES);
}

static void run(struct pace_rule rule, unsigned capacity, bool shared, uint64_t seed)
{
	struct traffic t;

	init(&t, rule, capacity, shared, seed);
	do {
		finish_all(&t);
		start_all(&t);
		hold_some(&t);
		start_all(&t);
	} while (t.wrong == 0 && advance(&t));
	CHECK_INT(t.wrong, 0);
	CHECK_INT(t.started, ORDERS);
	CHECK_INT(hosts_held(&t.hosts) + servers_busy(&t.lane), 0);
	hosts_release(&t.hosts);
	servers_release(&t.lane);
	for (size_t i = 0; i < SERVERS; i++)
		times_release(&t.servers[i].ends);
	for (size_t i = 0; i < ADDRESSES; i++)
		times_release(&t.addresses[i].ends);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *label;
		struct pace_rule rule;
		unsigned capacity;
	} rows[] = {
		{"fixed", {.delay = 0.5, .jobs = 1}, FLIGHT_MAX},
		{"fixed, three jobs", {.delay = 0.5, .jobs = 3}, FLIGHT_MAX},
		{"automatic", {.automatic = true, .jobs = 1}, FLIGHT_MAX},
		{"automatic, four jobs", {.automatic = true, .jobs = 4}, FLIGHT_MAX},
		{"no pause, little room", {.delay = 0, .jobs = 1}, 2},
		{"no pause, two jobs, room for one", {.delay = 0, .jobs = 2}, 1},
		{"short pause, little room", {.delay = 0.05, .jobs = 2}, 3},
	};

	tap_init(argc, argv);
	for (size_t i = 0; i < 2 * ARRAY_LEN(rows); i++) {
		bool shared = i % 2 != 0;

		tap_case("traffic: %s%s", rows[i / 2].label, shared ? ", shared addresses" : "");
		for (uint64_t seed = 1; seed <= 3; seed++)
			run(rows[i / 2].rule, rows[i / 2].capacity, shared, seed);
	}
	return tap_done();
}
