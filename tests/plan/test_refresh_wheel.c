/* The wheel against a list that is searched from end to end, and the pace. */
#include "plan/refresh_wheel.h"

#include <math.h>

#include "base/rng.h"
#include "plan/refresh_pace.h"
#include "tap.h"

enum { PAGES = 300, STEPS = 20000 };

/* The smallest due tick of all pages in the model; UINT32_MAX: none. */
static uint32_t least(const uint32_t *due)
{
	uint32_t best = UINT32_MAX;

	for (size_t i = 0; i < PAGES; i++)
		best = due[i] < best ? due[i] : best;
	return best;
}

/* Whether the wheel agrees with the model on what is due first, up to a limit and at all. Nobody
 * may wait too long for what it peeks: its tick is never late, and early within a bucket only. */
static bool is_first(struct wheel *w, const uint32_t *due, uint32_t limit)
{
	uint32_t best = least(due), page = 0, tick = 0;

	if (wheel_peek(w, &page, &tick) != (best < UINT32_MAX))
		return false;
	if (best < UINT32_MAX && (due[page] == UINT32_MAX || tick > best || best - tick > 1 << 24))
		return false;
	if (wheel_first(w, limit, &page, &tick) != (best <= limit))
		return false;
	return best > limit || (tick == best && due[page] == best);
}

static void test_model(void)
{
	uint32_t due[PAGES], now = 0, page, tick;
	struct wheel_items items = {0};
	struct wheel w;
	struct rng rng;
	bool same = true;

	tap_case("wheel: pages come in the order of their ticks");
	rng_init(&rng, 5);
	wheel_init(&w, &items, 0);
	CHECK_INT(wheel_items_reach(&items, PAGES - 1), 0);
	for (size_t i = 0; i < PAGES; i++)
		due[i] = UINT32_MAX;
	for (int step = 0; step < STEPS && same; step++) {
		page = (uint32_t)rng_below(&rng, PAGES);
		if (rng_below(&rng, 8) == 0) {
			wheel_remove(&w, page);
			due[page] = UINT32_MAX;
		} else if (rng_below(&rng, 2)) {
			tick = now + (uint32_t)(rng_u64(&rng) >> (36 + rng_below(&rng, 28)));
			wheel_put(&w, page, tick);
			due[page] = tick < now ? now : tick;
		} else {
			uint32_t limit =
				now + (uint32_t)(rng_u64(&rng) >> (36 + rng_below(&rng, 28)));

			same = is_first(&w, due, limit);
			now = least(due) <= limit ? least(due) : w.cursor;
			if (wheel_first(&w, limit, &page, &tick)) {
				due[page] = UINT32_MAX;
				wheel_remove(&w, page);
			}
		}
	}
	CHECK(same);
	wheel_items_release(&items);
}

static void test_lists(void)
{
	uint32_t page = 9, tick = 0;
	struct wheel_items items = {0};
	struct wheel w;

	tap_case("wheel: first in, first out; the queue apart; ticks that begin anew");
	wheel_init(&w, &items, 0);
	CHECK_INT(wheel_items_reach(&items, 3), 0);
	wheel_put(&w, 2, 70000);
	wheel_put(&w, 1, 70000);
	wheel_queue(&w, 3);
	CHECK(!wheel_first(&w, 69999, &page, &tick));
	CHECK(wheel_peek(&w, &page, &tick) && page == 2 && tick == 70000);
	CHECK(wheel_first(&w, UINT32_MAX, &page, &tick) && page == 2 && tick == 70000);
	CHECK(wheel_queued(&w, &page) && page == 3);
	wheel_put(&w, 0, 69000); /* has passed */
	wheel_rebase(&w, 70000, 1, true);
	CHECK(wheel_first(&w, 0, &page, &tick) && tick == 0);
	wheel_remove(&w, page);
	wheel_remove(&w, 3);
	CHECK(!wheel_queued(&w, &page));
	CHECK_INT(w.len, 2);
	wheel_put(&w, 3, 30);
	wheel_rebase(&w, 10, 8.5, true);
	CHECK_INT(items.ptr[3].due, 170);
	wheel_put(&w, 3, 1U << 31);
	wheel_rebase(&w, 0, 8, true);
	CHECK_INT(items.ptr[3].due, UINT32_MAX - 1);
	wheel_items_release(&items);
}

static void test_shared(void)
{
	struct wheel_items items = {0};
	uint32_t page = 9, tick = 0;
	struct wheel a, b;

	tap_case("wheel: two of them share pages, each of which is in one");
	wheel_init(&a, &items, 0);
	wheel_init(&b, &items, 1);
	CHECK_INT(wheel_items_reach(&items, 3), 0);
	wheel_put(&a, 0, 10);
	wheel_put(&b, 1, 5);
	wheel_queue(&a, 2);
	CHECK_INT(a.queued, 1);
	wheel_remove(&b, 0); /* is not there */
	wheel_remove(&b, 2);
	CHECK_INT(a.queued, 1);
	CHECK(wheel_has(&a, 0) && !wheel_has(&b, 0) && wheel_has(&b, 1) && !wheel_has(&a, 2));
	CHECK(wheel_peek(&a, &page, &tick) && page == 0 && tick == 10);
	CHECK(wheel_first(&b, 9, &page, &tick) && page == 1 && tick == 5);
	wheel_rebase(&a, 5, 2, true);
	wheel_rebase(&b, 5, 2, false);
	CHECK_INT(items.ptr[0].due, 10);
	CHECK_INT(items.ptr[1].due, 0);
	CHECK_INT(a.len + b.len, 2);
	wheel_remove(&a, 2);
	CHECK_INT(a.queued, 0);
	wheel_items_release(&items);
}

/* One request a minute, 1440 a day. */
static void test_pace(void)
{
	struct refresh_pace p;
	double until = 0, sent = 0;

	tap_case("pace: evenly, bursts of 60, an hour carried over at twice the pace");
	refresh_pace_init(&p, 1440, 1.0 / 1440, 100);
	CHECK(refresh_pace_ready(&p, 100, &until));
	refresh_pace_spend(&p, 1);
	CHECK(!refresh_pace_ready(&p, 100, &until));
	CHECK_NEAR((until - 100) * 1440, 1, 1e-6);
	CHECK(!refresh_pace_ready(&p, 99, &until)); /* time ran backwards */
	for (double now = 101; now <= 101 + 0.5 / 1440; now = until)
		if (refresh_pace_ready(&p, now, &until)) {
			refresh_pace_spend(&p, 1);
			sent++;
			until = now;
		}
	CHECK_NEAR(sent, 60, 0); /* of a day without requests an hour is left */
	refresh_pace_change(&p, 0, 102);
	CHECK(!refresh_pace_ready(&p, 1e6, &until) || p.credit >= 1);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_model();
	test_lists();
	test_shared();
	test_pace();
	return tap_done();
}
