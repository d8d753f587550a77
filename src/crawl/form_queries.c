#include "crawl/form_queries.h"

#include <string.h>

#include "base/hash.h"
#include "base/word.h"
#include "crawl/capture.h"
#include "formats/page.h"
#include "proof/look.h"
#include "warc/warc_request.h"

enum {
	TRIES_MAX = 4096,    /* values that are known already, one after the other */
	LINES_IDLE = 1,      /* new lines that say no more than that there is nothing */
	SHOWN_LINE_MIN = 16, /* bytes of a line that tells answers apart */
};

/* Constant: compared within one process, but tests want the same ones. */
static const struct hash_key KEY = {0x5354494c4c504f49, 0x4e542d464f524d53};

bool form_queries_are_on(const struct capture *c)
{
	return c->settings->forms > 0;
}

void form_queries_release(struct form_queries *q)
{
	forms_release(&q->kept);
	known_form_vec_release(&q->list);
	templates_release(&q->templates);
	vocabulary_release(&q->words);
	hash_vec_release(&q->shown);
	role_vec_release(&q->roles);
	*q = (struct form_queries){0};
}

/* ---- roles of pages ---- */

static enum form_role role_of(const struct form_queries *q, uint32_t page)
{
	return page < q->roles.len ? (enum form_role)q->roles.ptr[page] : FORM_ROLE_NONE;
}

static void set_role(struct form_queries *q, uint32_t page, enum form_role role)
{
	while (q->roles.len <= page)
		role_vec_push(&q->roles, FORM_ROLE_NONE);
	q->roles.ptr[page] = (uint8_t)role;
}

static slice before_query(slice url)
{
	return url.len ? slice_take(&url, '?') : url;
}

/* Results lead to further results under the same path. */
static int has_same_path(struct capture *c, uint32_t page, uint32_t via, bool *ret, struct err *err)
{
	BUF_SCOPED(b, URL_MAX);
	BUF_SCOPED(a, URL_MAX);

	TRY(pages_url(&c->pages, page, &a, err));
	TRY(pages_url(&c->pages, via, &b, err));
	*ret = slice_eq(before_query(buf_slice(&a)), before_query(buf_slice(&b)));
	return 0;
}

int form_queries_want(struct capture *c, const struct arrival *p, bool *ret_text, struct err *err)
{
	bool gathers = form_queries_are_on(c) && p->order->leg == PLAN_VISIT;

	(void)err;
	p->reading->gathers_forms = gathers;
	*ret_text = *ret_text || gathers;
	return 0;
}

int form_queries_found(struct capture *c, uint32_t page, const struct url *url, struct err *err)
{
	struct form_queries *q = &c->forms;
	const struct crawl_page *p = &c->pages.list.ptr[page];
	bool same;

	(void)url;
	if (!form_queries_are_on(c) || !p->taken || page_kind_is_requisite(p->kind))
		return 0;
	if (p->kind == LINK_FORM) {
		q->queries++;
		set_role(q, page, FORM_ROLE_RESULTS);
		return 0;
	}
	if (p->via == CATALOG_NO_PAGE || role_of(q, p->via) != FORM_ROLE_RESULTS)
		return 0;
	TRY(has_same_path(c, page, p->via, &same, err));
	q->now.pages += !same;
	q->has_records = q->has_records || !same;
	set_role(q, page, same ? FORM_ROLE_RESULTS : FORM_ROLE_RECORD);
	return 0;
}

/* ---- forms of a page ---- */

static bool is_known(const struct form_queries *q, uint64_t signature)
{
	for (size_t i = 0; i < q->list.len; i++)
		if (q->list.ptr[i].signature == signature)
			return true;
	return false;
}

static bool takes_words(enum form_sense sense)
{
	return sense == FORM_SENSE_WORDS || sense == FORM_SENSE_CODE || sense == FORM_SENSE_YEAR;
}

/* It is set together with the field that the range begins with. */
static bool is_range_end(const struct forms *f, uint32_t field)
{
	for (uint32_t i = 0; i < field; i++)
		if (f->fields.ptr[i].form == f->fields.ptr[field].form &&
			form_range_end(f, i) == field)
			return true;
	return false;
}

