#include "formats/links_rules.h"

/* Attributes that may hold links. */
enum attr {
	ATTR_NONE,
	ATTR_BACKGROUND,
	ATTR_CITE,
	ATTR_DYNSRC,
	ATTR_HREF,
	ATTR_IMAGESRCSET,
	ATTR_LAZY,       /* data-src and its like */
	ATTR_LAZY_IMAGE, /* an image on whatever element */
	ATTR_LAZY_SET,   /* data-srcset and its like */
	ATTR_LONGDESC,
	ATTR_LOWSRC,
	ATTR_MANIFEST,
	ATTR_POSTER,
	ATTR_SRC,
	ATTR_SRCSET,
	ATTR_STYLE,
	ATTR_XLINK_HREF,
};

struct name {
	slice name;
	enum attr attr;
};

static const struct name NAMES[] = {
	{SLICE_INIT("background"), ATTR_BACKGROUND},
	{SLICE_INIT("cite"), ATTR_CITE},
	{SLICE_INIT("dynsrc"), ATTR_DYNSRC},
	{SLICE_INIT("href"), ATTR_HREF},
	{SLICE_INIT("imagesrcset"), ATTR_IMAGESRCSET},
	{SLICE_INIT("longdesc"), ATTR_LONGDESC},
	{SLICE_INIT("lowsrc"), ATTR_LOWSRC},
	{SLICE_INIT("manifest"), ATTR_MANIFEST},
	{SLICE_INIT("poster"), ATTR_POSTER},
	{SLICE_INIT("src"), ATTR_SRC},
	{SLICE_INIT("srcset"), ATTR_SRCSET},
	{SLICE_INIT("style"), ATTR_STYLE},
	{SLICE_INIT("xlink:href"), ATTR_XLINK_HREF},
};

/* What scripts that load images late look for, without its "data-". */
static const struct name LAZY_NAMES[] = {
	{SLICE_INIT("src"), ATTR_LAZY},
	{SLICE_INIT("lazy"), ATTR_LAZY},
	{SLICE_INIT("lazy-src"), ATTR_LAZY},
	{SLICE_INIT("lazyload"), ATTR_LAZY},
	{SLICE_INIT("original"), ATTR_LAZY},
	{SLICE_INIT("orig-src"), ATTR_LAZY},
	{SLICE_INIT("original-src"), ATTR_LAZY},
	{SLICE_INIT("echo"), ATTR_LAZY},
	{SLICE_INIT("hi-res-src"), ATTR_LAZY_IMAGE},
	{SLICE_INIT("src-retina"), ATTR_LAZY_IMAGE},
	{SLICE_INIT("bg"), ATTR_LAZY_IMAGE},
	{SLICE_INIT("bg-src"), ATTR_LAZY_IMAGE},
	{SLICE_INIT("background"), ATTR_LAZY_IMAGE},
	{SLICE_INIT("background-image"), ATTR_LAZY_IMAGE},
	{SLICE_INIT("image"), ATTR_LAZY_IMAGE},
	{SLICE_INIT("image-src"), ATTR_LAZY_IMAGE},
	{SLICE_INIT("img-src"), ATTR_LAZY_IMAGE},
	{SLICE_INIT("poster"), ATTR_LAZY_IMAGE},
	{SLICE_INIT("srcset"), ATTR_LAZY_SET},
	{SLICE_INIT("lazy-srcset"), ATTR_LAZY_SET},
	{SLICE_INIT("original-set"), ATTR_LAZY_SET},
	{SLICE_INIT("bgset"), ATTR_LAZY_SET},
};

static enum attr look_up(const struct name *names, size_t count, slice name)
{
	for (size_t i = 0; i < count; i++)
		if (slice_eq(names[i].name, name))
			return names[i].attr;
	return ATTR_NONE;
}

