/*
 * How the parts of a view's reader add items. Internal to extract/view*.c.
 */
#ifndef EXTRACT_VIEW_BUILD_H
#define EXTRACT_VIEW_BUILD_H

#include "extract/noise_url.h"
#include "extract/view.h"

/* What a script element holds. */
enum view_script {
	VIEW_SCRIPT_CODE,
	VIEW_SCRIPT_ASSETS, /* names other scripts */
	VIEW_SCRIPT_JSON,
	VIEW_SCRIPT_LINKED_DATA, /* JSON-LD: all of it is content */
};

/* What is beyond a limit is left out, and the view says so: 0 for ERR_LIMIT, else rc. */
int view_limited(struct view *v, int rc) SP_MUST_CHECK;

/*
 * Adds an item at the open element; an empty text adds none. What is too large sets view.cut. The
 * text run is not ended: call view_end_run before items among which text has its place. 0 or
 * ERR_NOMEM.
 */
int view_add(struct view *v, enum view_kind kind, const char *attr, slice text) SP_MUST_CHECK;

/* The same for "name=value". */
int view_add_pair(struct view *v, enum view_kind kind, const char *attr, slice name,
	slice value) SP_MUST_CHECK;

/* Marks the items from the given one on: learned rules may mask their values. */
void view_mark_learnable(struct view *v, size_t first);

/* The same for an address; none is added when nothing of it is left, or it was empty. */
int view_add_url(struct view *v, enum view_kind kind, const char *attr, enum noise_url_use use,
	slice ref) SP_MUST_CHECK;

/* Adds the run as an item, if there is one; view_end_line starts a new line as well. */
int view_end_run(struct view *v) SP_MUST_CHECK;

/* Adds what the attributes of a start tag hold; its element is open. */
int view_attributes(struct view *v, const struct html_token *token) SP_MUST_CHECK;

/* Replaces links within the page by the places they lead to, when all items are there. */
int view_targets(struct view *v) SP_MUST_CHECK;

/*
 * The rules of the user: view_ignore.c. A token is noted before or behind what the view makes of
 * it; view_ignore_start, _end and _text take its place inside of ignored elements. 0 or ERR_NOMEM.
 */
int view_ignore_token(struct view *v, const struct html_token *token) SP_MUST_CHECK;
void view_ignore_text(struct view *v, slice text);
void view_ignore_tag(struct view *v, const struct html_token *token);

static inline bool view_is_ignoring(const struct view *v)
{
	return v->ignores && v->ignoring != IGNORE_NONE;
}

/* Takes out of a line what text rules match: *line is then what is left, in view.scratch. */
int view_ignore_line(struct view *v, slice *line) SP_MUST_CHECK;

/* The number of characters of UTF-8. */
size_t view_characters(slice text);

/* Adds what the script or style sheet in raw_text holds. */
int view_script(struct view *v, enum view_script type, slice text) SP_MUST_CHECK;
int view_sheet(struct view *v, const char *attr, slice text) SP_MUST_CHECK;

#endif
