#include "crawl/lane.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "crawl/capture.h"
#include "crawl/settings.h"

/* ---- names and the address guard ---- */

/*
 * Tags of lookups: of a server its number; of a seed, with this bit, its capture's slot and, above
 * the lower 32 bits, its place among the seeds.
 */
#define SEED_TAG (UINT64_C(1) << 63)

enum { SEED_SHIFT = 32 };

/* ---- which addresses are allowed ---- */

static const unsigned PUBLIC = ADDRESS_SET(ADDRESS_PUBLIC);

/* The address that a host name contains: written out, or 127.0.0.1 for localhost. */
static bool shown_address(slice host, struct address *ret)
{
	static const struct address LOOPBACK = {ADDRESS_V4_SIZE, {127, 0, 0, 1}};

	if (!address_name_is_local(host))
		return address_parse(host, ret);
	*ret = LOOPBACK;
	return true;
}

/*
 * A seed with an address allows the class of that address. A name allows nothing, since its owner
 * could lead it anywhere; it is only looked up.
 */
static int begin_seed(
	struct capture *c, size_t number, const struct url *seed, bool decide, struct err *err)
{
	slice host = url_part(seed, seed->host);
	struct address a;

	if (shown_address(host, &a)) {
		if (decide)
			c->allowed |= ADDRESS_SET(address_range(&a)->class);
		return 0;
	}
	if (c->allowed == ADDRESS_ALL)
		return 0;
	return net_lookup(
		c->lane->net, host, SEED_TAG | (uint64_t)number << SEED_SHIFT | c->slot, err);
}

/* Decided once for a capture, and kept in the catalog. */
int names_begin(struct capture *c, struct err *err)
{
	bool decide = c->row.addresses == CATALOG_NO_ADDRESSES;
	struct url seed;
	int rc = 0;

	url_init(&seed);
	if (decide)
		c->allowed = c->settings->allow_private ? ADDRESS_ALL : PUBLIC;
	else
		c->allowed = (unsigned)c->row.addresses | PUBLIC;
	for (size_t i = 0; rc == 0 && i < c->settings->seeds.len; i++) {
		rc = url_parse(&seed, slice_str(c->settings->seeds.ptr[i]), NULL, err);
		if (rc == 0)
			rc = begin_seed(c, i, &seed, decide, err);
	}
	url_release(&seed);
	if (rc || !decide)
		return rc;
	c->row.addresses = c->allowed;
	capture_store_row(c);
	return 0;
}

/* The guard refuses each request to it; this tells the user what to do. */
static void check_seed(struct capture *c, const struct net_lookup *l)
{
	size_t number = (l->tag & ~SEED_TAG) >> SEED_SHIFT;
	char reason[200] = "forbidden: ";
	struct address a;

	if (l->failure != NET_FAILURE_NONE || (l->classes & c->allowed) ||
		!address_parse(slice_str(l->ip), &a))
		return;
	address_explain(&a, reason + strlen(reason), sizeof reason - strlen(reason));
	capture_problem(c, slice_str(c->settings->seeds.ptr[number]), reason,
		"if it is your own, crawl it with --allow-private");
}

const struct address_range *names_forbids(const struct capture *c, const struct url *url)
{
	struct address a;

	if (!shown_address(url_part(url, url->host), &a) || address_is_allowed(&a, c->allowed))
		return NULL;
	return address_range(&a);
}

/* ---- where servers are ---- */

/* A server's name without its port. */
static slice host_of(slice name)
{
	size_t at = name.len;

	while (at > 0 && name.ptr[at - 1] != ':' && name.ptr[at - 1] != ']')
		at--;
	return at > 0 && name.ptr[at - 1] == ':' ? slice_sub(name, 0, at - 1) : name;
}

/* Asks for the addresses of servers that have orders waiting. */
static SP_MUST_CHECK int names_look_up(struct lane *lane, struct err *err)
{
	uint32_t server;

	while (servers_take_unresolved(&lane->servers, &server))
		TRY(net_lookup(
			lane->net, host_of(servers_name(&lane->servers, server)), server, err));
	return 0;
}

