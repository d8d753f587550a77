/*
 * /NAME/TIMESTAMP/URL: the banner, and the archived page in a frame of the content origin. What the
 * banner says of the page alone is written here; the script (web/src/viewer) adds the resources.
 */
#include "base/clock.h"
#include "replay/answers.h"
#include "replay/our_page.h"
#include "replay/still_points.h"
#include "report/html.h"

/* No windows, no navigation of the page around it: both go through that page's script. */
#define FRAME_SANDBOX                                                               \
	"allow-scripts allow-same-origin allow-forms allow-modals allow-downloads " \
	"allow-pointer-lock allow-orientation-lock allow-presentation"

enum { ADDRESS_MAX = 128 << 10, WHAT_SIZE = 60 };

/*
 * "This page is proven to have been like this at …", or missing: no page shows that. As
 * web/src/viewer/words.ts says it.
 */
static void put_sentence(
	FILE *file, const struct found *found, const struct timestamp *time, const char *asked)
{
	const struct memento *m = found->memento;
	char seen[SHOWN_TIME_SIZE], what[WHAT_SIZE];

	shown_time(slice_str(m->digits), seen);
	if (memento_is_missing(m))
		(void)snprintf(what, sizeof what, "missing (its server answered %u)", m->status);
	else if (m->status >= STATUS_BAD_REQUEST)
		(void)snprintf(what, sizeof what, "an error (its server answered %u)", m->status);
	else
		(void)snprintf(what, sizeof what, "like this");
	switch (found->ground) {
	case CHOICE_PROVEN:
		(void)fprintf(file, "This page is proven to have been %s at %s.", what, asked);
		return;
	case CHOICE_ASSERTED:
		(void)fprintf(file,
			"This page was %s when it was seen at %s. Its server said that it was so "
			"at %s; nothing proves it.",
			what, seen, asked);
		return;
	case CHOICE_NEAREST:
		break;
	}
	(void)fprintf(file, "This page was %s when it was seen at %s; ", what, seen);
	if (m->seen >= time->first && m->seen <= time->last)
		(void)fputs("no second look proves it.", file);
	else
		(void)fprintf(file, "whether it was so at %s is not proven.", asked);
}

static size_t number_of(const struct found *found)
{
	return (size_t)(found->memento - found->mementos.list.ptr);
}

/* ---- a page that vanished ---- */

static bool is_there(const struct memento *m, const struct memento *of)
{
	return m->status && m->status < STATUS_BAD_REQUEST && slice_eq(m->url, of->url);
}

/* The look before it that found the page; behind it, if there is none; NULL for neither. */
static const struct memento *version_near(const struct found *found)
{
	const struct memento_vec *list = &found->mementos.list;
	size_t at = number_of(found);

	for (size_t i = at; i > 0; i--)
		if (is_there(&list->ptr[i - 1], found->memento))
			return &list->ptr[i - 1];
	for (size_t i = at + 1; i < list->len; i++)
		if (is_there(&list->ptr[i], found->memento))
			return &list->ptr[i];
	return NULL;
}

/* The first look of those up to this one that found it missing, all of them. */
static const struct memento *missing_since(const struct found *found)
{
	const struct memento_vec *list = &found->mementos.list;
	const struct memento *first = found->memento;

	for (size_t i = number_of(found); i > 0; i--) {
		const struct memento *m = &list->ptr[i - 1];

		if (is_there(m, found->memento))
			break;
		if (memento_is_missing(m) && slice_eq(m->url, found->memento->url))
			first = m;
	}
	return first;
}

static void put_vanished(FILE *file, const struct asked *a, const struct found *found,
	const struct still_points *points)
{
	const struct memento *version = version_near(found), *since = missing_since(found);
	char shown[SHOWN_TIME_SIZE], digits[TIMESTAMP_SIZE];

	if (!memento_is_missing(found->memento))
		return;
	shown_time(slice_str(since->digits), shown);
	(void)fprintf(
		file, "<p id=\"vanished\">The first look that found it missing was at %s.", shown);
	if (version) {
		if (!still_points_prove(points, version, digits))
			(void)snprintf(digits, sizeof digits, "%s", version->digits);
		shown_time(slice_str(version->digits), shown);
		(void)fputs(version < found->memento ? " It was last seen at "
						     : " It was seen later, at ",
			file);
		put_memento_link(file, a, digits, version->url, slice_str(shown));
		(void)fputs(".</p>\n", file);
	} else {
		(void)fputs(" It was never seen otherwise.</p>\n", file);
	}
}

/* The same version is proven, but not for the time that was asked for. */
static void put_offer(
	FILE *file, const struct asked *a, const struct found *found, const char *proven)
{
	char shown[SHOWN_TIME_SIZE];

	if (!proven[0] || found->ground == CHOICE_PROVEN)
		return;
	shown_time(slice_str(proven), shown);
	(void)fputs("<p id=\"offer\">It is proven at ", file);
	put_memento_link(file, a, proven, a->page, slice_str(shown));
	(void)fputs(".</p>\n", file);
}

static void put_step(FILE *file, const struct asked *a, const struct memento *m, const char *text)
{
	if (m)
		put_memento_link(file, a, m->digits, m->url, slice_str(text));
	else
		(void)fprintf(file, "<span class=\"quiet\">%s</span>", text);
}

