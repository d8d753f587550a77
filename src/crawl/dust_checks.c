/*
 * Requests that confirm rules: URLs that were left out are fetched after all, a few for each rule,
 * and compared with the page that stands for them. They are archived like a robots.txt, and are
 * requests, but no pages.
 */
#include "crawl/capture.h"
#include "formats/robots.h"

enum {
	TRIES = 8,          /* picks of a URL that can be checked */
	CLOSE_STEP = 7,     /* URLs by one check where a rule of the kind did not hold elsewhere */
	SPARE_PERCENT = 16, /* of the URLs that are left out, if each would be fetched twice */
};

/*
 * How many checks a kind of rule needs before it is believed, and how many URLs of a directory may
 * go by one check after that. Below few URLs a directory need not have a check of its own.
 */
static const struct {
	uint32_t first, step, few;
} CHECKS[DUST_KIND_COUNT] = {
	[DUST_SCHEME] = {2, 50, 10},
	[DUST_WWW] = {2, 50, 10},
	[DUST_SPELLING] = {2, 50, 10},
	[DUST_CASE] = {5, 10, 4},
	[DUST_SLASH] = {5, 10, 4},
	[DUST_INDEX] = {5, 10, 4},
	[DUST_DEFAULT] = {5, 10, 4},
	[DUST_PRINT] = {5, 10, 4},
	[DUST_SESSION] = {2, 50, 10},
	[DUST_TRACKING] = {2, 50, 10},
	[DUST_ORDER] = {2, 50, 10},
	[DUST_PARAMETER] = {5, 10, 4},
};

static bool is_used(const struct dust_rule *r)
{
	return r->kind != DUST_MIRROR && (r->state == DUST_TRIED || r->state == DUST_HOLDS);
}

static struct dust_tally *tally_of(struct capture *c, const struct dust_rule *r)
{
	return &c->dust.dust.tallies.ptr[r->tally];
}

/*
 * Checks that a rule needs in its directory. known: checks that say, in all directories, that rules
 * of this kind hold. Where one did not hold, the others are checked more closely; where it held for
 * some pages of a directory only, each URL is.
 */
static size_t checks_needed(const struct dust_rule *r, const struct dust_tally *t, uint32_t known)
{
	size_t urls = r->saved.len, first = CHECKS[r->kind].first, step = CHECKS[r->kind].step;

	if (t->is_mixed)
		return urls;
	if (t->refuted)
		return urls < 2 ? urls : 1 + urls / CLOSE_STEP;
	if (known < first)
		return urls < first ? urls : first;
	return urls < CHECKS[r->kind].few ? 0 : 1 + (urls - 1) / step;
}

static bool is_confirmed(struct capture *c, const struct dust_rule *r)
{
	const struct dust_tally *t = tally_of(c, r);

	return r->passed >= checks_needed(r, t, t->passed);
}

/* Checks of URLs that differ by several rules count for all of them. */
static bool wants_check(struct capture *c, const struct dust_rule *r)
{
	const struct dust_tally *t = tally_of(c, r);
	size_t needed = checks_needed(r, t, t->passed + t->under_way);

	return is_used(r) && r->passed + r->under_way < needed && r->sent < 2 * needed;
}

/* The page that stands for one that was left out has been seen; its form is in the scratch. */
static int find_standing(struct capture *c, uint32_t page, uint32_t *ret,
	struct dust_look *ret_look, struct err *err)
{
	struct dust *d = &c->dust.dust;
	const struct nummap_entry *e;
	bool has;

	TRY(dust_form_of_page(c, page, &has, err));
	*ret = DUST_NONE;
	if (!has)
		return 0;
	e = nummap_find(&d->classes, dust_hash(d, c->lane->dust.form.key));
	if (!e || e->value == page || !c->pages.list.ptr[e->value].visited)
		return 0;
	*ret = e->value;
	return dust_look_read(c, e->value, ret_look, err);
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

	TRY(find_standing(c, page, &standing, &look, err));
	*ret = *ret_stale = false;
	if (standing == DUST_NONE || !look.has_shown)
		return 0;
	TRY(dust_between(c, standing, &known, err));
	for (size_t i = 0; known && i < s->rule_count; i++)
		*ret = *ret || s->rules[i] == rule;
	*ret_stale = !*ret;
	return 0;
}