static int resolve(struct lane *lane, uint32_t server, const struct net_lookup *l, struct err *err)
{
	slice host = host_of(servers_name(&lane->servers, server));

	servers_set_address(&lane->servers, server, slice_str(l->ip));
	return l->records.len > 0 ? store_lookup(&lane->store, host, l, err) : 0;
}

/* Takes the answers that have come. Before any fetch is started. */
static SP_MUST_CHECK int names_collect(struct lane *lane, struct err *err)
{
	struct net_lookup *l;
	int rc = 0;

	while (rc == 0 && (l = net_next_lookup(lane->net))) {
		uint32_t number = (uint32_t)l->tag;

		if (!(l->tag & SEED_TAG))
			rc = resolve(lane, number, l, err);
		else if (lane->captures.ptr[number]) /* it may have ended */
			check_seed(lane->captures.ptr[number], l);
		net_lookup_free(l);
	}
	return rc;
}

/* ---- warcinfo records ---- */

static const size_t WARCINFO_MAX = 8 << 20;

static void add_info(struct warcinfo *w, const char *name, slice value)
{
	if (value.ptr)
		field_vec_push(&w->info, (struct field){slice_str(name), value});
}

/* "stillpoint-delay: 2": the rules of the capture, one by one. */
static int add_setting(void *context, const char *name, slice value)
{
	struct warcinfo *w = context;
	char *full = arena_alloc(&w->text, sizeof "stillpoint-" + strlen(name), 1);
	const char *copy = arena_strdup(&w->text, value);

	if (!full || !copy)
		return ERR_NOMEM;
	(void)sprintf(full, "stillpoint-%s", name);
	for (char *at = full; *at; at++)
		if (*at == '_')
			*at = '-';
	add_info(w, full, (slice){copy, value.len});
	return 0;
}

/* Seeds that a warcinfo record has room for; a capture's first record has them all. */
enum { INFO_SEEDS_MAX = 100 };

static int add_setting_but_seeds(void *context, const char *name, slice value)
{
	return strcmp(name, "seeds") == 0 ? 0 : add_setting(context, name, value);
}

/* Of several captures: what they have in common. */
static int add_common(void *context, const char *name, slice value)
{
	return crawl_setting_is_own(name) ? 0 : add_setting(context, name, value);
}

/* The fields of every warcinfo record: who made the file, how, and by which rules. */
static int describe(struct warcinfo *w, const struct warcinfo_params *p)
{
	static const struct catalog_capture NONE;
	const struct catalog_capture *only = p->only ? p->only : &NONE;
	const char *who = p->settings->operator? p->settings->operator: p->settings->contact;
	bool seeds = p->settings->seeds.len <= INFO_SEEDS_MAX;
	crawl_on_setting *one = seeds ? add_setting : add_setting_but_seeds;
	const struct {
		const char *name;
		slice value; /* ptr NULL: left out */
	} fields[] = {
		{"software", SLICE("stillpoint/" STILLPOINT_VERSION)},
		{"format", SLICE("WARC File Format 1.1")},
		{"conformsTo", SLICE("https://iipc.github.io/warc-specifications/specifications/"
				     "warc-format/warc-1.1/")},
		{"isPartOf", only->uuid},
		{"description", only->site},
		{"stillpoint-strategy-used", only->strategy},
		{"robots", p->settings->ignore_robots ? SLICE("ignore") : SLICE("obey")},
		{"operator", who ? slice_str(who) : (slice){0}},
		{"http-header-user-agent", slice_str(p->user_agent)},
		{"stillpoint-state-form", SLICE("2")}, /* formats/http_state.h: STATE_FORM_LAST */
		{"stillpoint-evidence",
			p->settings->bytes_only ? SLICE("bytes") : SLICE("bytes, normalised")},
	};

	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
		add_info(w, fields[i].name, fields[i].value);
	return crawl_settings_each(p->settings, p->only ? one : add_common, w);
}

