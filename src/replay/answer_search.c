/*
 * /NAME/search?q=WORDS[&at=TIME][&skip=N][&limit=N][&output=json]: the pages of a collection that
 * have these words, as of one instant.
 */
#include <inttypes.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/parse.h"
#include "formats/url.h"
#include "replay/answers.h"
#include "replay/our_page.h"
#include "replay/search.h"
#include "report/html.h"
#include "text/text_search.h"

enum { AT_MAX = 64, NUMBER_MAX = 20, SKIP_MAX = 10000 };

/* What was asked; texts live in the bufs. */
struct question {
	struct buf words, at;
	struct search_params params;
	bool json;
};

/* ---- reading ---- */

static int read_number(
	struct asked *a, const char *name, uint64_t max, uint64_t *number, struct err *err)
{
	struct buf text;
	bool given;
	int rc;

	buf_init(&text, NUMBER_MAX);
	rc = parameter_get(a->route.query, slice_str(name), &text, &given);
	if (rc == ERR_LIMIT ||
		(rc == 0 && given && (parse_u64(buf_slice(&text), number) || *number > max)))
		rc = err_set(
			err, ERR_USAGE, "%s is a number up to %llu", name, (unsigned long long)max);
	buf_release(&text);
	return err_code(err, rc);
}

static int read_texts(struct asked *a, struct question *q, struct err *err)
{
	struct buf output;
	bool given;
	int rc = parameter_get(a->route.query, SLICE("q"), &q->words, &given);

	if (rc == ERR_LIMIT)
		return err_set(
			err, ERR_USAGE, "the search has more than %d bytes", (int)TEXT_QUERY_MAX);
	if (rc == 0)
		rc = parameter_get(a->route.query, SLICE("at"), &q->at, &given);
	if (rc)
		return rc == ERR_LIMIT ? err_set(err, ERR_USAGE, "at is no time")
				       : err_code(err, rc);
	buf_init(&output, NUMBER_MAX);
	rc = parameter_get(a->route.query, SLICE("output"), &output, &given);
	q->json = slice_eq(buf_slice(&output), SLICE("json"));
	if (rc == ERR_LIMIT || (given && !q->json && !slice_eq(buf_slice(&output), SLICE("html"))))
		rc = err_set(err, ERR_USAGE, "output is html or json");
	buf_release(&output);
	return err_code(err, rc);
}

static int read_question(struct asked *a, struct question *q, struct err *err)
{
	int rc = read_texts(a, q, err);

	if (rc == 0)
		rc = read_number(a, "skip", SKIP_MAX, &q->params.skip, err);
	if (rc == 0)
		rc = read_number(a, "limit", SEARCH_LIMIT_MAX, &q->params.limit, err);
	q->params.words = buf_slice(&q->words);
	q->params.at = buf_slice(&q->at);
	return rc;
}

/* ---- JSON ---- */

static const char *ground_name(enum choice_ground ground)
{
	return ground == CHOICE_PROVEN     ? "proven"
	       : ground == CHOICE_ASSERTED ? "asserted"
					   : "nearest";
}

/* A snippet without its marks. */
static void put_plain(struct json *j, slice snippet)
{
	struct buf plain;

	buf_init(&plain, TEXT_SNIPPET_MAX);
	for (size_t i = 0; i < snippet.len; i++)
		if (snippet.ptr[i] != TEXT_MARK_BEGIN && snippet.ptr[i] != TEXT_MARK_END)
			(void)buf_add_char(&plain, snippet.ptr[i]);
	json_text(j, "snippet", plain.len ? buf_slice(&plain) : SLICE(""));
	buf_release(&plain);
}

