#include "living/model.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/parse.h"
#include "base/word.h"
#include "living/history.h"
#include "living/rates.h"

/* What random numbers are drawn for; new ones go to the end, or every seed means another site. */
enum purpose {
	PURPOSE_STREAM = 1,
	PURPOSE_RATES,
	PURPOSE_REQUISITE_RATES,
	PURPOSE_BEHAVIOUR,
	PURPOSE_BEHAVIOUR_KIND,
	PURPOSE_VALIDATORS,
	PURPOSE_VALIDATORS_KIND,
	PURPOSE_REDIRECT,
	PURPOSE_VANISHING,
	PURPOSE_ABSENT_FIRST,
	PURPOSE_COMMITS,
};

enum { MOVES = 1024 }; /* targets of a moving redirect before it comes back to the first */

static const double DEFAULT_PAIR_RATE = 0.05;

uint32_t living_page_resource(const struct living_model *m, size_t host, uint32_t page)
{
	return (uint32_t)(host * m->per_host + page);
}

uint32_t living_requisite_resource(
	const struct living_model *m, size_t host, uint32_t page, size_t requisite)
{
	return (uint32_t)(host * m->per_host + m->layout.n + page * m->params.requisites +
			  requisite - 1);
}

struct living_place living_place_of(const struct living_model *m, uint32_t resource)
{
	struct living_place p = {.host = resource / m->per_host};
	size_t local = resource % m->per_host;

	if (local < m->layout.n) {
		p.page = (uint32_t)local;
		return p;
	}
	local -= m->layout.n;
	p.page = (uint32_t)(local / m->params.requisites);
	p.requisite = local % m->params.requisites + 1;
	if (m->params.requisite_kind_count)
		p.kind = m->params.requisite_kinds[(p.requisite - 1) %
						   m->params.requisite_kind_count];
	else
		p.kind = p.requisite % 2 ? LIVING_STYLE : LIVING_IMAGE;
	return p;
}

static const char *site_name(const struct living_model *m, size_t host)
{
	return m->params.host_count ? m->params.hosts[host] : m->default_host;
}

const char *living_requisite_host(const struct living_model *m, size_t requisite)
{
	if (m->params.requisite_host_count == 0)
		return m->params.cdn_host;
	return m->params.requisite_hosts[(requisite - 1) % m->params.requisite_host_count];
}

const char *living_host_of(const struct living_model *m, uint32_t resource)
{
	struct living_place p = living_place_of(m, resource);

	const char *other = p.requisite ? living_requisite_host(m, p.requisite) : NULL;

	return other ? other : site_name(m, p.host);
}

/* "/a/17-1.css"; sites that share a host for these have numbers: "/2/a/17-1.css". */
int living_path_of(const struct living_model *m, uint32_t resource, struct buf *text)
{
	static const char *const ENDINGS[LIVING_KINDS] = {
		[LIVING_STYLE] = "css",
		[LIVING_IMAGE] = "gif",
		[LIVING_SCRIPT] = "js",
		[LIVING_FONT] = "woff2",
		[LIVING_FRAME] = "html",
		[LIVING_BACKGROUND] = "gif",
	};
	struct living_place p = living_place_of(m, resource);
	int rc = 0;

	if (!p.requisite)
		return layout_path(&m->layout, p.page, text);
	if (living_requisite_host(m, 1))
		rc = buf_printf(text, "/%zu", p.host + 1);
	if (rc == 0)
		rc = buf_printf(
			text, "/a/%lu-%zu.%s", (unsigned long)p.page, p.requisite, ENDINGS[p.kind]);
	return rc;
}

bool living_find_host(const struct living_model *m, slice host, size_t *ret_host)
{
	if (m->params.host_count == 0) {
		*ret_host = 0;
		return true;
	}
	for (size_t i = 0; i < m->hosts; i++)
		if (word_is(host, slice_str(m->params.hosts[i]))) {
			*ret_host = i;
			return true;
		}
	return false;
}

bool living_is_cdn(const struct living_model *m, slice host)
{
	size_t site, count = m->params.requisite_host_count;
	bool cdn = count == 0 && m->params.cdn_host && word_is(host, slice_str(m->params.cdn_host));

	for (size_t i = 0; i < count && !cdn; i++)
		cdn = word_is(host, slice_str(m->params.requisite_hosts[i]));
	return cdn && (m->params.host_count == 0 || !living_find_host(m, host, &site));
}

