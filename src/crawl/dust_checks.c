/*
 * Requests that confirm rules: URLs that were left out are fetched after all, a few for each rule,
 * and compared with the page that stands for them. They are archived like a robots.txt, and are
 * requests, but no pages.
 */
#include "crawl/capture.h"
#include "extract/robots_policy.h"

enum {
	TRIES = 8, /* picks of a URL that can be checked */
};

/* How many checks a rule needs before it holds, and one more for so many URLs that it saves. */
static const struct {
	uint32_t first, step;
} CHECKS[DUST_KIND_COUNT] = {
	[DUST_SCHEME] = {2, 50},
	[DUST_WWW] = {2, 50},
	[DUST_SPELLING] = {2, 50},
	[DUST_CASE] = {5, 10},
	[DUST_SLASH] = {5, 10},
	[DUST_INDEX] = {5, 10},
	[DUST_DEFAULT] = {5, 10},
	[DUST_PRINT] = {5, 10},
	[DUST_SESSION] = {2, 50},
	[DUST_TRACKING] = {2, 50},
	[DUST_ORDER] = {2, 50},
	[DUST_PARAMETER] = {5, 8},
};

static bool is_used(const struct dust_rule *r)
{
	return r->kind != DUST_MIRROR && (r->state == DUST_TRIED || r->state == DUST_HOLDS);
}

static bool is_confirmed(const struct dust_rule *r)
{
	uint32_t first = CHECKS[r->kind].first;

	return r->passed >= (r->saved.len < first ? r->saved.len : first);
}

/* Checks of URLs that differ by several rules count for all of them. */
static bool wants_check(const struct dust_rule *r)
{
	size_t wanted = CHECKS[r->kind].first + r->saved.len / CHECKS[r->kind].step;

	return is_used(r) && r->passed + r->under_way < wanted && r->sent < 2 * wanted;
}

/* The page that stands for one that was left out has been seen; its form is in the scratch. */
static int find_standing(struct capture *c, uint32_t page, uint32_t *ret,
	struct dust_look *ret_look, struct err *err)
{
	struct dust *d = &c->dust.dust;
	const struct dust_entry *e;
	bool has;
	int rc = dust_form_of_page(c, page, &has, err);

	*ret = DUST_NONE;
	if (rc || !has)
		return rc;
	e = dust_map_find(&d->classes, dust_hash(d, c->lane->dust.form.key));
	if (!e || e->page == page || !c->pages.list.ptr[e->page].visited)
		return 0;
	*ret = e->page;
	return dust_look_read(c, e->page, ret_look, err);
}

static bool is_good(const struct dust_look *look)
{
	return look->status >= 200 && look->status < 300;
}

/* ---- sending ---- */

static int may_ask(struct capture *c, const struct url *url, bool *ret, struct err *err)
{
	struct robots_decision d = {.allowed = true};
	uint32_t host;
	int rc = err_code(err, capture_find_host(c, url, &host));

	*ret = rc == 0 && hosts_at(&c->hosts, host)->robots == HOST_ROBOTS_KNOWN &&
	       !fetch_is_down(c, host);
	if (*ret && c->rules.list.ptr[host].policy != ROBOTS_ALLOW_ALL &&
		!c->settings->ignore_robots)
		rc = rules_decide(&c->rules, host, robots_url_path(url_page(url)), &d, err);
	*ret = *ret && rc == 0 && d.allowed;
	return rc;
}

/* Whether the page still differs by the rule from the one that stands for it, which has been seen.
 */
static int may_tell(struct capture *c, uint32_t rule, uint32_t page, bool *ret, bool *ret_stale,
	struct err *err)
{
	const struct dust_scratch *s = &c->lane->dust;
	struct dust_look look;
	uint32_t standing;
	bool known = false;
	int rc = find_standing(c, page, &standing, &look, err);

	*ret = *ret_stale = false;
	if (rc || standing == DUST_NONE || !look.has_shown)
		return rc;
	rc = dust_between(c, standing, &known, err);
	for (size_t i = 0; rc == 0 && known && i < s->rule_count; i++)
		*ret = *ret || s->rules[i] == rule;
	*ret_stale = rc == 0 && !*ret;
	return rc;
}