int warcinfo_init(struct warcinfo *w, const struct warcinfo_params *p)
{
	int rc;

	*w = (struct warcinfo){0};
	arena_init(&w->text, WARCINFO_MAX);
	rc = describe(w, p);
	if (rc == 0 && !p->settings->keep_secrets) {
		static const slice NAMES[] = {SLICE_INIT("cookie"), SLICE_INIT("authorization"),
			SLICE_INIT("proxy-authorization")};

		/* Cookies and passwords are secret, and so is every field that may be a key. */
		for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
			slice_vec_push(&w->secret, NAMES[i]);
		for (size_t i = 0; p->secrets && i < p->secrets->headers.len; i++)
			slice_vec_push(
				&w->secret, crawl_secrets_header_name(p->secrets->headers.ptr[i]));
	}
	if (rc)
		warcinfo_release(w);
	return rc;
}

void warcinfo_release(struct warcinfo *w)
{
	arena_release(&w->text);
	field_vec_release(&w->info);
	slice_vec_release(&w->secret);
	*w = (struct warcinfo){0};
}

/* ---- lanes ---- */

/*
 * The loop of a lane: take fetches that have ended, start what is next, commit, wait; end captures
 * that are complete.
 */

/* Of a sitemap, or what else is read whole; decoded. */
static const size_t BODY_MAX = 64 << 20;

/* Nanoseconds between two updates of the progress shown. */
static const int64_t SHOW_INTERVAL = CLOCK_NS_PER_SECOND / 20;

/* The same of the list of sites, for which all captures are looked at. */
static const int64_t WORST_INTERVAL = CLOCK_NS_PER_SECOND / 2;

/* Seconds until a socket is tried again. */
static const double NO_SOCKET_PAUSE = 0.5;

double lane_now(const struct lane *lane)
{
	return clock_seconds(clock_monotonic(lane->clock));
}

/* ---- stopping ---- */

static bool is_stopping(const struct lane *lane)
{
	return atomic_load(&lane->shared->stopping);
}

int lane_check_stop(const struct lane *lane, struct err *err)
{
	return is_stopping(lane) ? err_code(err, ERR_STOPPED) : 0;
}

int lanes_shared_check_stop(struct lanes_shared *shared, struct err *err)
{
	struct pollfd p = {.fd = shared->stop_fd, .events = POLLIN};

	if (!atomic_load(&shared->stopping) && p.fd >= 0 && poll(&p, 1, 0) == 1)
		atomic_store(&shared->stopping, true);
	return atomic_load(&shared->stopping) ? err_code(err, ERR_STOPPED) : 0;
}

/* ---- making one ---- */

/* Of --memory, for the tables of known URLs; as much is for what is known of their files. */
enum { KNOWN_SHARE = 4 };

/* The host of the first seed, for the names of files; empty where there is none. */
static slice host_of_first(const struct crawl_settings *s, char *out, size_t size)
{
	slice host = {0};
	URL_SCOPED(url);

	if (s->seeds.len > 0 && url_parse(&url, slice_str(s->seeds.ptr[0]), NULL, NULL) == 0)
		host = slice_sub(url_text(&url), url.host.at, url.authority_end);
	(void)snprintf(out, size, "%.*s", (int)host.len, host.ptr ? host.ptr : "");
	return slice_str(out);
}

static int open_store(struct lane *lane, const struct lane_params *p, struct err *err)
{
	char host[256];

	TRY(err_code(err, warcinfo_init(&lane->info, &(struct warcinfo_params){
							     .settings = p->settings,
							     .only = p->only,
							     .user_agent = lane->agent,
							     .secrets = lane->shared->secrets,
						     })));
	TRY(store_open(&lane->store,
		&(struct store_params){
			.records = {.directory = lane->directory,
				.clock = lane->clock,
				.prefix = p->settings->warc_prefix,
				.host = host_of_first(p->settings, host, sizeof host),
				.lane = p->number,
				.serial = p->serial,
				.looks = p->looks,
				.coding = (enum warc_coding)p->settings->warc_coding,
				.max_size = p->settings->warc_size,
				.info = lane->info.info.ptr,
				.info_count = lane->info.info.len,
				.secret = lane->info.secret.ptr,
				.secret_count = lane->info.secret.len},
			.clerk = p->shared->clerk,
			.wall = p->shared->wall,
			.bodies = &lane->duplicates,
		},
		err));
	lane->store_is_open = true;
	return 0;
}

