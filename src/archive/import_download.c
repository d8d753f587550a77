#include "archive/import_download.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/rng.h"
#include "formats/http_date.h"
#include "formats/http_state.h"
#include "formats/url.h"
#include "net/address.h"
#include "net/net.h"
#include "net/pace.h"

enum { SHOWN_MAX = 160, CHUNK = 64 << 10 };

static const double WAIT_SHOWN = 10; /* seconds; longer waits are told */

struct download {
	struct net *net;
	struct pace pace;
	struct rng rng;
	struct state *state;
	const struct clock *clock;
	struct url home, url, target;
	int out;       /* where the body goes */
	uint64_t size; /* of it, so far */
	int rc;        /* why writing it failed */
};

static int on_decoded(void *context, slice piece)
{
	struct download *d = context;

	d->size += piece.len;
	if (d->size > DOWNLOAD_SIZE_MAX)
		d->rc = ERR_LIMIT;
	else if (io_write(d->out, piece.ptr, piece.len))
		d->rc = ERR_IO;
	return d->rc;
}

static int open_all(struct download *d, const struct download_params *params, struct err *err)
{
	struct net_params net = {.user_agent = params->user_agent};
	int rc = url_parse(&d->home, params->home, NULL, NULL);

	if (rc || !url_is_http(&d->home))
		return err_set(err, ERR_USAGE, "'%.*s' is not an http or https URL",
			slice_shown(params->home, SHOWN_MAX), params->home.ptr);
	rc = pace_init(&d->pace,
		(struct pace_rule){
			.delay = params->delay, .automatic = params->automatic, .jobs = 1});
	d->state = state_new(on_decoded, d);
	if (rc || !d->state)
		return err_code(err, ERR_NOMEM);
	return net_new(&net, &d->net, err);
}

int download_new(const struct download_params *params, struct download **ret, struct err *err)
{
	struct download *d = mem_new(1, sizeof *d);
	int rc;

	d->out = -1;
	d->clock = clock_system();
	rng_init(&d->rng, hash_key_random().k0);
	url_init(&d->home);
	url_init(&d->url);
	url_init(&d->target);
	rc = open_all(d, params, err);
	if (rc) {
		download_free(d);
		return rc;
	}
	*ret = d;
	return 0;
}

void download_free(struct download *d)
{
	if (!d)
		return;
	net_free(d->net);
	state_free(d->state);
	pace_release(&d->pace);
	url_release(&d->home);
	url_release(&d->url);
	url_release(&d->target);
	free(d);
}

/* ---- one request ---- */

static double now(const struct download *d)
{
	return clock_seconds(clock_monotonic(d->clock));
}

static int wait_politely(struct download *d, struct err *err)
{
	double left = pace_ready(&d->pace) - now(d);

	if (left > WAIT_SHOWN)
		log_warn("import", "the server asks for a pause of %.0f s", left);
	while (left > 0) {
		int rc = net_wait(d->net, left, err);

		if (rc)
			return rc;
		left = pace_ready(&d->pace) - now(d);
	}
	return 0;
}

static int fetch(struct download *d, struct net_fetch **ret, struct err *err)
{
	struct net_request request = {.url = url_page(&d->url),
		.allowed = url_is_same_server(&d->url, &d->home) ? ADDRESS_ALL : 0};
	int rc = wait_politely(d, err);

	if (rc)
		return rc;
	pace_begin(&d->pace, now(d));
	rc = net_start(d->net, &request, err);
	while (rc == 0 && !(*ret = net_next(d->net)))
		rc = net_wait(d->net, NET_TIMEOUT, err);
	return rc;
}

static bool asks_for_less(unsigned status)
{
	return status == 429 || status == 503;
}

/* Tells the pace what came of a request. */
static void settle(struct download *d, const struct net_fetch *f)
{
	double seconds =
		f->monotonic.sent ? clock_seconds(f->monotonic.last_byte - f->monotonic.sent) : 0;
	enum pace_outcome outcome = PACE_ANSWERED;
	double pause;

	if (f->status == 0)
		outcome = PACE_FAILED;
	else if (asks_for_less(f->status))
		outcome = PACE_REFUSED;
	pace_end(&d->pace, now(d), seconds, outcome, rng_double(&d->rng));
	if (f->status > 0 &&
		retry_after_parse(fields_get(state_fields(d->state), SLICE("retry-after")),
			clock_realtime(d->clock), &pause) == 0)
		pace_retry_after(&d->pace, now(d), pause);
}

/* ---- the body ---- */

static int feed_spool(struct download *d, const struct net_fetch *f)
{
	char chunk[CHUNK];
	ssize_t n;
	int rc = 0;

	for (uint64_t at = 0; rc == 0 && at < f->body_size; at += (uint64_t)n) {
		n = pread(f->spool, chunk, sizeof chunk, (off_t)at);
		if (n <= 0)
			return ERR_IO;
		rc = state_feed(d->state, (slice){chunk, (size_t)n});
	}
	return rc;
}