/* Takes a number from the front. */
static bool take_number(slice *rest, uint64_t *ret)
{
	size_t digits = 0;

	while (digits < rest->len && word_is_digit(rest->ptr[digits]))
		digits++;
	if (parse_u64(slice_sub(*rest, 0, digits), ret))
		return false;
	*rest = slice_sub(*rest, digits, rest->len);
	return true;
}

static bool take_word(slice *rest, slice word)
{
	bool taken = slice_starts_with(*rest, word);

	if (taken)
		*rest = slice_sub(*rest, word.len, rest->len);
	return taken;
}

/* The reverse of living_path_of, by writing it again: so there is one spelling. */
static bool find_requisite(
	const struct living_model *m, size_t host, slice path, uint32_t *ret_resource)
{
	slice rest = path;
	uint64_t site = host + 1, page, requisite;
	uint32_t resource;
	struct buf again;
	bool found;

	if (living_requisite_host(m, 1) &&
		(!take_word(&rest, SLICE("/")) || !take_number(&rest, &site)))
		return false;
	if (!take_word(&rest, SLICE("/a/")) || !take_number(&rest, &page) ||
		!take_word(&rest, SLICE("-")) || !take_number(&rest, &requisite))
		return false;
	if (site - 1 >= m->hosts || page >= m->layout.n || requisite - 1 >= m->params.requisites)
		return false;
	resource =
		living_requisite_resource(m, (size_t)site - 1, (uint32_t)page, (size_t)requisite);
	buf_init(&again, path.len + 1);
	found = living_path_of(m, resource, &again) == 0 && slice_eq(buf_slice(&again), path);
	buf_release(&again);
	if (found)
		*ret_resource = resource;
	return found;
}

bool living_find(const struct living_model *m, slice host, slice target, uint32_t *ret_resource)
{
	uint32_t page;
	size_t site;

	if (living_is_cdn(m, host))
		return find_requisite(m, 0, target, ret_resource) &&
		       word_is(host, slice_str(living_host_of(m, *ret_resource)));
	if (!living_find_host(m, host, &site))
		return false;
	if (layout_find(&m->layout, target, &page)) {
		*ret_resource = living_page_resource(m, site, page);
		return true;
	}
	return !living_requisite_host(m, 1) && find_requisite(m, site, target, ret_resource);
}

/* The terms of a shop change when its prices do: they follow the same stream. */
static uint32_t leader_of(const struct living_model *m, uint32_t resource)
{
	struct living_place p = living_place_of(m, resource);

	if (!p.requisite && m->layout.theme == LIVING_SHOP && p.page == m->layout.tree + 1)
		return resource - 1;
	return resource;
}

/* Start page, listings and the shop's pair always answer: tests and demos rely on them. */
static bool is_steady(const struct living_model *m, uint32_t resource)
{
	struct living_place p = living_place_of(m, resource);

	return !p.requisite && (p.page == 0 || p.page >= m->layout.tree ||
				       (m->layout.listing && m->layout.listing[p.page]));
}

bool living_draws(const struct living_model *m, uint32_t resource, uint64_t purpose, double share)
{
	return share > 0 && !is_steady(m, resource) && !living_place_of(m, resource).requisite &&
	       change_uniform(m->params.seed, purpose, resource) < share;
}

/* Whether what is seen of a resource never changes. */
static bool shows_no_change(enum living_behaviour b)
{
	return b == LIVING_NOT_FOUND || b == LIVING_ERROR || b == LIVING_RESET ||
	       b == LIVING_MOVED || b == LIVING_FOUND;
}

struct change_source living_source(const struct living_model *m, uint32_t resource)
{
	struct change_source s = {
		.stream = change_mix(m->params.seed, PURPOSE_STREAM, leader_of(m, resource)),
		.rate = m->rates[resource],
		.reverts = m->params.reverts,
	};
	struct living_place p = living_place_of(m, resource);

	if (living_draws(m, resource, PURPOSE_VANISHING, m->params.vanishing)) {
		s.vanishing = true;
		s.absent_first = change_mix(m->params.seed, PURPOSE_ABSENT_FIRST, resource) & 1;
	}
	if (m->params.commits > 0 && !p.requisite && !shows_no_change(m->behaviours[resource])) {
		s.commit_stream = change_mix(m->params.seed, PURPOSE_COMMITS, 0);
		s.commit_seconds = m->params.commits;
		s.commit_share = m->params.commit_share;
	}
	if (m->recording && !p.requisite) {
		s.is_recorded = true;
		s.recorded = recording_of(m->recording, p.page, &s.recorded_len);
	}
	return s;
}

