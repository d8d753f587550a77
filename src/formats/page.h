/*
 * A document read from its bytes: encoding found and undone, then tokens, links and text, all in
 * pieces as they come.
 *
 *	page_open(&p, &(struct page_params){.content_type = type, .links = &links});
 *	while (rc == 0 && there is more)
 *		rc = page_feed(&p, chunk);
 *	if (rc == 0)
 *		rc = page_finish(&p);
 *	page_close(&p);
 *
 * HTML, XHTML, SVG and other XML give links and text; CSS, scripts, JSON Feed and manifests give
 * links; plain text gives text; anything else gives nothing. Any bytes are read.
 */
#ifndef FORMATS_PAGE_H
#define FORMATS_PAGE_H

#include "formats/blocked.h"
#include "formats/charset.h"
#include "formats/deceit.h"
#include "formats/forms.h"
#include "formats/html_token.h"
#include "formats/ignore.h"
#include "formats/links.h"
#include "formats/media_type.h"
#include "formats/text.h"

/*
 * Whether a page has the elements that the user requires of it (`require` of formats/ignore.h). One
 * may be used for page after page.
 */

/* Zero-initialise. Fields are its own. */
struct required {
	struct ignore_page page;
	bool is_on; /* a rule holds for the page */
};

void required_release(struct required *r);

/* Begins the page of that URL; the rules are borrowed. 0 or ERR_NOMEM. */
int required_start(struct required *r, const struct ignore *rules, slice url) SP_MUST_CHECK;

/* A number of the rules that hold for the page; 0: none. Equal ones, equal rules. */
uint64_t required_number(const struct required *r);

/* At the end: name of the first rule whose element is missing, that of the rules; or empty. */
slice required_missing(const struct required *r);

enum {
	PAGE_STEP = 64 << 10,      /* bytes that are decoded at once */
	PAGE_SHEET_MAX = 16 << 20, /* bytes of a style sheet's or script's file that are read */
};

/* Unknown: the first bytes tell, and format is another one when the page has been read. */
enum page_format {
	PAGE_HTML,
	PAGE_XML,
	PAGE_CSS,
	PAGE_SCRIPT,
	PAGE_JSON,
	PAGE_PLAIN,
	PAGE_OPAQUE,
	PAGE_UNKNOWN
};

struct page_params {
	slice content_type;        /* of media_type_of_head; empty means HTML */
	struct links *links;       /* borrowed, initialised; NULL when not wanted */
	struct page_text *text;    /* the same */
	struct required *required; /* the same */
	struct stand_in *stand_in; /* the same */
	struct forms *forms;       /* the same */
	struct deceit *deceit;     /* the same */
	bool lasting;              /* bytes that are fed stay as they are until page_finish */
};

/* Fields are the reader's own, but for guess and format, to be read after page_finish. */
struct page {
	struct page_params params;
	enum page_format format;
	struct charset_guess guess;
	slice label;                     /* the header's charset, in params.content_type */
	struct buf start;                /* until the encoding is known */
	slice first;                     /* in its place, as long as there is one that lasts */
	struct charset_decoder *decoder; /* NULL until then */
	struct buf scratch;
	struct buf sheet;
	struct html_tokenizer tokens;
};

/* What is read of documents of that type. */
enum page_format page_format_of(slice content_type);

/* Starts; allocates nothing. What params point to is borrowed until page_close. */
void page_open(struct page *p, const struct page_params *params);
void page_close(struct page *p);

/* The next bytes, content coding undone. 0 or ERR_NOMEM. */
int page_feed(struct page *p, slice chunk) SP_MUST_CHECK;

/* Whether what was read is HTML, in its own form or that of XML. */
bool page_is_html(const struct page *p);

/* Says that all has been given. 0 or ERR_NOMEM. */
int page_finish(struct page *p) SP_MUST_CHECK;

#endif