static uint64_t share_of_bandwidth(const struct lane_params *p)
{
	uint64_t share = p->settings->bandwidth / (p->lanes ? p->lanes : 1);

	return p->settings->bandwidth && !share ? 1 : share;
}

static int open_net(struct lane *lane, const struct lane_params *p, struct err *err)
{
	const struct crawl_secrets *secrets = lane->shared->secrets;
	const struct crawl_settings *s = p->settings;

	TRY(net_new(
		&(struct net_params){
			.clock = lane->clock,
			.user_agent = lane->agent,
			.spool_dir = lane->directory->spool,
			.connect_timeout = crawl_connect_timeout(s),
			.stall_timeout = crawl_stall_timeout(s),
			.timeout = s->timeout,
			.max_body = s->max_body,
			.max_speed = share_of_bandwidth(p),
			.max_kept = p->max_kept,
			.ca_file = s->ca_file,
			.cert_file = secrets ? secrets->cert : NULL,
			.key_file = secrets ? secrets->key : NULL,
			.proxy = secrets && secrets->proxy ? secrets->proxy : s->proxy,
			.http2 = s->http2,
			.insecure = s->insecure,
			.dns = s->dns,
			.dns_records = s->dns_records,
		},
		&lane->net, err));
	lane->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (lane->wake < 0)
		return err_set(err, ERR_IO, "eventfd: %s", strerror(errno));
	return net_watch(lane->net, lane->wake, err);
}

static int open_all(struct lane *lane, const struct lane_params *p, struct err *err)
{
	const struct crawl_settings *s = p->settings;
	int rc = reading_init(&lane->reading, BODY_MAX);

	servers_init(&lane->servers,
		(struct pace_rule){
			.delay = fmax(s->delay, 0), .automatic = s->delay < 0, .jobs = s->jobs},
		p->shared->paces, hash_key_random());
	servers_want_addresses(&lane->servers);
	heap_init(&lane->wakes);
	if (rc)
		return err_code(err, rc);
	lane->reading.stopping = &p->shared->stopping;
	lane->agent = contact_user_agent(s);
	if (!lane->agent)
		return err_code(err, ERR_NOMEM);
	bool tell = p->number <= 1;
	slice agent = robots_agent(slice_str(lane->agent));

	/* robots.txt is read for the name that is sent. */
	robots_cache_init(&lane->robots, &lane->spill, agent, ROBOTS_CACHE_MAX);
	if (tell && agent.len > 0)
		log_info("crawl", "robots.txt is read for '%.*s'", (int)agent.len, agent.ptr);
	else if (tell)
		log_info("crawl",
			"robots.txt: the user agent '%s' has no product name at its start, so only "
			"rules for '*' apply",
			lane->agent);
	rc = gate_init(&lane->gate,
		&(struct gate_params){
			.clock = lane->shared->wall,
			.path = lane->directory->path,
			.hours = p->settings->hours,
			.bandwidth = share_of_bandwidth(p),
			.min_free = p->settings->min_free,
			.quiet = p->number > 1,
		},
		err);
	if (rc == 0)
		rc = open_net(lane, p, err);
	return rc ? rc : open_store(lane, p, err);
}

int lane_new(const struct lane_params *params, struct lane **ret, struct err *err)
{
	struct lane *lane = mem_new(1, sizeof *lane);
	int rc;

	lane->shared = params->shared;
	lane->directory = params->shared->directory;
	lane->clock = params->shared->clock;
	lane->max_fetches = params->max_fetches;
	lane->alone = params->only != NULL;
	lane->wake = -1;
	duplicates_init(&lane->duplicates, lane->directory->warc, DUPLICATES_MAX);
	trap_scratch_init(&lane->scratch);
	dust_scratch_init(&lane->dust);
	spill_pool_init(&lane->spill, lane->directory->spool);
	lane->known.max = (size_t)params->settings->memory / KNOWN_SHARE /
			  (params->lanes ? params->lanes : 1);
	(void)pthread_mutex_init(&lane->lock, NULL);
	rc = open_all(lane, params, err);
	if (rc)
		lane_free(lane);
	else
		*ret = lane;
	return rc;
}