/* *ret_stale: there is no point in asking for this page again. */
static int send(struct capture *c, uint32_t rule, uint32_t page, bool *ret_sent, bool *ret_stale,
	struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;
	struct dust_look own;
	bool may = false;
	int rc = dust_look_read(c, page, &own, err);

	*ret_sent = false;
	*ret_stale = own.is_checked || c->pages.list.ptr[page].left_out != LEFT_OUT_DUST;
	if (rc || *ret_stale)
		return rc;
	rc = may_tell(c, rule, page, &may, ret_stale, err);
	if (rc == 0 && may)
		rc = may_ask(c, &s->url, &may, err);
	if (rc || !may)
		return rc;
	own.is_checked = true;
	rc = dust_look_write(c, page, &own, err);
	if (rc == 0)
		rc = fetch_url(c, url_page(&s->url),
			&(struct request){
				.kind = REQUEST_DUST, .order = {.page = page, .attempt = rule}},
			ret_sent, err);
	return rc;
}

/* Checked ones are moved to the front of the list; stale ones go. */
static int check(struct capture *c, uint32_t rule, bool *ret_sent, struct err *err)
{
	struct dust_rule *r = &c->dust.dust.rules.ptr[rule];
	int rc = 0;

	*ret_sent = false;
	for (unsigned i = 0; rc == 0 && i < TRIES && !*ret_sent && r->next < r->saved.len; i++) {
		size_t at = r->next + (size_t)rng_below(&c->rng, r->saved.len - r->next);
		uint32_t page = r->saved.ptr[at];
		bool is_stale;

		rc = send(c, rule, page, ret_sent, &is_stale, err);
		r = &c->dust.dust.rules.ptr[rule]; /* the list of rules may have moved */
		if (rc == 0 && *ret_sent) {
			r->saved.ptr[at] = r->saved.ptr[r->next];
			r->saved.ptr[r->next++] = page;
			r->sent++;
			r->under_way++;
		} else if (rc == 0 && is_stale) {
			r->saved.ptr[at] = r->saved.ptr[--r->saved.len];
		}
	}
	return rc;
}

/* Each value of a parameter is checked: one of them may select something. */
static int check_values(struct capture *c, uint32_t rule, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < c->dust.dust.rules.ptr[rule].value_count; i++) {
		struct dust_rule *r = &c->dust.dust.rules.ptr[rule];
		bool sent = false, is_stale;

		if (!is_used(r) || r->values[i].is_sent || r->values[i].is_confirmed)
			continue;
		if (r->values[i].page != DUST_NONE)
			rc = send(c, rule, r->values[i].page, &sent, &is_stale, err);
		r = &c->dust.dust.rules.ptr[rule]; /* the list of rules may have moved */
		r->values[i].is_sent = sent;
		r->under_way += sent;
	}
	return rc;
}

int dust_check_due(struct capture *c, struct err *err)
{
	int rc = 0;

	if (c->dust.mode != CRAWL_DUST_APPLY || c->stage.cancelled)
		return 0;
	for (uint32_t i = 0; rc == 0 && i < c->dust.dust.rules.len; i++) {
		bool sent = true;

		while (rc == 0 && sent && wants_check(&c->dust.dust.rules.ptr[i]))
			rc = check(c, i, &sent, err);
		if (rc == 0 && c->dust.dust.rules.ptr[i].kind == DUST_PARAMETER)
			rc = check_values(c, i, err);
	}
	return rc ? rc : dust_store_rules(c, err);
}

/* ---- answers ---- */

static int passes(struct capture *c, struct err *err)
{
	const struct dust_scratch *s = &c->lane->dust;

	for (size_t i = 0; i < s->rule_count; i++) {
		struct dust_rule *r = &c->dust.dust.rules.ptr[s->rules[i]];

		r->passed++;
		dust_rule_confirm(
			r, dust_hash(&c->dust.dust, dust_form_value(&s->form, r->detail)));
		if (r->state == DUST_TRIED && is_confirmed(r)) {
			r->state = DUST_HOLDS;
			r->changed = true;
		}
	}
	return dust_store_rules(c, err);
}

/* A redirect to the same form is an answer, too. */
static int judge_redirect(
	struct capture *c, const struct request *r, enum dust_answer *ret, struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;
	bool has = false;
	int rc = 0;

	*ret = DUST_DISAGREES;
	if (!fetch_location(c, r, &s->link))
		return 0;
	rc = dust_form_of(&c->dust.dust, &s->text, &s->link, &s->link_form, &has);
	if (rc == 0 && has && slice_eq(s->link_form.key, s->form.key))
		*ret = DUST_AGREES;
	return err_code(err, rc);
}