/* Most attributes are class, id and the like: their first letters settle it. */
static enum attr attr_of(slice name)
{
	switch (name.ptr[0]) {
	case 'd':
		if (name.len > 5 && memcmp(name.ptr, "data-", 5) == 0)
			return look_up(LAZY_NAMES, sizeof LAZY_NAMES / sizeof *LAZY_NAMES,
				slice_sub(name, 5, name.len));
		return look_up(NAMES, sizeof NAMES / sizeof *NAMES, name);
	case 'c':
		return slice_eq(name, SLICE("cite")) ? ATTR_CITE : ATTR_NONE;
	case 'b':
	case 'h':
	case 'i':
	case 'l':
	case 'm':
	case 'p':
	case 's':
	case 'x':
		return name.len < 3 ? ATTR_NONE
				    : look_up(NAMES, sizeof NAMES / sizeof *NAMES, name);
	default:
		return ATTR_NONE;
	}
}

struct row {
	enum html_tag tag;
	enum attr attr;
	struct links_rule rule;
};

static const struct row ROWS[] = {
	{HTML_TAG_A, ATTR_HREF, {LINKS_URL, LINK_PAGE}},
	{HTML_TAG_A, ATTR_XLINK_HREF, {LINKS_URL, LINK_PAGE}},
	{HTML_TAG_AREA, ATTR_HREF, {LINKS_URL, LINK_PAGE}},
	{HTML_TAG_IMG, ATTR_SRC, {LINKS_URL, LINK_IMAGE}},
	{HTML_TAG_IMG, ATTR_SRCSET, {LINKS_SRCSET, LINK_IMAGE}},
	{HTML_TAG_IMG, ATTR_LOWSRC, {LINKS_URL, LINK_IMAGE}},
	{HTML_TAG_IMG, ATTR_DYNSRC, {LINKS_URL, LINK_MEDIA}},
	{HTML_TAG_IMG, ATTR_LONGDESC, {LINKS_URL, LINK_PAGE}},
	{HTML_TAG_IMAGE, ATTR_SRC, {LINKS_URL, LINK_IMAGE}},
	{HTML_TAG_IMAGE, ATTR_HREF, {LINKS_URL, LINK_IMAGE}},
	{HTML_TAG_IMAGE, ATTR_XLINK_HREF, {LINKS_URL, LINK_IMAGE}},
	{HTML_TAG_FEIMAGE, ATTR_HREF, {LINKS_URL, LINK_IMAGE}},
	{HTML_TAG_FEIMAGE, ATTR_XLINK_HREF, {LINKS_URL, LINK_IMAGE}},
	{HTML_TAG_USE, ATTR_HREF, {LINKS_URL, LINK_IMAGE}},
	{HTML_TAG_USE, ATTR_XLINK_HREF, {LINKS_URL, LINK_IMAGE}},
	{HTML_TAG_SCRIPT, ATTR_SRC, {LINKS_URL, LINK_SCRIPT}},
	{HTML_TAG_SCRIPT, ATTR_HREF, {LINKS_URL, LINK_SCRIPT}},
	{HTML_TAG_SCRIPT, ATTR_XLINK_HREF, {LINKS_URL, LINK_SCRIPT}},
	{HTML_TAG_LINK, ATTR_IMAGESRCSET, {LINKS_SRCSET, LINK_IMAGE}},
	{HTML_TAG_SOURCE, ATTR_SRC, {LINKS_URL, LINK_MEDIA}},
	{HTML_TAG_SOURCE, ATTR_SRCSET, {LINKS_SRCSET, LINK_IMAGE}},
	{HTML_TAG_VIDEO, ATTR_SRC, {LINKS_URL, LINK_MEDIA}},
	{HTML_TAG_VIDEO, ATTR_POSTER, {LINKS_URL, LINK_IMAGE}},
	{HTML_TAG_AUDIO, ATTR_SRC, {LINKS_URL, LINK_MEDIA}},
	{HTML_TAG_TRACK, ATTR_SRC, {LINKS_URL, LINK_MEDIA}},
	{HTML_TAG_IFRAME, ATTR_SRC, {LINKS_URL, LINK_FRAME}},
	{HTML_TAG_IFRAME, ATTR_LONGDESC, {LINKS_URL, LINK_PAGE}},
	{HTML_TAG_FRAME, ATTR_SRC, {LINKS_URL, LINK_FRAME}},
	{HTML_TAG_FRAME, ATTR_LONGDESC, {LINKS_URL, LINK_PAGE}},
	{HTML_TAG_INPUT, ATTR_SRC, {LINKS_URL, LINK_IMAGE}},
	{HTML_TAG_HTML, ATTR_MANIFEST, {LINKS_URL, LINK_OTHER}},
	{HTML_TAG_BLOCKQUOTE, ATTR_CITE, {LINKS_URL, LINK_OTHER}},
	{HTML_TAG_Q, ATTR_CITE, {LINKS_URL, LINK_OTHER}},
	{HTML_TAG_DEL, ATTR_CITE, {LINKS_URL, LINK_OTHER}},
	{HTML_TAG_INS, ATTR_CITE, {LINKS_URL, LINK_OTHER}},
	{HTML_TAG_BODY, ATTR_BACKGROUND, {LINKS_URL, LINK_IMAGE}},
	{HTML_TAG_TABLE, ATTR_BACKGROUND, {LINKS_URL, LINK_IMAGE}},
	{HTML_TAG_THEAD, ATTR_BACKGROUND, {LINKS_URL, LINK_IMAGE}},
	{HTML_TAG_TBODY, ATTR_BACKGROUND, {LINKS_URL, LINK_IMAGE}},
	{HTML_TAG_TFOOT, ATTR_BACKGROUND, {LINKS_URL, LINK_IMAGE}},
	{HTML_TAG_TR, ATTR_BACKGROUND, {LINKS_URL, LINK_IMAGE}},
	{HTML_TAG_TD, ATTR_BACKGROUND, {LINKS_URL, LINK_IMAGE}},
	{HTML_TAG_TH, ATTR_BACKGROUND, {LINKS_URL, LINK_IMAGE}},
};