void lane_free(struct lane *lane)
{
	if (!lane)
		return;
	for (size_t i = 0; i < lane->captures.len; i++)
		capture_free(lane->captures.ptr[i]);
	capture_vec_release(&lane->captures);
	u32_vec_release(&lane->queue);
	heap_release(&lane->wakes);
	if (lane->store_is_open)
		store_abandon(&lane->store);
	warcinfo_release(&lane->info);
	net_free(lane->net);
	if (lane->wake >= 0)
		(void)close(lane->wake);
	reading_release(&lane->reading);
	duplicates_release(&lane->duplicates);
	for (size_t i = 0; i < LANE_READERS; i++)
		catalog_close(lane->readers[i]);
	trap_scratch_release(&lane->scratch);
	dust_scratch_release(&lane->dust);
	page_links_release(&lane->links);
	robots_cache_release(&lane->robots);
	spill_pool_release(&lane->spill);
	servers_release(&lane->servers);
	free(lane->agent);
	(void)pthread_mutex_destroy(&lane->lock);
	free(lane);
}

/* ---- captures with pending work ---- */

/* The queue is a ring with a place for every slot, and none is in it twice. */
static void enqueue(struct lane *lane, struct capture *c)
{
	if (c->queued)
		return;
	c->queued = true;
	lane->queue.ptr[(lane->first + lane->waiting++) % lane->queue.len] = c->slot;
}

/* The next capture with pending work, or NULL. */
static struct capture *dequeue(struct lane *lane)
{
	struct capture *c = NULL;

	while (!c && lane->waiting > 0) {
		c = lane->captures.ptr[lane->queue.ptr[lane->first]];
		lane->first = (lane->first + 1) % lane->queue.len;
		lane->waiting--;
	}
	if (c)
		c->queued = false;
	return c;
}

int lane_add(struct lane *lane, struct capture *c)
{
	uint32_t slot = (uint32_t)lane->captures.len;

	capture_vec_reserve(&lane->captures, 1);
	TRY(heap_reserve(&lane->wakes, slot + 1));
	u32_vec_push(&lane->queue, slot);
	lane->captures.ptr[lane->captures.len++] = c;
	lane->running++;
	capture_attach(c, lane, slot);
	return 0;
}

void lane_drop(struct lane *lane, struct capture *c)
{
	uint64_t tag;

	while (hosts_drop(&c->hosts, &tag))
		;
	lane->captures.ptr[c->slot] = NULL;
	lane->running--;
	(void)heap_remove(&lane->wakes, c->slot);
	capture_free(c);
}

/* A watch is to end: its sites are, not their requests. */
static bool is_draining(const struct lane *lane)
{
	return lane->shared->watch && atomic_load(&lane->shared->watch->drain);
}

/* A robots.txt that is due goes before all other requests. */
static int enqueue_due(struct lane *lane, struct err *err)
{
	double now = lane_now(lane);
	struct heap_key first;
	uint32_t slot;

	while (heap_peek(&lane->wakes, &slot, &first) && first.key <= now) {
		(void)heap_remove(&lane->wakes, slot);
		enqueue(lane, lane->captures.ptr[slot]);
		if (!is_draining(lane))
			TRY(robots_fetch_due(lane->captures.ptr[slot], err));
	}
	return 0;
}

/* ---- progress ---- */

/* Adds what has changed. */
static void add_difference(struct crawl_progress *sum, const struct crawl_progress *was,
	const struct crawl_progress *is)
{
	sum->known += is->known - was->known;
	sum->failed += is->failed - was->failed;
	sum->fetched += is->fetched - was->fetched;
	sum->sharp += is->sharp - was->sharp;
	sum->revisited += is->revisited - was->revisited;
	sum->expected += is->expected - was->expected;
	sum->requests += is->requests - was->requests;
	sum->left += is->left - was->left;
}