uint32_t living_redirect_target(const struct living_model *m, uint32_t resource, uint32_t version)
{
	struct living_place p = living_place_of(m, resource);
	uint64_t start = change_mix(m->params.seed, PURPOSE_REDIRECT, resource);
	uint32_t skip = m->behaviours[resource] == LIVING_MOVING ? version % MOVES : 0;

	/*
	 * The next page that answers itself, and with each version one further. Not simply the one
	 * behind start + version: where that does not answer, two versions had the same target, and
	 * the truth would tell of a change that nobody can see.
	 */
	for (size_t i = 0; i < m->layout.n + 2 * MOVES; i++) {
		uint32_t page = (uint32_t)((start + i) % m->layout.n);
		uint32_t target = living_page_resource(m, p.host, page);

		if (m->behaviours[target] == LIVING_OK && skip-- == 0)
			return target;
	}
	return living_page_resource(m, p.host, 0);
}

/* The i-th of the kinds, by a seeded draw. */
static unsigned draw_kind(unsigned kinds, uint64_t draw)
{
	unsigned count = (unsigned)__builtin_popcount(kinds);
	unsigned skip = count ? (unsigned)(draw % count) : 0;

	while (skip-- > 0)
		kinds &= kinds - 1;
	return kinds ? (unsigned)__builtin_ctz(kinds) : 0;
}

static enum living_behaviour draw_behaviour(const struct living_model *m, uint32_t resource)
{
	const struct living_params *p = &m->params;
	double u = change_uniform(p->seed, PURPOSE_BEHAVIOUR, resource);
	uint64_t kind = change_mix(p->seed, PURPOSE_BEHAVIOUR_KIND, resource);

	if (is_steady(m, resource))
		return LIVING_OK;
	if (u < p->errors.share)
		return draw_kind(p->errors.kinds, kind);
	u -= p->errors.share;
	if (living_place_of(m, resource).requisite == 0) {
		if (u < p->redirects.share)
			return draw_kind(p->redirects.kinds, kind);
		u -= p->redirects.share;
	}
	return u < p->slow.share ? draw_kind(p->slow.kinds, kind) : LIVING_OK;
}

static enum living_validators draw_validators(const struct living_model *m, uint32_t resource)
{
	const struct living_params *p = &m->params;
	double u = change_uniform(p->seed, PURPOSE_VALIDATORS, resource);

	if (u < p->lying.share)
		return draw_kind(
			p->lying.kinds, change_mix(p->seed, PURPOSE_VALIDATORS_KIND, resource));
	return u - p->lying.share < p->absent ? LIVING_ABSENT : LIVING_HONEST;
}

static void draw_facts(struct living_model *m)
{
	for (size_t i = 0; i < m->count; i++) {
		m->behaviours[i] = (uint8_t)draw_behaviour(m, (uint32_t)i);
		m->validators[i] = (uint8_t)draw_validators(m, (uint32_t)i);
		if (shows_no_change(m->behaviours[i]))
			m->rates[i] = 0;
	}
}

/* The host, where a URL names one, and the path of a name in a file of rates. */
static slice split_url(slice name, slice *ret_host)
{
	static const slice HTTP = SLICE_INIT("http://");
	size_t at = 0;

	*ret_host = (slice){NULL, 0};
	if (!take_word(&name, HTTP))
		return name;
	while (at < name.len && name.ptr[at] != '/')
		at++;
	*ret_host = slice_sub(name, 0, at);
	for (size_t i = at; i > 0 && name.ptr[i - 1] != ']'; i--)
		if (name.ptr[i - 1] == ':')
			ret_host->len = i - 1; /* without the port */
	return at < name.len ? slice_sub(name, at, name.len) : SLICE("/");
}

