/*
 * Gain "canaries": a few extra downloads that notice a bulk change while the visits are under way,
 * so that the group of pages that it hit can be visited again before the still point.
 *
 * Groups are the subsites of histories/subsites.h.
 *
 *  (1) After every CANARIES_PERIOD visits one canary is looked at again: a page drawn at random
 *      from those visited, which by its rate should not have changed since (survival at least
 *      CANARIES_CALM).
 *  (2) If it has changed nevertheless, up to CANARIES_PROBES other visited pages of its group are
 *      looked at. When at least half of them, the canary included, have changed, the group is
 *      alarmed: a bulk change.
 *  (3) Before the first revisit all pages of alarmed groups that were last looked at before the
 *      alarm are visited once more, in the order of their visits. Their intervals begin there: the
 *      group is centred anew on the still point, which all others wait for.
 *  (4) The revisits themselves are the canaries of their leg: when four of the last five revisits
 *      of a group found a change, what is left of it is put off to the end. It is probably lost,
 *      and the others are revisited the sooner.
 *
 * The delay stays that of the plain capture, so canaries cost requests and time; requests are
 * reported.
 */
#ifndef HISTORIES_CANARIES_H
#define HISTORIES_CANARIES_H

#include "base/api.h"
#include "base/err.h"
#include "histories/schedule.h"

enum { CANARIES_PERIOD = 10, CANARIES_PROBES = 4 };

#define CANARIES_CALM 0.9

/*
 * As schedule_plain, with another canary after every `period` visits (0: CANARIES_PERIOD). The
 * strategy must have revisits. ret_capture is to be freed with past_capture_release.
 */
int schedule_canaries(const struct schedule_params *params, unsigned period,
	struct past_capture *ret_capture, struct err *err) SP_MUST_CHECK;

#endif
