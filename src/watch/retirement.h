/* Old versions of the sites of a watch, given up by the rules of its configuration. */
#ifndef WATCH_RETIREMENT_H
#define WATCH_RETIREMENT_H

#include "watch/watch_config.h"

/*
 * Applies the retention of a configuration that has one to all captures of its sites, and only to
 * these. Opens the archive itself, so nobody else may have it open for writing. What was retired is
 * logged; so is a failure, in one line: then all is as before.
 */
void retirement_run(const struct watch_config *c);

#endif