/* *ret_stale: there is no point in asking for this page again. */
static int send(struct capture *c, uint32_t rule, uint32_t page, bool *ret_sent, bool *ret_stale,
	struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;
	struct dust_look own;
	bool may = false;

	TRY(dust_look_read(c, page, &own, err));
	*ret_sent = false;
	*ret_stale = own.is_checked || c->pages.list.ptr[page].left_out != LEFT_OUT_DUST;
	if (*ret_stale)
		return 0;
	TRY(may_tell(c, rule, page, &may, ret_stale, err));
	if (may)
		TRY(may_ask(c, &s->url, &may, err));
	if (!may)
		return 0;
	own.is_checked = true;
	TRY(dust_look_write(c, page, &own, err));
	return fetch_url(c, url_page(&s->url),
		&(struct request){.kind = REQUEST_DUST, .order = {.page = page, .attempt = rule}},
		ret_sent, err);
}

/* Checked ones are moved to the front of the list; stale ones go. */
static int check(struct capture *c, uint32_t rule, bool *ret_sent, struct err *err)
{
	struct dust_rule *r = &c->dust.dust.rules.ptr[rule];

	*ret_sent = false;
	for (unsigned i = 0; i < TRIES && !*ret_sent && r->next < r->saved.len; i++) {
		size_t at = r->next + (size_t)rng_below(&c->rng, r->saved.len - r->next);
		uint32_t page = r->saved.ptr[at];
		bool is_stale;

		TRY(send(c, rule, page, ret_sent, &is_stale, err));
		r = &c->dust.dust.rules.ptr[rule]; /* the list of rules may have moved */
		if (*ret_sent) {
			r->saved.ptr[at] = r->saved.ptr[r->next];
			r->saved.ptr[r->next++] = page;
			r->sent++;
			r->under_way++;
			tally_of(c, r)->under_way++;
		} else if (is_stale) {
			r->saved.ptr[at] = r->saved.ptr[--r->saved.len];
		}
	}
	return 0;
}

/* Each value of a parameter is checked: one of them may select something. */
static int check_values(struct capture *c, uint32_t tally, struct err *err)
{
	struct dust *d = &c->dust.dust;

	for (size_t i = 0; i < d->tallies.ptr[tally].value_count; i++) {
		struct dust_value v = d->tallies.ptr[tally].values[i];
		bool sent = false, is_stale;

		if (v.is_sent || v.is_confirmed || v.page == DUST_NONE ||
			!is_used(&d->rules.ptr[v.rule]))
			continue;
		TRY(send(c, v.rule, v.page, &sent, &is_stale, err));
		d->tallies.ptr[tally].values[i].is_sent = sent;
		d->rules.ptr[v.rule].under_way += sent;
		d->tallies.ptr[tally].under_way += sent;
	}
	return 0;
}

/* Kinds that some pages may not keep. */
static bool may_have_more(const struct dust_rule *r)
{
	return is_used(r) && CHECKS[r->kind].first > 2;
}

/* The rule of which the smallest share of URLs was checked; DUST_NONE: all were. */
static uint32_t least_checked(const struct dust *d)
{
	uint32_t best = DUST_NONE;

	for (uint32_t i = 0; i < d->rules.len; i++) {
		const struct dust_rule *r = &d->rules.ptr[i], *b;

		if (!may_have_more(r) || r->next >= r->saved.len)
			continue;
		b = best == DUST_NONE ? NULL : &d->rules.ptr[best];
		if (!b || (uint64_t)r->sent * b->saved.len < (uint64_t)b->sent * r->saved.len)
			best = i;
	}
	return best;
}

/*
 * Checks beyond what rules need, as long as all of them together cost little of what the rules
 * save: they find pages that are different among many that are not.
 */
static int check_more(struct capture *c, struct err *err)
{
	const struct dust *d = &c->dust.dust;
	uint64_t percent = c->settings->single ? SPARE_PERCENT / 2 : SPARE_PERCENT, sent = 0,
		 saved = 0;
	bool may = true;

	for (size_t i = 0; i < d->rules.len; i++) {
		sent += d->rules.ptr[i].sent;
		saved += may_have_more(&d->rules.ptr[i]) ? d->rules.ptr[i].saved.len : 0;
	}
	while (may && 100 * (sent + 1) <= percent * saved) {
		uint32_t rule = least_checked(d);

		may = rule != DUST_NONE;
		if (may)
			TRY(check(c, rule, &may, err));
		sent++;
	}
	return 0;
}

