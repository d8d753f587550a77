/* One clock for a server that several lanes ask. */
#include "net/pace.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "net/servers.h"
#include "tap.h"

enum { LANES = 4, ROUNDS = 2000 };

static struct shared_pace *join(struct shared_paces *all, const char *name)
{
	return shared_paces_join(all, slice_str(name));
}

/* As long as nobody else knows the server, a lane's own pace is all that counts. */
static void test_alone(void)
{
	struct shared_paces *all = shared_paces_new();
	struct shared_pace *a = join(all, "a");
	double when;

	CHECK(shared_pace_begin(a, NULL, 0, 1, &when));
	CHECK(shared_pace_begin(a, NULL, 0, 1, &when));
	shared_pace_end(a, 100);
	CHECK(shared_pace_begin(a, NULL, 1, 1, &when));
	shared_paces_free(all);
	shared_paces_free(NULL);
}

static void test_two(void)
{
	struct shared_paces *all = shared_paces_new();
	struct shared_pace *a = join(all, "a"), *again;
	double when = 0;

	CHECK(shared_pace_begin(
		a, NULL, 0, 1, &when)); /* the other lane comes while it is under way */
	again = join(all, "a");
	CHECK(again == a);
	CHECK(join(all, "b") != a);
	CHECK(!shared_pace_begin(again, &all, 1, 1, &when));
	CHECK_NEAR(when, 1 + SHARED_PACE_POLL, 1e-12);
	CHECK(shared_pace_begin(again, &all, 1, 2, &when)); /* with two jobs there is room */
	shared_pace_end(again, 3);
	shared_pace_end(a, 2); /* the later one counts */
	CHECK(!shared_pace_begin(again, &all, 2.5, 1, &when));
	CHECK_NEAR(when, 3, 0);
	shared_pace_defer(a, 10);
	CHECK(!shared_pace_begin(again, &all, 3, 1, &when));
	CHECK_NEAR(when, 10, 0);
	CHECK(shared_pace_begin(again, &all, 10, 1, &when));
	shared_paces_free(all);
}

/* Two lanes with one server, in turns: never two at once, and the pause between any two. */
static void test_lanes(void)
{
	struct shared_paces *all = shared_paces_new();
	struct pace_rule rule = {.delay = 2};
	struct servers lane[2];
	uint32_t client = 0, server;
	uint64_t tag = 0;

	for (uint32_t i = 0; i < 2; i++) {
		servers_init(&lane[i], rule, all, hash_key_random());
		server = servers_find(&lane[i], SLICE("a"));
		servers_hold(&lane[i], server, i, 10 * i);
		servers_hold(&lane[i], server, i, 10 * i + 1);
	}
	CHECK(servers_take(&lane[0], 0, &client, &tag) && client == 0 && tag == 0);
	CHECK(!servers_take(&lane[1], 0, &client, &tag));
	CHECK_NEAR(servers_next_ready(&lane[1]), SHARED_PACE_POLL, 1e-12);
	servers_done(&lane[0], 0, 1, 1, PACE_ANSWERED);
	CHECK(!servers_take(&lane[1], 1, &client, &tag));
	CHECK_NEAR(servers_next_ready(&lane[1]), 3, 1e-12);
	CHECK(servers_take(&lane[1], 3, &client, &tag) && client == 1 && tag == 10);
	CHECK(!servers_take(&lane[0], 3, &client, &tag));
	servers_retry_after(&lane[1], 0, 4, 30); /* what one is told holds for all */
	servers_done(&lane[1], 0, 4, 1, PACE_ANSWERED);
	CHECK(!servers_take(&lane[0], 33, &client, &tag));
	CHECK(servers_take(&lane[0], 34, &client, &tag) && tag == 1);
	for (int i = 0; i < 2; i++)
		servers_release(&lane[i]);
	shared_paces_free(all);
}

/*
 * Two lanes with one server that is asked without a pause. The first begins its next request as
 * soon as one ends; the other asks now and then, and has its turn all the same.
 */
static void test_busy_lane(void)
{
	struct shared_paces *all = shared_paces_new();
	struct shared_pace *p = join(all, "a");
	double now = 0, ends = INFINITY, asks[2] = {0};
	int begun[2] = {0}, lane, holder = 0;

	CHECK(join(all, "a") == p);
	while (now < 60) {
		if (ends <= fmin(asks[0], asks[1])) {
			now = ends;
			shared_pace_end(p, -(double)INFINITY);
			ends = INFINITY;
			asks[holder] = now;
			continue;
		}
		lane = asks[0] <= asks[1] ? 0 : 1;
		now = asks[lane];
		if (!shared_pace_begin(p, &begun[lane], now, 1, &asks[lane]))
			continue;
		begun[lane]++;
		holder = lane;
		asks[lane] = INFINITY;
		ends = now + SHARED_PACE_POLL * 0.9999;
	}
	tap_note("%d and %d", begun[0], begun[1]);
	CHECK(begun[0] >= 40 && begun[1] >= 40);
	shared_paces_free(all);
}

struct crowd {
	struct shared_paces *all;
	atomic_int under_way, most, begun;
};

static void *ask(void *context)
{
	struct crowd *c = context;
	struct shared_pace *p = shared_paces_join(c->all, SLICE("a"));
	double when;

	for (int i = 0; i < ROUNDS; i++) {
		int now;

		if (!shared_pace_begin(p, &when, i, 1, &when))
			continue;
		now = atomic_fetch_add(&c->under_way, 1) + 1;
		if (now > atomic_load(&c->most))
			atomic_store(&c->most, now);
		atomic_fetch_add(&c->begun, 1);
		atomic_fetch_sub(&c->under_way, 1);
		shared_pace_end(p, -(double)INFINITY);
	}
	return NULL;
}

/* All at once, in threads: one request at a time. */
static void test_threads(void)
{
	struct crowd c = {.all = shared_paces_new()};
	struct shared_pace *p = join(c.all, "a"), *q = join(c.all, "a"); /* so that it is shared */
	pthread_t threads[LANES];

	CHECK(p == q);
	for (int i = 0; i < LANES; i++)
		CHECK_INT(pthread_create(&threads[i], NULL, ask, &c), 0);
	for (int i = 0; i < LANES; i++)
		CHECK_INT(pthread_join(threads[i], NULL), 0);
	CHECK_INT(atomic_load(&c.most), 1);
	CHECK(atomic_load(&c.begun) >= ROUNDS);
	shared_paces_free(c.all);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_alone);
	TAP_RUN(test_two);
	TAP_RUN(test_lanes);
	TAP_RUN(test_busy_lane);
	TAP_RUN(test_threads);
	return tap_done();
}
