#include "net/servers.h"

#include "base/rng.h"
#include "tap.h"

enum {
	QUEUES = 7,
	STEPS = 20000,
};

static void test_order(void)
{
	struct queues pool = {0};
	struct queue a = {0}, b = {0};
	struct queue_item item = {0};

	CHECK(!queues_pop(&pool, &a, &item));
	queues_push(&pool, &a, (struct queue_item){1, 10});
	queues_push(&pool, &b, (struct queue_item){2, 20});
	queues_push(&pool, &a, (struct queue_item){UINT64_MAX, UINT32_MAX});
	CHECK_INT(a.len, 2);
	CHECK(queues_pop(&pool, &a, &item) && item.tag == 1 && item.host == 10);
	CHECK(queues_pop(&pool, &a, &item) && item.tag == UINT64_MAX && item.host == UINT32_MAX);
	CHECK(!queues_pop(&pool, &a, &item));
	queues_push_first(&pool, &a, (struct queue_item){5, 50});
	queues_push(&pool, &a, (struct queue_item){6, 60});
	queues_push_first(&pool, &a, (struct queue_item){4, 40});
	for (uint64_t tag = 4; tag <= 6; tag++)
		CHECK(queues_pop(&pool, &a, &item) && item.tag == tag && item.host == 10 * tag);
	CHECK_INT(a.len, 0);
	for (uint64_t tag = 1; tag <= 3; tag++)
		queues_push(&pool, &a, (struct queue_item){tag, 10});
	CHECK(!queues_hurry(&pool, &a, (struct queue_item){3, 11}));
	CHECK(queues_hurry(&pool, &a, (struct queue_item){3, 10}));
	CHECK(queues_hurry(&pool, &a, (struct queue_item){3, 10}));
	queues_push(&pool, &a, (struct queue_item){4, 10});
	for (int i = 0; i < 4; i++) {
		static const uint64_t TAGS[] = {3, 1, 2, 4};

		CHECK(queues_pop(&pool, &a, &item) && item.tag == TAGS[i] && item.host == 10);
	}
	CHECK_INT(a.len, 0);
	CHECK(queues_pop(&pool, &b, &item) && item.tag == 2 && item.host == 20);
	queues_release(&pool);
}

/* Each queue gets the numbers 0, 1, 2, … and must give them back so, however they interleave. */
static void test_interleaved(void)
{
	uint64_t in[QUEUES] = {0}, out[QUEUES] = {0};
	struct queue q[QUEUES] = {{0}};
	struct queues pool = {0};
	struct rng rng;
	size_t most = 0, total = 0, wrong = 0;

	rng_init(&rng, 1);
	for (int i = 0; i < STEPS; i++) {
		struct queue_item item = {0};
		uint32_t k = (uint32_t)rng_below(&rng, QUEUES);

		if (rng_below(&rng, 100) < (i / 2000 % 2 ? 30U : 70U)) {
			queues_push(&pool, &q[k], (struct queue_item){in[k]++, k});
			total++;
		} else if (queues_pop(&pool, &q[k], &item)) {
			wrong += item.tag != out[k]++ || item.host != k;
			total--;
		} else {
			wrong += in[k] != out[k];
		}
		wrong += q[k].len != in[k] - out[k];
		most = total > most ? total : most;
	}
	CHECK_INT(wrong, 0);
	CHECK_INT(pool.nodes.len, most); /* nodes are used again */
	queues_release(&pool);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_order);
	TAP_RUN(test_interleaved);
	return tap_done();
}
