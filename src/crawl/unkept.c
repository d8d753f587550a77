#include "crawl/unkept.h"

void unkept_add(struct unkept *u, enum left_out reason, uint64_t links)
{
	u->links[reason] += links;
	u->changed = u->changed || links > 0;
}

bool unkept_keeps_outside(struct unkept *u, size_t max_outside)
{
	if (u->outside < max_outside) {
		u->outside++;
		return true;
	}
	unkept_add(u, LEFT_OUT_SCOPE, 1);
	return false;
}
