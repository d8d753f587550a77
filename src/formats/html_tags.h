/*
 * The element names that anybody here asks for, as numbers. A new one goes into the list, in any
 * place; the build makes the table for them (tools/generate-html-tables).
 */
#ifndef FORMATS_HTML_TAGS_H
#define FORMATS_HTML_TAGS_H

#include "base/slice.h"

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

#endif
