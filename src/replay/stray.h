/*
 * Requests that strayed: a script built "/img/x.png", and the browser asked our content origin for
 * it. The page or style sheet that asked (Referer) tells which site's and time's that is.
 */
#ifndef REPLAY_STRAY_H
#define REPLAY_STRAY_H

#include "replay/asked.h"

/* Redirects a request of the content origin to the memento it is about; false if that is unknown.
 */
bool answer_stray(struct asked *a);

#endif