static int judge(struct capture *c, const struct request *r, const struct net_fetch *f,
	const struct state_result *result, enum dust_answer *ret, struct err *err)
{
	struct reading *reading = &c->lane->reading;
	struct dust_look look = {.status = (uint16_t)f->status}, standing;
	struct state_result again;
	uint32_t other;
	bool known = false;
	int rc = find_standing(c, r->order.page, &other, &standing, err);

	*ret = DUST_UNKNOWN;
	if (rc || other == DUST_NONE || f->status == 0)
		return rc;
	rc = dust_between(c, other, &known, err);
	if (rc || !known)
		return rc;
	if (f->status >= 300 && f->status < 400)
		return judge_redirect(c, r, ret, err);
	if (f->status < 300 && result->whole) {
		reading->normalise = !c->settings->bytes_only;
		reading->book = &c->book;
		rc = reading_read(reading, f, READING_STATE, &again, err);
		if (rc)
			return rc;
		dust_look_take(c, &again.payload, &look);
		rc = dust_between(c, other, &known, err); /* the scratch was used */
	}
	if (rc == 0)
		*ret = dust_compare(&look, &standing,
			c->lane->dust.form.traits[DUST_PRINT] !=
				c->lane->dust.other_form.traits[DUST_PRINT]);
	return rc;
}

int dust_answered(struct capture *c, const struct request *r, const struct net_fetch *f,
	const struct state_result *result, struct err *err)
{
	enum dust_answer answer;
	int rc = 0;

	if (r->order.attempt < c->dust.dust.rules.len)
		c->dust.dust.rules.ptr[r->order.attempt].under_way--;
	if (c->pages.list.ptr[r->order.page].left_out != LEFT_OUT_DUST)
		return 0;
	rc = judge(c, r, f, result, &answer, err);
	if (rc || answer == DUST_UNKNOWN)
		return rc;
	if (answer == DUST_AGREES)
		return passes(c, err);
	rc = dust_evidence(c, DUST_DISAGREES, err);
	return rc ? rc : dust_store_rules(c, err);
}

int dust_dropped(
	struct capture *c, const struct request *r, enum drop_reason reason, struct err *err)
{
	(void)reason;
	(void)err;
	if (r->order.attempt < c->dust.dust.rules.len)
		c->dust.dust.rules.ptr[r->order.attempt].under_way--;
	return 0;
}

/* ---- before the visits end ---- */

/* What was not confirmed is not used. */
static int drop_unconfirmed(struct capture *c, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < c->dust.dust.rules.len; i++) {
		const struct dust_rule *r = &c->dust.dust.rules.ptr[i];

		if (r->state == DUST_TRIED && !is_confirmed(r))
			rc = dust_drop_rule(c, i, err);
	}
	return rc;
}

/* All values of parameters by which the URL in the scratch differs were seen to change nothing. */
static int are_values_confirmed(struct capture *c, uint32_t standing, bool *ret, struct err *err)
{
	const struct dust_scratch *s = &c->lane->dust;
	int rc = dust_between(c, standing, ret, err);

	for (size_t i = 0; rc == 0 && *ret && i < s->rule_count; i++) {
		const struct dust_rule *r = &c->dust.dust.rules.ptr[s->rules[i]];

		if (r->kind == DUST_PARAMETER)
			*ret = dust_rule_is_confirmed(
				r, dust_hash(&c->dust.dust, dust_form_value(&s->form, r->detail)));
	}
	return rc;
}

/* Pages whose class has no page that was captured are taken after all. */
static int readmit_orphans(struct capture *c, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < c->pages.list.len; i++) {
		struct dust_look look;
		uint32_t standing;
		bool is_saved = false;

		if (c->pages.list.ptr[i].left_out != LEFT_OUT_DUST)
			continue;
		rc = lane_check_stop(c->lane, err);
		if (rc == 0)
			rc = find_standing(c, i, &standing, &look, err);
		if (rc == 0 && standing != DUST_NONE && is_good(&look))
			rc = are_values_confirmed(c, standing, &is_saved, err);
		if (rc == 0 && !is_saved)
			rc = dust_readmit(
				c, i, "in: whether it repeats a page could not be confirmed", err);
	}
	return rc;
}

int dust_close(struct capture *c, struct err *err)
{
	int rc;

	if (c->dust.mode != CRAWL_DUST_APPLY || c->stage.cancelled)
		return 0;
	rc = dust_check_due(c, err);
	if (rc || c->requests.unplanned > 0)
		return rc;
	rc = drop_unconfirmed(c, err);
	return rc ? rc : readmit_orphans(c, err);
}