int dust_check_due(struct capture *c, struct err *err)
{
	const struct dust *d = &c->dust.dust;

	if (c->dust.mode != CRAWL_DUST_APPLY || c->stage.cancelled)
		return 0;
	for (uint32_t i = 0; i < d->rules.len; i++) {
		bool sent = true;

		while (sent && wants_check(c, &d->rules.ptr[i]))
			TRY(check(c, i, &sent, err));
	}
	for (uint32_t i = 0; i < d->tallies.len; i++)
		TRY(check_values(c, i, err));
	TRY(check_more(c, err));
	return dust_store_rules(c, err);
}

/* ---- answers ---- */

/* The URL in the scratch shows what the page that stands for it shows. */
static int passes(struct capture *c, struct err *err)
{
	const struct dust_scratch *s = &c->lane->dust;

	for (size_t i = 0; i < s->rule_count; i++) {
		struct dust_rule *r = &c->dust.dust.rules.ptr[s->rules[i]];

		r->passed++;
		tally_of(c, r)->passed++;
		if (r->kind == DUST_PARAMETER)
			dust_confirm_value(tally_of(c, r),
				dust_hash(&c->dust.dust, dust_form_value(&s->form, r->detail)));
		if (r->state == DUST_TRIED && is_confirmed(c, r)) {
			r->state = DUST_HOLDS;
			r->changed = true;
		}
	}
	return dust_store_rules(c, err);
}

/* What a response shows; the form of its page is in the scratch, which is used. */
static int take_look(
	struct capture *c, const struct answer *a, struct dust_look *look, struct err *err)
{
	struct state_result again;

	look->status = (uint16_t)a->fetch->status;
	if (a->fetch->status >= 300 || !a->result->whole)
		return 0;
	a->reading->book = &c->book;
	TRY(reading_read(a->reading, a->fetch, READING_TEXT, &again, err));
	dust_look_take(c, a->reading, &again.payload, look);
	return 0;
}

static bool differ_by_print(const struct capture *c)
{
	const struct dust_scratch *s = &c->lane->dust;

	return s->form.traits[DUST_PRINT] != s->other_form.traits[DUST_PRINT];
}

/* Compares with the page that stands for it (*ret_standing); the look of the page is stored. */
static int judge(struct capture *c, const struct answer *a, enum dust_answer *ret,
	uint32_t *ret_standing, struct err *err)
{
	uint32_t page = a->request->order.page;
	unsigned status = a->fetch->status;
	struct dust_look look, standing;
	bool known = false;

	TRY(find_standing(c, page, ret_standing, &standing, err));
	*ret = DUST_UNKNOWN;
	if (*ret_standing == DUST_NONE || status == 0)
		return 0;
	TRY(dust_between(c, *ret_standing, &known, err));
	if (!known)
		return 0;
	if (status >= 300 && status < 400) {
		struct dust_scratch *s = &c->lane->dust;
		bool has = false;

		/* A redirect to the same form is an answer, too. */
		*ret = DUST_DISAGREES;
		if (!fetch_location(a, &s->link))
			return 0;
		TRY(err_code(
			err, dust_form_of(&c->dust.dust, &s->text, &s->link, &s->link_form, &has)));
		if (has && slice_eq(s->link_form.key, s->form.key))
			*ret = DUST_AGREES;
		return 0;
	}
	TRY(dust_look_read(c, page, &look, err));
	TRY(take_look(c, a, &look, err));
	TRY(dust_look_write(c, page, &look, err));
	TRY(dust_between(c, *ret_standing, &known, err)); /* the scratch was used */
	*ret = dust_compare(&look, &standing, differ_by_print(c));
	return 0;
}

static void end_check(struct capture *c, const struct request *r)
{
	struct dust *d = &c->dust.dust;

	if (r->order.attempt >= d->rules.len)
		return;
	d->rules.ptr[r->order.attempt].under_way--;
	tally_of(c, &d->rules.ptr[r->order.attempt])->under_way--;
}

int dust_answered(struct capture *c, const struct answer *a, struct err *err)
{
	uint32_t page = a->request->order.page;
	enum dust_answer answer;
	uint32_t standing;

	end_check(c, a->request);
	if (c->pages.list.ptr[page].left_out != LEFT_OUT_DUST)
		return 0;
	TRY(judge(c, a, &answer, &standing, err));
	if (answer == DUST_UNKNOWN)
		return 0;
	return answer == DUST_AGREES ? passes(c, err) : dust_doubt(c, page, standing, err);
}

int dust_dropped(
	struct capture *c, const struct request *r, enum drop_reason reason, struct err *err)
{
	(void)reason;
	(void)err;
	end_check(c, r);
	return 0;
}

/* ---- pages that show something else ---- */