/* Fields of words first: they reach most. */
static void add_templates(struct form_queries *q, uint32_t form, bool of_words)
{
	const struct forms *f = &q->kept;

	for (uint32_t i = 0; i < f->fields.len; i++) {
		const struct form_field *field = &f->fields.ptr[i];
		enum form_sense sense = form_sense_of(f, field);
		struct template_fields of = {.form = form, .first = i, .second = TEMPLATE_NO_FIELD};

		if (field->form != form || sense == FORM_SENSE_NONE ||
			takes_words(sense) != of_words || is_range_end(f, i))
			continue;
		of.values = of_words ? 0 : form_value_count(f, field);
		templates_add(&q->templates, &of, !of_words);
	}
}

static int keep_form(struct form_queries *q, const struct forms *f, uint32_t form,
	const struct known_form *known)
{
	struct known_form kept = *known;
	uint32_t number = (uint32_t)q->list.len;

	TRY(forms_keep(&q->kept, f, form));
	kept.action.ptr = arena_strdup(&q->kept.arena, known->action);
	TRY(kept.action.ptr ? known_form_vec_push(&q->list, kept) : ERR_LIMIT);
	add_templates(q, number, true);
	add_templates(q, number, false);
	return 0;
}

/* Where a form leads; GET replaces the query. False: nowhere it may. */
static bool find_action(const struct form *form, const struct url *base, const struct url *document,
	struct url *ret, slice *ret_action)
{
	slice action = word_trim(form->action), url;
	bool good =
		action.len ? url_parse(ret, action, base, NULL) == 0 : url_copy(ret, document) == 0;

	if (!good || !url_is_http(ret) || form_action_has_effect(url_part(ret, ret->path)) ||
		(form->is_post && form_action_has_effect(url_part(ret, ret->query))))
		return false;
	url = url_page(ret);
	*ret_action = form->is_post ? url : before_query(url);
	return url.ptr && url.len && !memmem(url.ptr, url.len, "__wb_", strlen("__wb_"));
}

static int take_form(struct form_queries *q, const struct forms *f, uint32_t page, uint32_t form,
	const struct url *base, const struct url *document)
{
	struct known_form known = {.page = page, .slot = (uint32_t)q->list.len};
	URL_SCOPED(url);
	int rc = 0;

	if (q->list.len >= FORM_QUERIES_FORMS_MAX || form_refuse(f, form))
		return 0;
	if (find_action(&f->list.ptr[form], base, document, &url, &known.action)) {
		uint64_t sum = hash_bytes(KEY, known.action) + f->list.ptr[form].is_post;

		/* What tells forms apart: where they lead and what they send, not what stands in
		 * their fields. */
		for (size_t i = 0; i < f->fields.len; i++)
			if (f->fields.ptr[i].form == form)
				sum = sum * 31 + hash_bytes(KEY, f->fields.ptr[i].name);
		known.signature = sum;
		if (!is_known(q, known.signature))
			rc = keep_form(q, f, form, &known);
	}
	return rc == ERR_LIMIT ? 0 : rc;
}

/* ---- what pages show ---- */

/* The value of the query that was sent last. */
static slice asked_value(const struct form_queries *q)
{
	return q->now.is_open ? (slice){q->now.asked, q->now.asked_len} : (slice){0};
}

static int note_shown(struct form_queries *q, slice text)
{
	uint64_t hash;
	uint64_t sum = 0;
	slice word = asked_value(q);

	while (text.len) {
		slice line = slice_take(&text, '\n');

		if (line.len >= SHOWN_LINE_MIN &&
			(!word.len || !memmem(line.ptr, line.len, word.ptr, word.len)))
			sum += hash_bytes(KEY, line);
	}
	hash = sum;
	for (size_t i = 0; i < q->shown.len; i++)
		if (q->shown.ptr[i] == hash)
			return 0;
	q->now.is_informative = true;
	if (q->shown.len < FORM_QUERIES_SHOWN_MAX)
		hash_vec_push(&q->shown, hash);
	return 0;
}