static void add_progress(struct lane *lane, struct capture *c)
{
	struct crawl_progress is = limit_progress(c, lane->alone);

	if (lane->alone)
		lane->sum = is;
	else
		add_difference(&lane->sum, &c->counters.in_sum, &is);
	c->counters.in_sum = is;
}

/* Of its captures as they were when they last changed. */
static void find_worst(const struct lane *lane, struct worst_sites *ret)
{
	*ret = (struct worst_sites){0};
	for (size_t i = 0; i < lane->captures.len; i++) {
		const struct capture *c = lane->captures.ptr[i];
		const struct crawl_progress *p = c ? &c->counters.in_sum : NULL;
		struct site_progress site;

		if (!c)
			continue;
		site = (struct site_progress){.preparing = p->preparing,
			.leg = p->leg,
			.done = p->done,
			.total = p->total,
			.failed = p->failed,
			.left = p->left};
		(void)snprintf(site.site, sizeof site.site, "%.*s",
			slice_shown(c->row.site, sizeof site.site - 1), c->row.site.ptr);
		worst_sites_add(ret, &site);
	}
}

static void show_progress(struct lane *lane, bool now)
{
	int64_t time = clock_monotonic(lane->clock);
	struct worst_sites worst = {0};

	if (!now && time - lane->shown_at < SHOW_INTERVAL)
		return;
	lane->shown_at = time;
	if (lane->alone && lane->captures.ptr[0])
		add_progress(lane, lane->captures.ptr[0]);
	if (!lane->alone && (now || time - lane->worst_at >= WORST_INTERVAL)) {
		lane->worst_at = time;
		find_worst(lane, &worst);
	}
	(void)pthread_mutex_lock(&lane->lock);
	lane->shown = lane->sum;
	if (lane->worst_at == time)
		lane->worst = worst;
	(void)snprintf(
		lane->shown.waiting, sizeof lane->shown.waiting, "%s", gate_text(&lane->gate));
	(void)pthread_mutex_unlock(&lane->lock);
}

void lane_progress(struct lane *lane, struct crawl_progress *sum, struct worst_sites *worst)
{
	static const struct crawl_progress NOTHING;

	(void)pthread_mutex_lock(&lane->lock);
	if (lane->alone)
		*sum = lane->shown;
	else
		add_difference(sum, &NOTHING, &lane->shown);
	sum->ended += lane->alone ? 0 : lane->shown.ended;
	for (size_t i = 0; i < lane->worst.len; i++)
		worst_sites_add(worst, &lane->worst.list[i]);
	memcpy(sum->waiting, lane->shown.waiting, sizeof sum->waiting);
	(void)pthread_mutex_unlock(&lane->lock);
}

/* ---- the end of a capture ---- */

/*
 * The commit with its verdicts, after everything else of it, makes it a finished capture. If
 * anything fails before, resume does it again. The last one of all is left to crawl.c.
 */
static int end_capture(struct lane *lane, struct capture *c, struct err *err)
{
	for (const struct crawl_feature *f = CRAWL_FEATURES; f->name; f++)
		if (f->conclude)
			TRY(f->conclude(c, err));

	TRY(capture_moment(c, "end", err));
	c->row.state = c->stage.cut ? CATALOG_CUT : CATALOG_FINISHED;
	c->row.finished = c->last_moment; /* as the WARC has it */
	if (c->row.caveats & CATALOG_CAVEAT_CLOCK)
		c->row.still_from = c->row.still_to = 0;
	if (atomic_fetch_sub(&lane->shared->running, 1) > 1)
		capture_store_row(c);
	else
		lane->shared->last = c->row;
	capture_result(c, c->stage.cut ? CRAWL_CUT : CRAWL_FINISHED, c->result);
	lane->sum.ended++;
	lane->running--;
	lane->captures.ptr[c->slot] = NULL;
	(void)heap_remove(&lane->wakes, c->slot);
	capture_free(c);
	return 0;
}