/* A URL has its host; a path alone is one of every host. */
static int take_rate(void *context, slice name, double rate)
{
	struct living_model *m = context;
	uint32_t resource;
	slice host, path = split_url(name, &host);
	int rc = ERR_NOTFOUND;

	if (host.len > 0) {
		if (!living_find(m, host, path, &resource))
			return ERR_NOTFOUND;
		m->rates[resource] = rate;
		return 0;
	}
	for (size_t i = 0; i < m->hosts; i++)
		if (living_find(m, slice_str(site_name(m, i)), path, &resource)) {
			m->rates[resource] = rate;
			rc = 0;
		}
	return rc;
}

/* Before files are read and anything is scaled. */
static void draw_host_rates(struct living_model *m, size_t host, const double *given)
{
	const struct living_params *p = &m->params;
	double *rates = m->rates + host * m->per_host;
	size_t n = m->layout.n;

	if (p->rates.kind == LIVING_GIVEN && given)
		memcpy(rates, given, n * sizeof *rates);
	else if (p->rates.kind != LIVING_RATE_FILE)
		rates_draw(&p->rates, p->rate_order, change_mix(p->seed, PURPOSE_RATES, host),
			rates, n);
	rates_draw(&p->requisite_rates, LIVING_RATES_SHUFFLED,
		change_mix(p->seed, PURPOSE_REQUISITE_RATES, host), rates + n, m->per_host - n);
}

static int scale_host_rates(struct living_model *m, size_t host, struct err *err)
{
	const struct living_params *p = &m->params;
	double *rates = m->rates + host * m->per_host;
	size_t n = m->layout.n;
	int rc = 0;

	if (p->rates.scaled)
		rc = rates_scale(p->rates.mean, rates, n, err);
	if (rc == 0 && p->requisite_rates.scaled && m->per_host > n)
		rc = rates_scale(p->requisite_rates.mean, rates + n, m->per_host - n, err);
	for (size_t i = m->layout.tree; i < n; i++)
		rates[i] = p->pair_rate;
	return rc;
}

static int check_rates(const struct living_model *m, struct err *err)
{
	double sum = 0;

	for (size_t i = 0; i < m->count; i++) {
		if (!(m->rates[i] <= LIVING_RATE_MAX))
			return err_set(err, ERR_RANGE,
				"a page would change %g times a second (at most %d)", m->rates[i],
				(int)LIVING_RATE_MAX);
		sum += m->rates[i];
	}
	if (sum > LIVING_RATES_MAX)
		return err_set(err, ERR_RANGE,
			"the site would change %g times a second (at most %d; lower --mean-rate)",
			sum, (int)LIVING_RATES_MAX);
	return 0;
}

static int fill_rates(struct living_model *m, const double *given, struct err *err)
{
	int rc = 0;

	for (size_t host = 0; host < m->hosts; host++)
		draw_host_rates(m, host, given);
	if (m->params.rates.kind == LIVING_RATE_FILE)
		rc = rates_read(m->params.rates.file, take_rate, m, err);
	for (size_t host = 0; rc == 0 && host < m->hosts; host++)
		rc = scale_host_rates(m, host, err);
	return rc ? rc : check_rates(m, err);
}

static int check_hosts(const struct living_params *p, struct err *err)
{
	for (size_t i = 0; i < p->host_count; i++)
		for (size_t k = 0; k < i; k++)
			if (strcasecmp(p->hosts[i], p->hosts[k]) == 0)
				return err_set(
					err, ERR_USAGE, "host %.99s is given twice", p->hosts[i]);
	return 0;
}

static int check(const struct living_params *p, struct err *err)
{
	double shares = p->errors.share + p->redirects.share + p->slow.share;

	if (!p->graph && !p->history && p->pages == 0)
		return err_set(err, ERR_USAGE, "a site has at least one page");
	if (!p->graph && !p->history && p->theme == LIVING_SHOP && p->pages < 3)
		return err_set(err, ERR_USAGE, "a shop has at least 3 pages");
	if (p->pages > LIVING_PAGES_MAX || p->requisites > LIVING_REQUISITES_MAX ||
		p->outdegree > LIVING_OUTDEGREE_MAX || p->host_count > LIVING_HOSTS_MAX)
		return err_set(err, ERR_RANGE, "too many pages, requisites, links or hosts");
	if (p->graph && p->history)
		return err_set(err, ERR_USAGE, "give a graph or a history, not both");
	if (p->history && p->host_count > 1)
		return err_set(err, ERR_USAGE, "a history has one host");
	if (p->history && (p->rates.kind != LIVING_GIVEN || p->rates.scaled))
		return err_set(err, ERR_USAGE, "a history has its own changes: no rates");
	if (p->history && (p->vanishing > 0 || p->commits > 0))
		return err_set(err, ERR_USAGE,
			"a history has its own changes: no vanishing pages, no commits");
	if (p->cdn_host && p->requisite_host_count > 0)
		return err_set(err, ERR_USAGE, "--cdn-host and --requisite-host: give one of them");
	if (p->theme == LIVING_SHOP && (p->graph || p->history))
		return err_set(err, ERR_USAGE, "a shop is a tree: no graph, no history");
	if (shares > 1)
		return err_set(err, ERR_USAGE,
			"errors, redirects and slow pages are %g of all, more than all", shares);
	if (p->lying.share + p->absent > 1)
		return err_set(err, ERR_USAGE,
			"lying and absent validators are more than all pages together");
	return check_hosts(p, err);
}