/* Where results lead to the records' own pages, these say more than the results. */
static enum vocabulary_source source_of(const struct form_queries *q, enum form_role role)
{
	if (role == FORM_ROLE_RECORD)
		return VOCABULARY_RECORD;
	return role == FORM_ROLE_RESULTS && !q->has_records ? VOCABULARY_RESULTS : VOCABULARY_SITE;
}

/* The page that the reading holds. */
static int take_page(
	struct form_queries *q, const struct reading *r, uint32_t page, const struct url *document)
{
	slice text = buf_slice(&r->text.text);
	enum form_role role = role_of(q, page);
	URL_SCOPED(base);
	size_t lines;

	if (!q->is_begun) {
		forms_init(&q->kept);
		vocabulary_init(&q->words, KEY);
		q->is_begun = true;
	}
	lines = vocabulary_read(&q->words, text, source_of(q, role), asked_value(q));
	if (role == FORM_ROLE_RESULTS)
		q->now.lines += (uint32_t)lines;
	if (q->now.is_open && page == q->now.page)
		TRY(note_shown(q, text));
	if (r->text.robots_flags & TEXT_NOFOLLOW)
		return 0;
	if (!r->links.has_base || url_parse(&base, r->links.base, document, NULL))
		TRY(url_copy(&base, document));
	for (uint32_t i = 0; i < r->forms.list.len; i++)
		TRY(take_form(q, &r->forms, page, i, &base, document));
	return 0;
}

/* X-Robots-Tag, as the meta of that name. */
static bool head_forbids(const struct reading *r)
{
	slice value = reading_field(r, SLICE("x-robots-tag"));

	return value.len && memmem(value.ptr, value.len, "nofollow", strlen("nofollow"));
}

int form_queries_read(struct capture *c, const struct plan_order *order, struct reading *reading,
	const struct net_fetch *f, struct err *err)
{
	URL_SCOPED(document);

	if (!form_queries_are_on(c) || order->leg != PLAN_VISIT || f->status < 200 ||
		f->status >= 300)
		return 0;
	if (head_forbids(reading))
		forms_reset(&reading->forms);
	TRY(url_parse(&document, f->url, NULL, err));
	return err_code(err, take_page(&c->forms, reading, order->page, &document));
}

/* ---- choosing ---- */

/* What the last query gave. */
static void conclude(struct form_queries *q)
{
	struct open_query *now = &q->now;
	double lines = now->lines > LINES_IDLE ? now->lines : 0;
	double gain = q->has_records ? now->pages : lines;
	struct known_form *form;

	if (!now->is_open)
		return;
	form = &q->list.ptr[q->templates.list.ptr[now->template].of.form];
	templates_answered(&q->templates, now->template, gain, now->is_informative && gain > 0);
	if (gain <= 0 && now->term >= 0) {
		vocabulary_failed(&q->words, (uint32_t)now->term);
		if (!form->tried_plain)
			templates_add(&q->templates,
				&(struct template_fields){.form = (uint32_t)(form - q->list.ptr),
					.first = TEMPLATE_NO_FIELD,
					.second = TEMPLATE_NO_FIELD,
					.values = 1},
				true);
		form->tried_plain = true;
	}
	*now = (struct open_query){.term = -1};
}

/* What is filled in. */
struct filling {
	struct form_binding bindings[3];
	size_t count;
	char texts[3][FORM_VALUE_SIZE];
	int64_t term;
	bool is_empty; /* a choice that chooses nothing */
};

static void bind(
	struct filling *x, const struct forms *f, uint32_t field, uint32_t value, int64_t today)
{
	slice text = form_value(f, &f->fields.ptr[field], value, today, x->texts[x->count]);

	x->is_empty = x->is_empty || text.len == 0;
	x->bindings[x->count++] = (struct form_binding){field, text};
}

/* A choice, date or number; of a range both ends. */
static void bind_value(
	struct filling *x, const struct forms *f, uint32_t field, uint32_t value, int64_t today)
{
	uint32_t end = form_range_end(f, field);
	uint32_t count = form_value_count(f, &f->fields.ptr[field]);

	bind(x, f, field, value, today);
	if (end != FORM_NONE && x->count < 3)
		bind(x, f, end, value + 1 < count ? value + 1 : value, today);
}

