#include "extract/robots_policy.h"

#include <assert.h>
#include <stdbool.h>

static bool is_redirect(int status)
{
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* §2.3.1.4 */
static enum robots_policy unreachable(const struct robots_answer *answer)
{
	if (answer->copy)
		return ROBOTS_KEEP;
	if (answer->unreachable_seconds >= ROBOTS_GIVE_UP_SECONDS)
		return ROBOTS_ALLOW_ALL;
	return ROBOTS_DISALLOW_ALL;
}

enum robots_policy robots_policy(const struct robots_answer *answer)
{
	int status = answer->status;

	if (status >= 200 && status <= 299)
		return ROBOTS_PARSE;
	if (is_redirect(status) && answer->location && answer->loop)
		return unreachable(answer);
	if (is_redirect(status) && answer->location && answer->redirects < ROBOTS_REDIRECTS_MAX)
		return ROBOTS_FOLLOW;
	if (status == 304)
		return unreachable(answer);
	if (status >= 300 && status <= 499)
		return ROBOTS_ALLOW_ALL;
	return unreachable(answer);
}
