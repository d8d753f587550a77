#include "crawl/asserted.h"

/* Of answers that are checked in the long run. */
static const double SHARE = 0.1;

bool asserted_came(struct asserted *a, double chance)
{
	a->answers++;
	return a->doubted || chance * (1 + (double)a->checked) < 1 || chance < SHARE;
}

bool asserted_judge(struct asserted *a, const struct asserted_check *check)
{
	bool is_lie = check->differs && (check->same_validators || check->is_older || a->doubted);

	a->checked++;
	a->lies += is_lie;
	a->doubted = check->differs && !is_lie;
	return is_lie;
}