/* Fills in the next value of a template; false when there is none. */
static bool fill_in(struct filling *x, const struct form_queries *q, uint32_t number, int64_t today)
{
	const struct query_template *t = &q->templates.list.ptr[number];
	const struct template_fields *of = &t->of;

	*x = (struct filling){.term = -1};
	if (of->first == TEMPLATE_NO_FIELD)
		return true;
	if (of->values == 0) {
		uint32_t field = (uint32_t)of->first;
		static const enum vocabulary_class CLASSES[] = {
			[FORM_SENSE_WORDS] = VOCABULARY_WORDS,
			[FORM_SENSE_CODE] = VOCABULARY_CODES,
			[FORM_SENSE_YEAR] = VOCABULARY_YEARS,
		};
		enum form_sense sense = form_sense_of(&q->kept, &q->kept.fields.ptr[field]);
		uint32_t term;

		if (!vocabulary_next(&q->words, CLASSES[sense],
			    q->list.ptr[of->form].slot % VOCABULARY_SLOTS, &term))
			return false;
		x->term = term;
		x->bindings[x->count++] =
			(struct form_binding){field, vocabulary_word(&q->words, term)};
		return true;
	}
	bind_value(x, &q->kept, (uint32_t)of->first, t->next % of->values, today);
	if (of->second != TEMPLATE_NO_FIELD)
		bind_value(x, &q->kept, (uint32_t)of->second, t->next / of->values, today);
	return true;
}

/* The URL of the page that answers. 0, ERR_LIMIT, ERR_NOMEM, ERR_SYNTAX. */
static int make_url(
	const struct form_queries *q, uint32_t form, const struct filling *x, struct url *ret)
{
	BUF_SCOPED(url, URL_MAX);
	BUF_SCOPED(sent, FORM_SENT_MAX);

	TRY(form_submit(&q->kept, form, x->bindings, x->count, &sent));
	if (q->kept.list.ptr[form].is_post) {
		TRY(post_query_join(&url, q->list.ptr[form].action, buf_slice(&sent)));
	} else {
		TRY(buf_printf(&url, "%.*s?", (int)q->list.ptr[form].action.len,
			q->list.ptr[form].action.ptr));
		TRY(buf_add(&url, buf_slice(&sent)));
	}
	return url_parse(ret, buf_slice(&url), NULL, NULL);
}

/* Discovers the page that answers; *ret_sent: it is new, and will be asked for. */
static int send(struct capture *c, uint32_t template, const struct filling *x, bool *ret_sent,
	struct err *err)
{
	struct form_queries *q = &c->forms;
	uint32_t form = q->templates.list.ptr[template].of.form, number;
	size_t before = c->pages.list.len;
	URL_SCOPED(url);
	int rc;

	*ret_sent = false;
	rc = make_url(q, form, x, &url);
	if (rc == 0)
		rc = discover(c,
			&(struct found){.url = &url,
				.how = "form",
				.via = q->list.ptr[form].page,
				.kind = LINK_FORM},
			err);
	else if (rc == ERR_NOMEM)
		return err_code(err, rc);
	else
		templates_end_form(&q->templates, form);
	if (rc == 0 && c->pages.list.len > before &&
		pages_find(&c->pages, url_page(&url), &number)) {
		*ret_sent = c->pages.list.ptr[number].taken;
		q->now.page = number;
		if (!*ret_sent) /* the scope, robots.txt or a limit refuses it */
			templates_end_form(&q->templates, form);
	}
	return rc == ERR_LIMIT || rc == ERR_SYNTAX ? 0 : rc;
}

/* One value of a template is used. */
static int try_template(
	struct capture *c, uint32_t number, int64_t today, bool *ret_sent, struct err *err)
{
	struct form_queries *q = &c->forms;
	uint32_t form = q->templates.list.ptr[number].of.form;
	struct filling x;

