/*
 * A streaming HTML tokenizer after the tokenisation states of the WHATWG standard (HTML, section
 * 13.2.5), without a tree. It reads UTF-8 in chunks of any size:
 *
 *	struct html_tokenizer t;
 *	const struct html_token *token;
 *
 *	html_init(&t, 0);
 *	while (there is more) {
 *		html_feed(&t, chunk);
 *		while ((rc = html_next(&t, &token)) == 0)
 *			use(token);
 *		if (rc != ERR_END)
 *			break;
 *	}
 *	html_finish(&t), and html_next as before until ERR_END
 *	html_release(&t);
 *
 * Any bytes are read: there is no malformed HTML. Memory is bounded by the limits below whatever
 * the input; what exceeds them is cut, and the token says so.
 *
 * What a tree builder would tell a tokenizer is decided from tags alone: which elements hold raw
 * text (scripting is off, so noscript is an ordinary element), and whether we are in SVG or MathML,
 * where they do not and where CDATA sections exist, by a short stack of the elements that lead into
 * foreign content and out of it (html_state.h).
 */
#ifndef FORMATS_HTML_TOKEN_H
#define FORMATS_HTML_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/buf.h"
#include "base/slice.h"

/*
 * The element names that anybody here asks for, as numbers. A new one goes into the list, in any
 * place; the build makes the table for them (tools/generate-html-tables).
 */

/* clang-format off */
#define HTML_TAGS(X) \
	X(A, "a") \
	X(ADDRESS, "address") \
	X(ANNOTATION_XML, "annotation-xml") \
	X(APPLET, "applet") \
	X(AREA, "area") \
	X(ARTICLE, "article") \
	X(ASIDE, "aside") \
	X(AUDIO, "audio") \
	X(B, "b") \
	X(BASE, "base") \
	X(BIG, "big") \
	X(BLOCKQUOTE, "blockquote") \
	X(BODY, "body") \
	X(BR, "br") \
	X(BUTTON, "button") \
	X(CAPTION, "caption") \
	X(CENTER, "center") \
	X(CODE, "code") \
	X(DD, "dd") \
	X(DEL, "del") \
	X(DESC, "desc") \
	X(DETAILS, "details") \
	X(DIALOG, "dialog") \
	X(DIV, "div") \
	X(DL, "dl") \
	X(DT, "dt") \
	X(EM, "em") \
	X(EMBED, "embed") \
	X(FEIMAGE, "feimage") \
	X(FIELDSET, "fieldset") \
	X(FIGCAPTION, "figcaption") \
	X(FIGURE, "figure") \
	X(FONT, "font") \
	X(FOOTER, "footer") \
	X(FOREIGNOBJECT, "foreignobject") \
	X(FORM, "form") \
	X(FRAME, "frame") \
	X(FRAMESET, "frameset") \
	X(H1, "h1") \
	X(H2, "h2") \
	X(H3, "h3") \
	X(H4, "h4") \
	X(H5, "h5") \
	X(H6, "h6") \
	X(HEAD, "head") \
	X(HEADER, "header") \
	X(HR, "hr") \
	X(HTML, "html") \
	X(I, "i") \
	X(IFRAME, "iframe") \
	X(IMAGE, "image") \
	X(IMG, "img") \
	X(INPUT, "input") \
	X(INS, "ins") \
	X(LEGEND, "legend") \
	X(LI, "li") \
	X(LINK, "link") \
	X(LISTING, "listing") \
	X(MAIN, "main") \
	X(MATH, "math") \
	X(MENU, "menu") \
	X(META, "meta") \
	X(MI, "mi") \
	X(MN, "mn") \
	X(MO, "mo") \
	X(MS, "ms") \
	X(MTEXT, "mtext") \
	X(NAV, "nav") \
	X(NOBR, "nobr") \
	X(NOEMBED, "noembed") \
	X(NOFRAMES, "noframes") \
	X(NOSCRIPT, "noscript") \
	X(OBJECT, "object") \
	X(OL, "ol") \
	X(OPTGROUP, "optgroup") \
	X(OPTION, "option") \
	X(P, "p") \
	X(PARAM, "param") \
	X(PICTURE, "picture") \
	X(PLAINTEXT, "plaintext") \
	X(PRE, "pre") \
	X(Q, "q") \
	X(RUBY, "ruby") \
	X(S, "s") \
	X(SCRIPT, "script") \
	X(SEARCH, "search") \
	X(SECTION, "section") \
	X(SELECT, "select") \
	X(SMALL, "small") \
	X(SOURCE, "source") \
	X(SPAN, "span") \
	X(STRIKE, "strike") \
	X(STRONG, "strong") \
	X(STYLE, "style") \
	X(SUB, "sub") \
	X(SUMMARY, "summary") \
	X(SUP, "sup") \
	X(SVG, "svg") \
	X(TABLE, "table") \
	X(TBODY, "tbody") \
	X(TD, "td") \
	X(TEMPLATE, "template") \
	X(TEXTAREA, "textarea") \
	X(TFOOT, "tfoot") \
	X(TH, "th") \
	X(THEAD, "thead") \
	X(TITLE, "title") \
	X(TR, "tr") \
	X(TRACK, "track") \
	X(TT, "tt") \
	X(U, "u") \
	X(UL, "ul") \
	X(USE, "use") \
	X(VAR, "var") \
	X(VIDEO, "video") \
	X(XMP, "xmp")
/* clang-format on */