static int lay_out(struct living_model *m, double **ret_rates, struct err *err)
{
	const struct living_params *p = &m->params;

	if (p->graph)
		return layout_graph(&m->layout, p->graph, p->outdegree, ret_rates, err);
	if (p->history)
		return recording_load(p, &m->layout, &m->recording, ret_rates, err);
	layout_tree(&m->layout, p->pages, p->outdegree, p->theme);
	return 0;
}

static int allocate(struct living_model *m, struct err *err)
{
	m->hosts = m->params.host_count ? m->params.host_count : 1;
	m->per_host = m->layout.n * (1 + m->params.requisites);
	m->count = m->hosts * m->per_host;
	if (m->count > LIVING_PAGES_MAX)
		return err_set(err, ERR_RANGE,
			"%zu pages and requisites are too many (at most %d on all hosts together)",
			m->count, (int)LIVING_PAGES_MAX);
	if (m->params.sitemap == LIVING_SITEMAP_FLAT && m->layout.n > LIVING_SITEMAP_MAX)
		return err_set(err, ERR_RANGE,
			"one sitemap holds at most %d pages (use --sitemap index)",
			(int)LIVING_SITEMAP_MAX);
	m->rates = calloc(m->count + 1, sizeof *m->rates);
	m->behaviours = calloc(m->count + 1, sizeof *m->behaviours);
	m->validators = calloc(m->count + 1, sizeof *m->validators);
	if (!m->rates || !m->behaviours || !m->validators)
		return err_code(err, ERR_NOMEM);
	return 0;
}

static void fill_default_rates(struct living_rates *r)
{
	if (r->kind == LIVING_ZIPF && !r->scaled) {
		r->scaled = true;
		r->mean = LIVING_MEAN_RATE;
	}
}

static void fill_defaults(struct living_params *p)
{
	if (p->rates.kind == LIVING_GIVEN && !p->graph && !p->history) {
		p->rates.kind = LIVING_ZIPF;
		p->rates.a = 1;
	}
	if (p->requisite_rates.kind == LIVING_GIVEN)
		p->requisite_rates.kind = LIVING_CONSTANT;
	fill_default_rates(&p->rates);
	fill_default_rates(&p->requisite_rates);
	if (p->time_scale <= 0)
		p->time_scale = 1;
	if (p->outdegree == 0)
		p->outdegree = 1;
	if (p->pair_rate <= 0)
		p->pair_rate = DEFAULT_PAIR_RATE;
}

int living_model_init(struct living_model *m, const struct living_params *params,
	const char *default_host, struct err *err)
{
	struct living_model made = {.params = *params, .default_host = default_host};
	double *given = NULL;
	int rc;

	fill_defaults(&made.params);
	rc = check(&made.params, err);
	if (rc == 0)
		rc = lay_out(&made, &given, err);
	if (rc == 0)
		rc = allocate(&made, err);
	if (rc == 0)
		rc = fill_rates(&made, given, err);
	free(given);
	if (rc) {
		living_model_release(&made);
		/* All we read is the user's: a file that cannot be read is a wrong file. */
		if (rc == ERR_IO)
			rc = err->code = ERR_USAGE;
		return rc;
	}
	draw_facts(&made);
	*m = made;
	return 0;
}

void living_model_release(struct living_model *m)
{
	layout_release(&m->layout);
	recording_free(m->recording);
	free(m->rates);
	free(m->behaviours);
	free(m->validators);
	*m = (struct living_model){0};
}