/* The two differ for a reason that lasts: the rules between them do not hold. */
static int refuted(struct capture *c, uint32_t page, uint32_t standing, struct err *err)
{
	bool has, known = false;

	TRY(dust_form_of_page(c, page, &has, err));
	if (has)
		TRY(dust_between(c, standing, &known, err));
	if (known)
		TRY(dust_evidence(c, DUST_DISAGREES, err));
	return dust_store_rules(c, err);
}

int dust_doubt(struct capture *c, uint32_t page, uint32_t standing, struct err *err)
{
	struct dust_scratch *s = &c->lane->dust;
	struct request r = {
		.kind = REQUEST_DUST_DOUBT, .order = {.page = page, .attempt = standing}};
	bool has, sent = false;

	TRY(dust_form_of_page(c, standing, &has, err));
	TRY(may_ask(c, &s->url, &sent, err));
	if (sent)
		TRY(fetch_url(c, url_page(&s->url), &r, &sent, err));
	return sent ? 0 : refuted(c, page, standing, err);
}

int dust_doubt_answered(struct capture *c, const struct answer *a, struct err *err)
{
	uint32_t page = a->request->order.page, standing = a->request->order.attempt;
	struct dust_look now = {0}, then, look;
	bool has = false, known = false, is_print;

	TRY(dust_form_of_page(c, standing, &has, err));
	TRY(take_look(c, a, &now, err));
	TRY(dust_look_read(c, standing, &then, err));
	TRY(dust_look_read(c, page, &look, err));
	TRY(dust_form_of_page(c, page, &has, err));
	TRY(dust_between(c, standing, &known, err));
	if (!known)
		return 0;
	is_print = differ_by_print(c);
	if (dust_compare(&look, &now, is_print) == DUST_AGREES)
		return c->pages.list.ptr[page].left_out == LEFT_OUT_DUST
			       ? passes(c, err)
			       : dust_evidence(c, DUST_AGREES, err);
	return dust_compare(&now, &then, false) == DUST_DISAGREES
		       ? (c->pages.list.ptr[page].left_out == LEFT_OUT_DUST
					 ? dust_readmit(c, page,
						   "in: the page that it may repeat shows "
						   "something else each time",
						   err)
					 : 0)
		       : refuted(c, page, standing, err);
}

int dust_doubt_dropped(
	struct capture *c, const struct request *r, enum drop_reason reason, struct err *err)
{
	(void)reason;
	return refuted(c, r->order.page, r->order.attempt, err);
}

/* ---- before the visits end ---- */

/* All values of parameters by which the URL in the scratch differs were seen to change nothing. */
static int are_values_confirmed(struct capture *c, uint32_t standing, bool *ret, struct err *err)
{
	const struct dust_scratch *s = &c->lane->dust;

	TRY(dust_between(c, standing, ret, err));
	for (size_t i = 0; *ret && i < s->rule_count; i++) {
		const struct dust_rule *r = &c->dust.dust.rules.ptr[s->rules[i]];

		if (r->kind == DUST_PARAMETER)
			*ret = dust_value_is_confirmed(tally_of(c, r),
				dust_hash(&c->dust.dust, dust_form_value(&s->form, r->detail)));
	}
	return 0;
}

/* Pages whose class has no page that was captured are taken after all. */
static int readmit_orphans(struct capture *c, struct err *err)
{
	for (uint32_t i = 0; i < c->pages.list.len; i++) {
		struct dust_look look;
		uint32_t standing;
		bool is_saved = false;

		if (c->pages.list.ptr[i].left_out != LEFT_OUT_DUST)
			continue;
		TRY(lane_check_stop(c->lane, err));
		TRY(find_standing(c, i, &standing, &look, err));
		if (standing != DUST_NONE && is_good(&look))
			TRY(are_values_confirmed(c, standing, &is_saved, err));
		if (!is_saved)
			TRY(dust_readmit(
				c, i, "in: whether it repeats a page could not be confirmed", err));
	}
	return 0;
}

int dust_close(struct capture *c, struct err *err)
{
	if (c->dust.mode != CRAWL_DUST_APPLY || c->stage.cancelled)
		return 0;
	TRY(dust_check_due(c, err));
	if (c->requests.unplanned > 0)
		return 0;
	/* What was not confirmed is not used. */
	for (uint32_t i = 0; i < c->dust.dust.rules.len; i++) {
		const struct dust_rule *r = &c->dust.dust.rules.ptr[i];

		if (is_used(r) && !is_confirmed(c, r))
			TRY(dust_drop_rule(c, i, err));
	}
	return readmit_orphans(c, err);
}
