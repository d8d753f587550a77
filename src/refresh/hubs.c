#include "refresh/hubs.h"

/* Expected new links below which a look for them is not worth it. */
#define EXPECTED_MIN 0.5

static double yield(const struct refresh_hub *hub)
{
	return hub->time > 0 ? hub->born / hub->time : 0;
}

static struct refresh_hub *find(struct refresh_hubs *h, uint32_t page)
{
	for (size_t i = 0; i < h->len; i++)
		if (h->list[i].page == page)
			return &h->list[i];
	return NULL;
}

/* Room for a hub of this yield: a free one, or that of a worse hub. */
static struct refresh_hub *room_for(struct refresh_hubs *h, double new_yield)
{
	struct refresh_hub *worst = &h->list[0];

	if (h->len < REFRESH_HUBS)
		return &h->list[h->len++];
	for (size_t i = 1; i < h->len; i++)
		if (yield(&h->list[i]) < yield(worst))
			worst = &h->list[i];
	return yield(worst) < new_yield ? worst : NULL;
}

void refresh_hubs_seen(
	struct refresh_hubs *h, uint32_t page, uint32_t born, double elapsed, double now)
{
	struct refresh_hub *hub = find(h, page);

	if (hub) {
		hub->born = hub->born / 2 + born;
		hub->time = hub->time / 2 + elapsed;
		hub->seen = now;
		return;
	}
	if (born == 0 || !(elapsed > 0))
		return;
	hub = room_for(h, born / elapsed);
	if (hub)
		*hub = (struct refresh_hub){
			.page = page, .born = born, .time = elapsed, .seen = now};
}

void refresh_hubs_forget(struct refresh_hubs *h, uint32_t page)
{
	struct refresh_hub *hub = find(h, page);

	if (hub)
		*hub = h->list[--h->len];
}

const struct refresh_hub *refresh_hubs_best(const struct refresh_hubs *h, double now)
{
	const struct refresh_hub *best = NULL;
	double most = EXPECTED_MIN;

	for (size_t i = 0; i < h->len; i++) {
		double expected = yield(&h->list[i]) * (now - h->list[i].seen);

		if (expected > most) {
			most = expected;
			best = &h->list[i];
		}
	}
	return best;
}