void search_print_json(const struct search_result *r, slice words, struct json *j)
{
	char time[CLOCK_TEXT_SIZE];

	clock_format(r->time, CLOCK_ROUND_DOWN, time);
	json_document_begin(j);
	json_text(j, "query", words);
	json_put_string(j, "at", time);
	json_put_bool(j, "stillpoint", r->at_still_point);
	json_put_bool(j, "more", r->more);
	json_key(j, "pages");
	json_array_begin(j);
	for (size_t i = 0; i < r->hits.len; i++) {
		const struct search_hit *hit = &r->hits.ptr[i];

		clock_format(hit->seen, CLOCK_ROUND_DOWN, time);
		json_object_begin(j);
		json_text(j, "url", hit->url);
		json_text(j, "title", hit->title.len ? hit->title : (slice){0});
		json_put_string(j, "memento", time);
		json_put_string(j, "timestamp", hit->digits);
		json_put_string(j, "ground", ground_name(hit->ground));
		put_plain(j, hit->snippet);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

static void answer_json(struct asked *a, const struct question *q, const struct search_result *r)
{
	struct json j;

	json_init_buf(&j, &a->response->body, JSON_LINES);
	search_print_json(r, q->params.words, &j);
	if (json_finish(&j)) {
		buf_reset(&a->response->body);
		answer_error(a, STATUS_ERROR, "out of memory");
		return;
	}
	a->response->status = STATUS_OK;
	answer_header(a, "Content-Type", "application/json");
}

/* ---- a page ---- */

static void put_snippet(FILE *file, slice snippet)
{
	while (snippet.len) {
		slice before = slice_take(&snippet, TEXT_MARK_BEGIN), word;

		html_text(file, before);
		if (snippet.len == 0)
			break;
		word = slice_take(&snippet, TEXT_MARK_END);
		(void)fputs("<mark>", file);
		html_text(file, word);
		(void)fputs("</mark>", file);
	}
}

/* The link leads to T where the page is proven or asserted then, as the TimeGate does. */
static void put_hit(FILE *file, const struct asked *a, const struct search_hit *hit)
{
	const char *digits = hit->ground == CHOICE_NEAREST ? hit->digits : hit->at;
	char shown[SHOWN_TIME_SIZE];

	shown_time(slice_str(hit->digits), shown);
	(void)fputs("<li>", file);
	put_memento_link(file, a, digits, hit->url, hit->title.len ? hit->title : hit->url);
	(void)fputs("<br><span class=\"quiet url\">", file);
	html_text(file, hit->url);
	(void)fprintf(file, " · %s, seen %s</span><br>", ground_name(hit->ground), shown);
	put_snippet(file, hit->snippet);
	(void)fputs("</li>\n", file);
}

static void put_time(FILE *file, const struct search_result *r)
{
	char shown[SHOWN_TIME_SIZE];

	shown_time(slice_str(r->digits), shown);
	(void)fprintf(file, "<p class=\"quiet\">As of %s%s.</p>\n", shown,
		r->at_still_point ? ", the newest still point" : "");
}

static void put_more(
	FILE *file, const struct asked *a, const struct question *q, const struct search_result *r)
{
	if (!r->more || r->hits.len == 0)
		return;
	(void)fputs("<form action=\"", file);
	put_collection_path(file, a->collection);
	(void)fputs("search\"><input type=\"hidden\" name=\"q\" value=\"", file);
	html_text(file, q->params.words);
	(void)fprintf(file,
		"\"><input type=\"hidden\" name=\"at\" value=\"%s\">"
		"<input type=\"hidden\" name=\"skip\" "
		"value=\"%" PRIu64 "\"><button>More</button></form>\n",
		r->digits, q->params.skip + r->hits.len);
}

static void answer_page(struct asked *a, const struct question *q, const struct search_result *r)
{
	struct our_page p;

	if (!our_page_begin(&p, a, q->params.words, OUR_PAGE))
		return;
	put_crumbs(p.file, a);
	(void)fputs("<h1>Search</h1>\n", p.file);
	put_search_box(p.file, a, q->params.words, q->params.at);
	put_time(p.file, r);
	if (r->hits.len == 0)
		(void)fputs("<p>No page has all these words then.</p>\n", p.file);
	(void)fprintf(p.file, "<ol class=\"hits\" start=\"%" PRIu64 "\">\n", q->params.skip + 1);
	for (size_t i = 0; i < r->hits.len; i++)
		put_hit(p.file, a, &r->hits.ptr[i]);
	(void)fputs("</ol>\n", p.file);
	put_more(p.file, a, q, r);
	our_page_send(&p, a, STATUS_OK);
}

void answer_search(struct asked *a)
{
	struct question q = {.params = {.limit = SEARCH_LIMIT,
				     .window = a->replay->window_ns,
				     .work = a->request->work}};
	struct search_result result;
	struct err err = {0};
	int rc;

	if (!asked_is_read(a))
		return;
	buf_init(&q.words, TEXT_QUERY_MAX);
	buf_init(&q.at, AT_MAX);
	rc = read_question(a, &q, &err);
	if (rc) {
		answer_failure(a, &err);
	} else {
		rc = search_run(a->collection, &q.params, &result, &err);
		if (rc == ERR_NOTFOUND)
			answer_error(a, STATUS_NOT_FOUND,
				"this collection has no full text index: 'stillpoint index' with "
				"--text writes it");
		else if (rc)
			answer_failure(a, &err);
		else if (q.json)
			answer_json(a, &q, &result);
		else
			answer_page(a, &q, &result);
		search_result_release(&result);
	}
	buf_release(&q.words);
	buf_release(&q.at);
}