/* Decodes the body into d->out; *ret_whole: all of it is there. */
static int store(struct download *d, const struct net_fetch *f, bool *ret_whole, struct err *err)
{
	struct state_result result = {0};
	int rc;

	d->size = 0;
	d->rc = 0;
	d->out = tempfile_open(tempfile_dir());
	if (d->out < 0)
		return err_set(
			err, ERR_IO, "no temporary file for the answer: %s", strerror(errno));
	rc = f->spool >= 0 ? feed_spool(d, f) : state_feed(d->state, f->body);
	if (rc == 0)
		rc = state_finish(d->state, &result);
	*ret_whole = rc == 0 && result.whole && result.readable && !f->truncated;
	if (rc == ERR_LIMIT)
		return err_set(err, rc, "the answer is larger than %llu GiB; ask for less of it",
			(unsigned long long)(DOWNLOAD_SIZE_MAX >> 30));
	if (rc == ERR_IO)
		return err_set(err, rc, "cannot keep the answer: %s", strerror(errno));
	if (rc == 0 && lseek(d->out, 0, SEEK_SET) < 0)
		return err_set(err, ERR_IO, "%s", strerror(errno));
	return err_code(err, rc);
}

static void drop_file(struct download *d)
{
	if (d->out >= 0)
		(void)close(d->out);
	d->out = -1;
}

/* ---- answers ---- */

enum step { STEP_ANSWERED, STEP_REDIRECTED, STEP_AGAIN };

static int follow(struct download *d, enum step *ret, struct err *err)
{
	slice location = fields_get(state_fields(d->state), SLICE("location"));
	int rc;

	if (!location.ptr || url_parse_location(&d->target, location, &d->url, NULL) ||
		!url_is_http(&d->target))
		return err_set(err, ERR_IO, "the server redirects to no http or https URL");
	rc = url_parse(&d->url, url_page(&d->target), NULL, err);
	*ret = STEP_REDIRECTED;
	return rc;
}

/* What an answer means. why says, if another try is needed, what was wrong. */
static int judge(struct download *d, const struct net_fetch *f, struct download_answer *answer,
	enum step *ret, char why[SHOWN_MAX], struct err *err)
{
	bool whole = false;
	int rc;

	*ret = STEP_AGAIN;
	if (f->status == 0 || f->truncated) {
		(void)snprintf(
			why, SHOWN_MAX, "%s: %.100s", net_failure_name(f->failure), f->detail);
		if (net_failure_is_transient(f->failure) || f->truncated)
			return 0;
		return err_set(err, ERR_IO, "%s", why);
	}
	if (f->status >= 300 && f->status < 400)
		return follow(d, ret, err);
	(void)snprintf(why, SHOWN_MAX, "HTTP status %u", f->status);
	if (f->status >= 500 || asks_for_less(f->status))
		return 0;
	*answer = (struct download_answer){.status = f->status, .fd = -1};
	*ret = STEP_ANSWERED;
	if (f->status >= 300)
		return 0;
	rc = store(d, f, &whole, err);
	if (rc == 0 && whole) {
		answer->fd = d->out;
		answer->size = d->size;
		d->out = -1;
		return 0;
	}
	drop_file(d);
	*ret = STEP_AGAIN;
	(void)snprintf(why, SHOWN_MAX, "the answer was cut off or is damaged");
	return rc;
}

static int try_once(struct download *d, struct download_answer *answer, enum step *ret,
	char why[SHOWN_MAX], struct err *err)
{
	struct net_fetch *f = NULL;
	int rc = fetch(d, &f, err);

	if (rc)
		return rc;
	if (f->status > 0)
		rc = state_start(d->state, f->head, err);
	settle(d, f);
	if (rc == 0)
		rc = judge(d, f, answer, ret, why, err);
	net_fetch_free(f);
	return rc;
}

int download_get(struct download *d, slice url, struct download_answer *ret, struct err *err)
{
	char why[SHOWN_MAX] = "";
	int rc = url_parse(&d->url, url, NULL, err), tries = 0, redirects = 0;

	while (rc == 0 && tries < DOWNLOAD_TRIES && redirects <= DOWNLOAD_REDIRECTS) {
		enum step step = STEP_AGAIN;

		rc = try_once(d, ret, &step, why, err);
		if (rc == 0 && step == STEP_ANSWERED)
			return 0;
		tries += step == STEP_AGAIN;
		redirects += step == STEP_REDIRECTED;
	}
	if (rc == 0 && redirects > DOWNLOAD_REDIRECTS)
		rc = err_set(err, ERR_IO, "more than %d redirects in a row", DOWNLOAD_REDIRECTS);
	else if (rc == 0)
		rc = err_set(err, ERR_IO,
			"%s, %d times in a row; run the same command again later: it goes on where "
			"it stopped",
			why, tries);
	err_prefix(err, "%.*s", slice_shown(url, SHOWN_MAX), url.ptr);
	return rc;
}
