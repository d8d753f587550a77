#include "crawl/gate.h"

#include <math.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <time.h>

#include "base/log.h"

static const double LOOK_INTERVAL = 1;

int gate_parse_hours(struct windows *w, const char *hours, struct err *err)
{
	int rc = windows_parse(w, slice_str(hours), err);

	if (rc)
		err_prefix(err, "--hours");
	return rc;
}

int gate_init(struct gate *g, const struct gate_params *params, struct err *err)
{
	*g = (struct gate){.params = *params};
	return params->hours ? gate_parse_hours(&g->windows, params->hours, err) : 0;
}

/* ---- hours ---- */

static int64_t now_seconds(const struct gate *g)
{
	return clock_realtime(g->params.clock) / CLOCK_NS_PER_SECOND;
}

/* Seconds until the next window; 0 within one. */
static double until_window(const struct gate *g)
{
	int64_t now = now_seconds(g), opening = windows_opening(&g->windows, now);

	return opening == INT64_MAX ? (double)INFINITY : (double)(opening - now);
}

static void describe_hours(struct gate *g, double wait)
{
	time_t opening = (time_t)(now_seconds(g) + (isfinite(wait) ? (int64_t)wait : 0));
	struct tm local = {0};

	(void)localtime_r(&opening, &local);
	(void)snprintf(
		g->text, sizeof g->text, "waiting until %02d:%02d", local.tm_hour, local.tm_min);
}

/* ---- disk ---- */

/* Free bytes; unknown counts as enough: writing will fail if it is not. */
static uint64_t free_bytes(const struct gate *g)
{
	struct statvfs fs;

	if (statvfs(g->params.path, &fs) != 0)
		return UINT64_MAX;
	return (uint64_t)fs.f_bavail * fs.f_frsize;
}

static void describe_disk(struct gate *g)
{
	(void)snprintf(g->text, sizeof g->text,
		"waiting for disk space: less than %llu MiB are free",
		(unsigned long long)(g->params.min_free >> 20));
}

/* ---- both ---- */

static void log_change(const struct gate *g, enum gate_state before)
{
	if (g->state == before || g->params.quiet)
		return;
	if (g->state == GATE_OPEN)
		log_warn("crawl", "going on");
	else
		log_warn("crawl", "%s", g->text);
}

static void look(struct gate *g)
{
	enum gate_state before = g->state;
	double closed = g->windows.count > 0 ? until_window(g) : 0;

	g->wait = 0;
	g->state = GATE_OPEN;
	g->text[0] = '\0';
	if (closed > 0) {
		g->state = GATE_HOURS;
		g->wait = closed;
		describe_hours(g, closed);
	} else if (g->params.min_free > 0 && free_bytes(g) < g->params.min_free) {
		g->state = GATE_DISK;
		g->wait = LOOK_INTERVAL;
		describe_disk(g);
	}
	log_change(g, before);
}

double gate_wait(struct gate *g)
{
	bool slow = g->windows.count > 0 || g->params.min_free > 0;
	int64_t now;

	if (!slow && g->params.bandwidth == 0)
		return 0;
	now = clock_monotonic(g->params.clock);
	if (slow && (g->looked == 0 || clock_seconds(now - g->looked) >= LOOK_INTERVAL)) {
		look(g);
		g->looked = now;
	}
	return fmax(g->wait, clock_seconds(g->paid > now ? g->paid - now : 0));
}

void gate_received(struct gate *g, uint64_t bytes, int64_t began)
{
	if (g->params.bandwidth == 0)
		return;
	if (g->paid < began)
		g->paid = began;
	g->paid += (int64_t)((double)bytes / (double)g->params.bandwidth *
			     (double)CLOCK_NS_PER_SECOND);
}

const char *gate_text(const struct gate *g)
{
	return g->text;
}
