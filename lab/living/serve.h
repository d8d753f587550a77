/* Answers requests to a living site. */
#ifndef LIVING_SERVE_H
#define LIVING_SERVE_H

#include <stdatomic.h>
#include <stdint.h>

#include "living/lies.h"
#include "living/served.h"
#include "living/timeline.h"
#include "net/httpd.h"

/* Borrowed by the server for as long as it runs. */
struct serve {
	struct timeline *timeline;
	atomic_uint_fast64_t responses; /* sent so far: what noise is made of */
	struct lies lies;
	struct served served; /* zeroed: no log of responses */
};

/* An address that is listened on. */
struct serve_listener {
	struct serve *serve;
	size_t index;
};

/* The handler; context is a struct serve_listener. For any thread. */
void serve_answer(void *context, const struct httpd_request *q, struct httpd_response *r);

#endif