/* To the memento before, the one behind, the still point, and all of them. */
static void put_steps(FILE *file, const struct asked *a, const struct found *found,
	const struct still_points *points, const char *proven)
{
	const struct memento_vec *list = &found->mementos.list;
	size_t at = number_of(found);
	char digits[TIMESTAMP_SIZE];
	const struct still_point_row *row =
		still_points_nearest(points, a->page, a->route.time.last);

	(void)fputs("<nav aria-label=\"Times\">", file);
	put_step(file, a, at > 0 ? &list->ptr[at - 1] : NULL, "← earlier");
	put_step(file, a, at + 1 < list->len ? &list->ptr[at + 1] : NULL, "later →");
	if (proven[0])
		(void)snprintf(digits, sizeof digits, "%s", proven);
	if (proven[0] || (row && still_point_digits(row, digits)))
		put_memento_link(file, a, digits, a->page,
			still_points_has(points, slice_str(digits)) ? SLICE("still point")
								    : SLICE("where it is proven"));
	put_memento_link(file, a, NULL, a->page, SLICE("all times"));
	(void)fputs("</nav>\n", file);
}

/* A word of a command line that can be copied into a shell, whatever is in it. */
static void put_shell_word(FILE *file, slice word)
{
	(void)fputs("'", file);
	while (word.len > 0) {
		const char *quote = memchr(word.ptr, '\'', word.len);
		size_t len = quote ? (size_t)(quote - word.ptr) : word.len;

		html_text(file, slice_sub(word, 0, len));
		if (quote)
			(void)fputs("'\\''", file);
		word = slice_sub(word, len + (quote != NULL), word.len);
	}
	(void)fputs("'", file);
}

static void put_resources(FILE *file, const struct asked *a)
{
	(void)fputs("<details id=\"resources\" hidden><summary>Why: the page and its resources"
		    "</summary>\n<table><thead><tr><th>URL</th><th>Seen</th><th>What is known"
		    "</th></tr></thead><tbody></tbody></table>\n",
		file);
	if (a->collection->is_archive) {
		(void)fputs("<p>More about the page: <code>stillpoint report ", file);
		/* Its name alone: where the server keeps it is not for everybody. */
		put_shell_word(file, slice_base_name(slice_str(a->collection->path)));
		(void)fputs(" --why ", file);
		put_shell_word(file, a->page);
		(void)fputs("</code></p>\n", file);
	}
	(void)fputs("</details>\n", file);
}

static void put_frame(FILE *file, const struct asked *a)
{
	char digits[TIMESTAMP_SIZE];
	struct buf address;

	buf_init(&address, ADDRESS_MAX);
	(void)snprintf(
		digits, sizeof digits, "%.*s", (int)a->route.digits.len, a->route.digits.ptr);
	add_memento_address(&address, a->content, a->collection, digits, ROUTE_PAGE, a->page);
	(void)fputs("<iframe id=\"page\" title=\"The archived page\" sandbox=\"" FRAME_SANDBOX
		    "\" src=\"",
		file);
	html_text(file, buf_slice(&address));
	(void)fputs("\"></iframe>\n", file);
	buf_release(&address);
}

/* What the script needs to know. */
static void put_banner_tag(FILE *file, const struct asked *a, const char *shown)
{
	char first[CLOCK_TEXT_SIZE], last[CLOCK_TEXT_SIZE];

	clock_format(a->route.time.first, CLOCK_ROUND_DOWN, first);
	clock_format(a->route.time.last, CLOCK_ROUND_DOWN, last);
	(void)fputs("<header id=\"banner\" data-collection=\"", file);
	put_collection_path(file, a->collection);
	(void)fprintf(file,
		"\" data-time=\"%.*s\" data-shown=\"%s\" data-first=\"%s\" data-last=\"%s\" "
		"data-url=\"",
		(int)a->route.digits.len, a->route.digits.ptr, shown, first, last);
	html_text(file, a->page);
	(void)fputs("\">\n", file);
}

void answer_framed(struct asked *a, const struct found *found, const struct still_points *points,
	const char *proven)
{
	char shown[SHOWN_TIME_SIZE];
	struct our_page p;

	if (!our_page_begin(&p, a, a->page, OUR_VIEWER))
		return;
	shown_time(a->route.digits, shown);
	put_banner_tag(p.file, a, shown);
	(void)fputs("<h1><a href=\"", p.file);
	put_collection_path(p.file, a->collection);
	(void)fputs("\">", p.file);
	html_text(p.file, slice_str(a->collection->name));
	(void)fprintf(p.file, "</a> at <time>%s</time></h1>\n", shown);
	put_url_box(p.file, a, a->page);
	(void)fputs("<p id=\"verdict\" role=\"status\">", p.file);
	put_sentence(p.file, found, &a->route.time, shown);
	(void)fputs("</p>\n", p.file);
	put_vanished(p.file, a, found, points);
	put_offer(p.file, a, found, proven);
	(void)fputs("<p id=\"moved\" role=\"status\" hidden>The page in the frame went on by "
		    "itself. What this banner says is not about what you see now.</p>\n",
		p.file);
	put_steps(p.file, a, found, points, proven);
	put_resources(p.file, a);
	(void)fputs("</header>\n<main>\n", p.file);
	put_frame(p.file, a);
	(void)fputs("</main>\n", p.file);
	our_page_send(&p, a, STATUS_OK);
}