/* A site under watch has no end: its capture stays as it is, and goes on with the next process. */
static int leave_capture(struct lane *lane, struct capture *c)
{
	(void)atomic_fetch_sub(&lane->shared->running, 1);
	capture_result(c, CRAWL_STOPPED, c->result);
	lane_drop(lane, c);
	return 0;
}

/* ---- the loop ---- */

/*
 * No socket was free for a fetch. From now on the lane runs no more fetches at once than there are
 * now. If there are none, it closes the connections that it keeps for later. If there are none of
 * these either, others have all sockets, and the lane waits.
 */
static int pause_without_sockets(struct lane *lane, struct err *err)
{
	size_t busy = servers_busy(&lane->servers);
	bool closed = false;

	TRY(busy > 0 ? 0 : net_close_kept(lane->net, &closed, err));
	lane->max_fetches = busy > 1 ? busy : 1;
	if (closed)
		return 0;
	lane->no_socket_until = lane_now(lane) + NO_SOCKET_PAUSE;
	if (busy > 0 || lane->no_socket_warned)
		return 0;
	lane->no_socket_warned = true;
	log_warn("crawl", "no socket can be opened; waiting until one can ('ulimit -n' shows how "
			  "many files this process may open)");
	return 0;
}

/* Seconds until the gate and the budget let a request start. */
static double held_back(struct lane *lane)
{
	const struct crawl_watch *watch = lane->shared->watch;

	return fmax(gate_wait(&lane->gate), watch ? budget_wait(watch->budget, lane_now(lane)) : 0);
}

static bool may_start(struct lane *lane)
{
	return servers_busy(&lane->servers) < lane->max_fetches &&
	       lane_now(lane) >= lane->no_socket_until && held_back(lane) <= 0;
}

static int collect(struct lane *lane, struct err *err)
{
	struct net_fetch *f;

	while (!is_stopping(lane) && (f = net_next(lane->net))) {
		struct capture *c = lane->captures.ptr[request_tag_slot(f->tag)];
		bool is_starved = f->starved;
		int rc;

		gate_received(&lane->gate, f->head.len + f->body_size, f->monotonic.sent);
		if (lane->shared->watch)
			budget_received(lane->shared->watch->budget, f->head.len + f->body_size);
		rc = fetch_finished(c, f, err);
		store_free_fetch(&lane->store, f);
		TRY(rc);
		if (is_starved)
			TRY(pause_without_sockets(lane, err));
		enqueue(lane, c);
		/* Many pages with many links may have come at once. */
		if (store_is_full(&lane->store))
			TRY(store_commit(&lane->store, err));
	}
	return 0;
}

int lane_start_ready(struct lane *lane, struct err *err)
{
	uint32_t slot;
	uint64_t tag;

	while (may_start(lane) && servers_take(&lane->servers, lane_now(lane), &slot, &tag)) {
		struct capture *c = lane->captures.ptr[slot];

		TRY(fetch_start(c, (size_t)tag, err));
		enqueue(lane, c);
	}
	return 0;
}

static int update_capture(struct lane *lane, struct capture *c, struct err *err)
{
	TRY(limit_check(c, err));
	slow_check(c);
	TRY(c->scheduler->dispatch(c, err));
	add_progress(lane, c);
	if (c->stage.ended)
		return c->scheduler->endless ? leave_capture(lane, c) : end_capture(lane, c, err);
	double wait = fmin(fmin(c->scheduler->wait(c), slow_wait(c)),
		fmin(limit_wait(c), robots_fetch_wait(c)));
	struct heap_key key = {.key = lane_now(lane) + wait};
	int rc = 0;

	/* Sets when it has work although nothing happens: the barrier is over, the time is up. */
	if (isinf(wait))
		(void)heap_remove(&lane->wakes, c->slot);
	else if (!heap_update(&lane->wakes, c->slot, key))
		rc = heap_push(&lane->wakes, c->slot, key);
	assert(rc == 0); /* lane_add made room */
	(void)rc;
	return 0;
}

