#include "crawl/steering.h"

#include <math.h>

#include "crawl/capture.h"

/* What an irrelevant page hands on of what it got. */
static const double DECAY = 0.5;

/* Share of the parent in the promise of a link; the rest is its text's and its URL's. */
static const double PARENT = 0.5;

/* Links of pages off the topic are followed so many pages deep, unless they promise by themselves.
 */
enum { MISSES_MAX = 3, LEVEL_TOP = RANK_LEVELS - 2 };

/* A page that was reached without a link: nothing speaks for it or against it. */
static const double UNKNOWN_PARENT = 0.25;

int steering_init(struct steering *s, const struct crawl_settings *settings, struct err *err)
{
	s->on = settings->topic != NULL;
	return s->on ? topic_read(&s->topic, slice_str(settings->topic), err) : 0;
}

void steering_release(struct steering *s)
{
	topic_release(&s->topic);
	steered_pages_release(&s->pages);
}

static struct steered_page *page_of(struct capture *c, uint32_t page)
{
	struct steered_pages *v = &c->steering.pages;
	int rc = 0;

	while (rc == 0 && v->len <= page)
		rc = steered_pages_push(
			v, (struct steered_page){.handed = (float)UNKNOWN_PARENT, .best = -1});
	return rc ? NULL : &v->ptr[page];
}

static int mark(struct capture *c, uint32_t page, bool relevant, struct err *err)
{
	enum catalog_content content =
		relevant ? CATALOG_CONTENT_ON_TOPIC : CATALOG_CONTENT_OFF_TOPIC;

	if (c->pages.list.ptr[page].content == CATALOG_CONTENT_SOFT_404)
		return 0;
	c->pages.list.ptr[page].content = content & PAGE_TWO_BITS;
	return capture_store(c,
		&(struct catalog_row){CATALOG_ROW_MARK_PAGE,
			.page = &(struct catalog_page){.number = page, .content = content}},
		err);
}

int steering_page(struct capture *c, uint32_t page, struct err *err)
{
	const struct page_text *text = &c->lane->reading.text;
	struct steered_page *p = page_of(c, page);
	double score;
	bool relevant;
	int rc;

	if (!p)
		return err_code(err, ERR_NOMEM);
	if (page_kind_is_requisite(c->pages.list.ptr[page].kind) || text->text.len == 0)
		return 0;
	score = fmax(topic_score(&c->steering.topic, buf_slice(&text->text)),
		topic_score(&c->steering.topic, buf_slice(&text->title)) * DECAY);
	relevant = score >= TOPIC_RELEVANT;
	p->handed = (float)(relevant ? score : DECAY * (double)p->handed);
	p->misses = (uint8_t)(relevant ? 0 : p->misses < UINT8_MAX ? p->misses + 1 : UINT8_MAX);
	rc = topic_add_page(&c->steering.topic, buf_slice(&text->text), relevant);
	return rc ? err_code(err, rc) : mark(c, page, relevant, err);
}

/* From 1, so that 0 is for links that promise nothing. */
static unsigned level_of(double promise)
{
	return 1 + (unsigned)(promise * (LEVEL_TOP - 1));
}

int steering_link(struct capture *c, uint32_t from, slice url, slice near, struct err *err)
{
	struct topic *topic = &c->steering.topic;
	struct steered_page parent, *p;
	double own, promise;
	uint32_t page;

	if (!pages_find(&c->pages, url, &page) || page == from || c->pages.list.ptr[page].planned)
		return 0;
	p = page_of(c, from > page ? from : page); /* both are there then */
	if (!p)
		return err_code(err, ERR_NOMEM);
	p = &c->steering.pages.ptr[page];
	parent = c->steering.pages.ptr[from];
	own = fmax(topic_promise(topic, near), topic_promise(topic, robots_url_path(url)));
	promise = PARENT * (double)parent.handed + (1 - PARENT) * own;
	if (parent.misses > MISSES_MAX && own < TOPIC_RELEVANT)
		promise = 0;
	if (promise <= (double)p->best)
		return 0;
	p->best = p->handed = (float)promise;
	p->misses = parent.misses;
	if (rank_frontier_has(&c->importance.order.frontier, page))
		rank_order_level(&c->importance.order, page, promise > 0 ? level_of(promise) : 0);
	return 0;
}

/* Resume has lost what links said; the page that it was found on is known to be relevant or not. */
static double promise_of_url(struct capture *c, uint32_t page, slice url)
{
	const struct crawl_page *p = &c->pages.list.ptr[page];
	double parent = UNKNOWN_PARENT;

	if (p->via != CATALOG_NO_PAGE &&
		c->pages.list.ptr[p->via].content == CATALOG_CONTENT_ON_TOPIC)
		parent = 1;
	return PARENT * parent +
	       (1 - PARENT) * topic_promise(&c->steering.topic, robots_url_path(url));
}

int steering_level(struct capture *c, uint32_t page, unsigned *ret, struct err *err)
{
	struct steered_page *p = page_of(c, page);
	struct buf url;
	int rc = 0;

	if (!p)
		return err_code(err, ERR_NOMEM);
	if (p->best < 0) {
		buf_init(&url, URL_MAX);
		rc = pages_url(&c->pages, page, &url, err);
		if (rc == 0)
			p->handed = (float)promise_of_url(c, page, buf_slice(&url));
		buf_release(&url);
		*ret = level_of((double)p->handed);
		return rc;
	}
	*ret = p->best > 0 ? level_of((double)p->best) : 0;
	return rc;
}

double steering_promise(const struct capture *c, uint32_t page)
{
	const struct steered_pages *v = &c->steering.pages;

	if (page >= v->len)
		return 0;
	return fmax(0, (double)(v->ptr[page].best >= 0 ? v->ptr[page].best : v->ptr[page].handed));
}