enum html_tag {
	HTML_TAG_OTHER, /* any name that is not in the list */
#define X(id, name) HTML_TAG_##id,
	HTML_TAGS(X)
#undef X
		HTML_TAG_COUNT,
};

/* The number of a name in lower case. */
enum html_tag html_tag_of(slice name);

/* The name of a number; "" for HTML_TAG_OTHER. */
slice html_tag_name(enum html_tag tag);

enum {
	HTML_NAME_MAX = 256,         /* bytes of a tag's or an attribute's name */
	HTML_VALUE_MAX = 256 << 10,  /* bytes of an attribute's value */
	HTML_ATTRS_MAX = 256,        /* attributes of a tag */
	HTML_ATTRS_MORE = 48,        /* beyond them, of those that links are read from */
	HTML_TAG_MAX = 1 << 20,      /* bytes of all names and values of a tag */
	HTML_COMMENT_MAX = 64 << 10, /* bytes of a comment or doctype */
	HTML_FOREIGN_MAX = 32,       /* changes between HTML and foreign content, nested */
	HTML_TEMP_MAX = 40,          /* longest look ahead: a character reference */
};

enum html_flags {
	HTML_XML = 1, /* XHTML or SVG: no raw text, CDATA everywhere, <script/> is empty */
	HTML_XML_REFERENCES = 2, /* no names but those of XML, and these with their semicolon */
};

enum html_token_kind {
	HTML_TEXT, /* text may come in any number of pieces */
	HTML_START_TAG,
	HTML_END_TAG,
	HTML_COMMENT, /* bogus ones too: <?…>, </ …>, <!…> */
	HTML_DOCTYPE,
};

struct html_attr {
	slice name;                    /* in lower case */
	slice value;                   /* character references replaced */
	bool cut;                      /* the value was longer */
	uint64_t from;                 /* where its name begins in the document, in bytes */
	uint64_t value_from, value_to; /* its value with its quotes; equal when there is none */
};

/* A token; all it points to is valid until the next call. */
struct html_token {
	enum html_token_kind kind;
	enum html_tag tag; /* of a tag */
	slice name;        /* of a tag, in lower case */
	slice text; /* of text and comments; of a doctype all between its keyword and its end */
	const struct html_attr *attrs;
	size_t attr_count;
	bool self_closing;
	bool foreign;      /* the tag is one of SVG or MathML; svg and math themselves are */
	bool cut;          /* a name, value or text was longer, or there were more attributes */
	bool has_doubles;  /* attributes were there again: only the first counts */
	uint64_t from, to; /* bytes of the document that it was read from */
};

struct html_span {
	uint32_t name, name_len;
	uint32_t value, value_len;
	bool cut;
	uint64_t from, value_from, value_to;
};

/* Fields are the tokenizer's own. */
struct html_tokenizer {
	const char *at; /* what is left of the chunk, borrowed */
	const char *end;
	const char *chunk;
	uint64_t chunk_at; /* bytes of the document before the chunk */
	uint64_t from;     /* where the token that is being read begins */
	unsigned flags;
	unsigned state;    /* of enum html_state */
	unsigned back;     /* where to go on when a look ahead came to nothing */
	unsigned ref_back; /* the same for a character reference */
	enum html_tag raw; /* the element whose raw text is read */
	bool eof;
	bool ready;          /* token is one */
	bool after_cr;       /* a line feed is to be dropped */
	bool cut;            /* the piece being read is longer than what was kept */
	bool dropped;        /* the attribute being read is one too many or there already */
	bool is_odd;         /* a reference, value or "<" was not as in XML; the caller resets it */
	uint32_t code;       /* of a numeric character reference */
	uint64_t names_seen; /* a bit for each hash of an attribute's name */
	size_t room;         /* bytes the piece being read may still get */
	struct buf scratch;  /* names and values of a tag; a comment */
	uint8_t temp_len;
	char temp[HTML_TEMP_MAX];
	uint8_t foreign_len;
	uint8_t foreign[HTML_FOREIGN_MAX];
	struct html_token token;
	size_t span_count;
	struct html_span spans[HTML_ATTRS_MAX + HTML_ATTRS_MORE];
	struct html_attr attrs[HTML_ATTRS_MAX + HTML_ATTRS_MORE];
};

/* Starts a document; allocates nothing. flags are of enum html_flags. */
void html_init(struct html_tokenizer *t, unsigned flags);

/* Frees all; the struct may be initialised again. */
void html_release(struct html_tokenizer *t);

/* Gives the next bytes, borrowed until html_next returns ERR_END; only then may more be given. */
void html_feed(struct html_tokenizer *t, slice chunk);

/* Says that all has been given. */
void html_finish(struct html_tokenizer *t);

/* How many bytes of the document have been read. */
static inline uint64_t html_position(const struct html_tokenizer *t)
{
	return t->chunk_at + (uint64_t)(t->at - t->chunk);
}

/*
 * The next token, owned by the tokenizer: 0, ERR_END when the chunk (after html_finish: the
 * document) is used up, or ERR_NOMEM.
 */
int html_next(struct html_tokenizer *t, const struct html_token **ret_token) SP_MUST_CHECK;

/*
 * Attributes of a tag by name, and the numbers of those that may hold links.
 */

/* The value of the attribute; .ptr is NULL when it is not there. */
static inline slice html_attr_value(const struct html_token *token, slice name)
{
	for (size_t i = 0; i < token->attr_count; i++)
		if (slice_eq(token->attrs[i].name, name))
			return token->attrs[i].value;
	return (slice){0};
}

#endif