	*ret_sent = false;
	if (!fill_in(&x, q, number, today)) {
		templates_end(&q->templates, number);
		return 0;
	}
	if (x.term >= 0)
		vocabulary_ask(
			&q->words, (uint32_t)x.term, q->list.ptr[form].slot % VOCABULARY_SLOTS);
	templates_advance(&q->templates, number);
	if (x.is_empty)
		return 0;
	TRY(send(c, number, &x, ret_sent, err));
	if (*ret_sent) {
		q->now.is_open = true;
		q->now.template = number;
		q->now.term = x.term;
		q->now.asked_len = 0;
		if (x.count && x.bindings[0].value.len <= sizeof q->now.asked) {
			q->now.asked_len = x.bindings[0].value.len;
			memcpy(q->now.asked, x.bindings[0].value.ptr, q->now.asked_len);
		}
	}
	return 0;
}

int form_queries_next(struct capture *c, struct err *err)
{
	int64_t today = clock_realtime(c->clock) / CLOCK_NS_PER_SECOND / (24 * 3600);
	struct form_queries *q = &c->forms;
	bool sent = false, any = true;
	uint32_t number;

	if (!form_queries_are_on(c) || !q->is_begun || c->stage.cancelled || c->stage.visits_ended)
		return 0;
	conclude(q);
	for (unsigned i = 0; !sent && any && i < TRIES_MAX && q->queries < c->settings->forms;
		i++) {
		any = templates_next(&q->templates, &number);
		if (any)
			TRY(try_template(c, number, today, &sent, err));
	}
	return 0;
}

/* ---- after a crash ---- */

struct restoring {
	struct capture *c;
	struct look_source from;
	struct buf url;
	struct err *err;
};

/* Reads a body as reading_read does. */
static int parse(struct reading *r, const struct look *look)
{
	int rc;

	links_reset(&r->links);
	forms_reset(&r->forms);
	page_text_release(&r->text);
	page_text_init(&r->text);
	page_open(r->page, &(struct page_params){.content_type = buf_slice(&look->media_type),
				   .links = &r->links,
				   .text = &r->text,
				   .forms = &r->forms});
	rc = page_feed(r->page, buf_slice(&look->body));
	if (rc == 0)
		rc = page_finish(r->page);
	page_close(r->page);
	return rc;
}

static int restore_page(struct restoring *r, const struct look *look, uint32_t page)
{
	URL_SCOPED(document);
	slice target, post;

	TRY(err_code(r->err, parse(&r->c->lane->reading, look)));
	TRY(err_code(r->err, pages_url(&r->c->pages, page, &r->url, r->err)));
	TRY(err_code(r->err,
		url_parse(&document,
			pages_is_post(&r->c->pages, page, buf_slice(&r->url), &target, &post)
				? target
				: buf_slice(&r->url),
			NULL, r->err)));
	return err_code(r->err, take_page(&r->c->forms, &r->c->lane->reading, page, &document));
}

/* Bodies of revisit records were read already, as those of other pages. */
static int on_observation(void *context, const struct attempt *a)
{
	struct restoring *r = context;
	struct look look = {0};
	struct err ignored = {0};
	bool is_first = a->leg == ATTEMPT_VISIT || (a->leg == ATTEMPT_LOOK && a->number == 1);
	int rc;

	if (!is_first || a->page >= r->c->pages.list.len || !a->has_payload || a->is_revisit ||
		a->is_compact || a->status < 200 || a->status >= 300 ||
		page_format_of(a->media_type) == PAGE_OPAQUE)
		return 0;
	rc = lane_check_stop(r->c->lane, r->err);
	if (rc)
		return rc;
	rc = look_read(&look, &r->from, a, &ignored);
	if (rc == 0)
		rc = restore_page(r, &look, a->page);
	else if (rc != ERR_NOMEM)
		rc = 0; /* what cannot be read gives neither forms nor words */
	look_release(&look);
	return err_code(r->err, rc);
}

int form_queries_restore(struct capture *c, struct catalog *catalog, struct err *err)
{
	struct restoring r = {.c = c,
		.from = {.warc_dir = c->lane->directory->warc, .catalog = catalog},
		.err = err};
	int rc;

	if (!form_queries_are_on(c) || c->stage.marked)
		return 0;
	buf_init(&r.url, URL_MAX);
	rc = catalog_each_observation(catalog, c->row.id, on_observation, &r, err);
	buf_release(&r.url);
	return rc;
}