static bool row_of(enum html_tag tag, enum attr attr, struct links_rule *ret_rule)
{
	for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
		if (ROWS[i].tag == tag && ROWS[i].attr == attr) {
			*ret_rule = ROWS[i].rule;
			return true;
		}
	}
	return false;
}

/* What a lazy attribute stands for is the element's src; elsewhere than on these an image. */
static enum link_kind lazy_kind(enum html_tag tag, bool in_picture)
{
	switch (tag) {
	case HTML_TAG_IFRAME:
	case HTML_TAG_FRAME:
		return LINK_FRAME;
	case HTML_TAG_SCRIPT:
		return LINK_SCRIPT;
	case HTML_TAG_SOURCE:
		return in_picture ? LINK_IMAGE : LINK_MEDIA;
	case HTML_TAG_AUDIO:
	case HTML_TAG_EMBED:
	case HTML_TAG_TRACK:
	case HTML_TAG_VIDEO:
		return LINK_MEDIA;
	default:
		return LINK_IMAGE;
	}
}

bool links_rule_of(
	const struct html_token *token, slice name, bool in_picture, struct links_rule *ret_rule)
{
	enum attr attr = attr_of(name);

	switch (attr) {
	case ATTR_NONE:
		return false;
	case ATTR_STYLE:
		*ret_rule = (struct links_rule){LINKS_CSS, LINK_IMAGE};
		return true;
	case ATTR_LAZY:
		*ret_rule = (struct links_rule){LINKS_GUESS, lazy_kind(token->tag, in_picture)};
		return true;
	case ATTR_LAZY_IMAGE:
		*ret_rule = (struct links_rule){LINKS_GUESS, LINK_IMAGE};
		return true;
	case ATTR_LAZY_SET:
		*ret_rule = (struct links_rule){LINKS_SRCSET, LINK_IMAGE};
		return true;
	default:
		break;
	}
	if (row_of(token->tag, attr, ret_rule)) {
		if (token->tag == HTML_TAG_SOURCE && in_picture)
			ret_rule->kind = LINK_IMAGE;
		return true;
	}
	/* Gradients, patterns and the like may refer to another file. */
	if (!token->foreign || (attr != ATTR_HREF && attr != ATTR_XLINK_HREF))
		return false;
	*ret_rule = (struct links_rule){LINKS_URL, LINK_OTHER};
	return true;
}