/* Seconds until a server may be asked again, a commit is due, or a time has come. */
static double until_next(struct lane *lane)
{
	double now = lane_now(lane), next = store_due(&lane->store);
	struct heap_key first;
	uint32_t slot;

	if (servers_busy(&lane->servers) < lane->max_fetches)
		next = fmin(next, fmax(servers_next_ready(&lane->servers) - now,
					  fmax(lane->no_socket_until - now, held_back(lane))));
	if (heap_peek(&lane->wakes, &slot, &first))
		next = fmin(next, first.key - now);
	return fmin(fmax(next, 0), 1);
}

static int commit(struct lane *lane, struct err *err)
{
	int64_t wall = clock_offset(lane->shared->wall);

	/*
	 * A wall clock that was set is recorded at once, not at the end of the capture: reports
	 * about unfinished captures must show it, too.
	 */
	if (clock_watch_differs(wall, clock_offset(lane->clock))) {
		for (size_t i = 0; i < lane->captures.len; i++)
			if (lane->captures.ptr[i] &&
				clock_watch_is_news(&lane->captures.ptr[i]->watch, wall))
				TRY(capture_moment(lane->captures.ptr[i], "clock-set", err));
		if (lane->shared->watch)
			atomic_store(&lane->shared->watch->clock_set, true);
	}
	return store_commit(&lane->store, err);
}

static int turn(struct lane *lane, struct err *err)
{
	struct capture *c;
	int rc = names_collect(lane, err);

	if (rc == 0)
		rc = collect(lane, err);
	if (rc == 0)
		rc = enqueue_due(lane, err);
	if (rc == 0)
		rc = lane_start_ready(lane, err);
	while (rc == 0 && (c = dequeue(lane)))
		rc = update_capture(lane, c, err);
	if (rc == 0)
		rc = names_look_up(lane, err);
	if (rc == 0)
		rc = store_due(&lane->store) <= 0 ? commit(lane, err)
						  : store_check(&lane->store, err);
	show_progress(lane, false);
	return rc;
}

static int loop(struct lane *lane, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < lane->captures.len; i++)
		if (lane->captures.ptr[i])
			enqueue(lane, lane->captures.ptr[i]);
	while (rc == 0 && lane->running > 0 && !is_stopping(lane)) {
		rc = turn(lane, err);
		if (rc == 0 && lane->running > 0)
			rc = net_wait(lane->net, until_next(lane), err);
	}
	for (size_t i = 0; i < lane->captures.len; i++)
		if (lane->captures.ptr[i] && lane->captures.ptr[i]->scheduler->left)
			lane->captures.ptr[i]->scheduler->left(lane->captures.ptr[i]);
	show_progress(lane, true);
	return rc;
}

/* ---- the thread ---- */

static void *run(void *context)
{
	struct lane *lane = context;
	uint64_t one = 1;

	lane->rc = loop(lane, &lane->err);
	/*
	 * All complete turns are kept; resume returns open orders to the planner. A turn that was
	 * stopped in its middle is not committed.
	 */
	lane->store_is_open = false;
	if (lane->rc == 0)
		lane->rc = store_close(&lane->store, &lane->err);
	else
		store_abandon(&lane->store);
	if (lane->rc == ERR_STOPPED)
		lane->rc = 0;
	if (lane->rc)
		atomic_store(&lane->shared->stopping, true);
	while (write(lane->shared->ended, &one, sizeof one) < 0 && errno == EINTR)
		;
	return NULL;
}

int lane_start(struct lane *lane, struct err *err)
{
	lane->started = pthread_create(&lane->thread, NULL, run, lane) == 0;
	if (!lane->started)
		return err_set(err, ERR_NOMEM, "a thread for the captures cannot be started");
	return 0;
}

void lane_wake(struct lane *lane)
{
	uint64_t one = 1;

	while (write(lane->wake, &one, sizeof one) < 0 && errno == EINTR)
		;
}

int lane_join(struct lane *lane, struct err *err)
{
	if (!lane->started)
		return 0;
	(void)pthread_join(lane->thread, NULL);
	lane->started = false;
	if (lane->rc)
		*err = lane->err;
	return lane->rc;
}
