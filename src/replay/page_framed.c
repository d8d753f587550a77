/*
 * /NAME/TIMESTAMP/URL: the banner, and the archived page in a frame of the content origin. What the
 * banner says of the page alone is written here; the script (web/src/viewer) adds the resources.
 */
#include "replay/answers.h"
#include "replay/our_page.h"
#include "replay/still_points.h"
#include "web/html.h"

/* No windows, no navigation of the page around it: both go through that page's script. */
#define FRAME_SANDBOX                                                               \
	"allow-scripts allow-same-origin allow-forms allow-modals allow-downloads " \
	"allow-pointer-lock allow-orientation-lock allow-presentation"

enum { ADDRESS_MAX = 128 << 10 };

static void put_sentence(FILE *file, const struct found *found, const char *asked)
{
	char seen[SHOWN_TIME_SIZE];

	shown_time(slice_str(found->memento->digits), seen);
	switch (found->ground) {
	case CHOICE_PROVEN:
		(void)fprintf(file, "This page is proven to have been like this at %s.", asked);
		return;
	case CHOICE_ASSERTED:
		(void)fprintf(file,
			"This page is as it was seen at %s. Its server said that it was like this "
			"at %s; nothing proves it.",
			seen, asked);
		return;
	case CHOICE_NEAREST:
		break;
	}
	(void)fprintf(file,
		"This page is as it was seen at %s. Nothing is known of it at %s: this is the "
		"nearest look.",
		seen, asked);
}

static size_t number_of(const struct found *found)
{
	return (size_t)(found->memento - found->mementos.list.ptr);
}

static void put_step(FILE *file, const struct asked *a, const struct memento *m, const char *text)
{
	if (m)
		put_memento_link(file, a, m->digits, m->url, slice_str(text));
	else
		(void)fprintf(file, "<span class=\"quiet\">%s</span>", text);
}

/* To the memento before, the one behind, the still point, and all of them. */
static void put_steps(FILE *file, const struct asked *a, const struct found *found)
{
	const struct memento_vec *list = &found->mementos.list;
	size_t at = number_of(found);
	char digits[TIMESTAMP_SIZE];
	struct still_points captures;
	struct err err = {0};

	(void)fputs("<nav aria-label=\"Times\">", file);
	put_step(file, a, at > 0 ? &list->ptr[at - 1] : NULL, "← earlier");
	put_step(file, a, at + 1 < list->len ? &list->ptr[at + 1] : NULL, "later →");
	if (still_points_load(a->collection, false, &captures, &err) == 0) {
		const struct still_point_row *row =
			still_points_nearest(&captures, a->page, a->route.time.last);

		if (row && still_point_digits(row, digits))
			put_memento_link(file, a, digits, a->page, SLICE("still point"));
	}
	still_points_release(&captures);
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
	(void)add_memento_address(&address, a->content, a->collection, digits, ROUTE_PAGE, a->page);
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
	char digits[TIMESTAMP_SIZE];

	timestamp_format(a->route.time.last, TIMESTAMP_DIGITS_MAX, digits);
	(void)fputs("<header id=\"banner\" data-collection=\"", file);
	put_collection_path(file, a->collection);
	(void)fprintf(file,
		"\" data-time=\"%.*s\" data-shown=\"%s\" "
		"data-instant=\"%.4s-%.2s-%.2sT%.2s:%.2s:%.2s.%.3sZ\" data-url=\"",
		(int)a->route.digits.len, a->route.digits.ptr, shown, digits, digits + 4,
		digits + 6, digits + 8, digits + 10, digits + 12, digits + 14);
	html_text(file, a->page);
	(void)fputs("\">\n", file);
}

void answer_framed(struct asked *a, const struct found *found)
{
	char shown[SHOWN_TIME_SIZE];
	struct our_page p;

	if (!our_page_begin(&p, a, a->page, "viewer"))
		return;
	shown_time(a->route.digits, shown);
	put_banner_tag(p.file, a, shown);
	(void)fputs("<p><a href=\"", p.file);
	put_collection_path(p.file, a->collection);
	(void)fputs("\">", p.file);
	html_text(p.file, slice_str(a->collection->name));
	(void)fprintf(p.file, "</a> at <time>%s</time></p>\n", shown);
	put_url_box(p.file, a, a->page);
	(void)fputs("<p id=\"verdict\" role=\"status\">", p.file);
	put_sentence(p.file, found, shown);
	(void)fputs("</p>\n<p id=\"moved\" role=\"status\" hidden>The page in the frame went on by "
		    "itself. What this banner says is not about what you see now.</p>\n",
		p.file);
	put_steps(p.file, a, found);
	put_resources(p.file, a);
	(void)fputs("</header>\n", p.file);
	put_frame(p.file, a);
	our_page_send(&p, a);
}
