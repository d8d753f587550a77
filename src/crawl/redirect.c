/* Where redirects lead: pages like others, found by their address. */
#include "crawl/capture.h"

int discover_redirect(struct capture *c, const struct plan_order *order, const struct url *document,
	struct err *err)
{
	uint32_t page = order->page;
	slice location = reading_field(&c->lane->reading, SLICE("location"));
	const struct crawl_page *from = &c->pages.list.ptr[page];
	struct found found = {
		.how = from->is_seed ? "seed redirect" : "redirect",
		.via = page,
		.kind = from->kind,
		.is_redirect = true,
		.is_seed = from->is_seed,
	};
	struct url target;
	size_t taken;
	int rc;

	if (!location.ptr)
		return 0;
	url_init(&target);
	rc = url_parse_location(&target, location, document, NULL);
	/* The target of a seed is a seed: from http to https, or to the name with www. */
	if (rc == 0 && found.is_seed && url_is_http(&target))
		rc = capture_add_seed(c, &target, err);
	found.url = &target;
	taken = c->pages.taken;
	if (rc == 0 && url_is_http(&target))
		rc = dust_redirected(c, page, &target, err);
	if (rc == 0)
		rc = discover(c, &found, err);
	if (rc == 0)
		rc = discover_requisite(c, page, &found, err);
	if (rc == 0)
		rc = page_links_store_one(c, page, url_page(&target), err);
	if (rc == 0)
		rc = discover_record_unkept(c, err);
	if (rc == 0 && c->pages.taken > taken)
		rc = traps_redirect_followed(c, document);
	if (rc == 0 && found.is_seed)
		rc = earlier_seed_moved(c, err);
	if (rc == 0)
		rc = cookie_gate_redirected(c, order, &target, err);
	url_release(&target);
	if (rc != ERR_SYNTAX && rc != ERR_LIMIT)
		return err_code(err, rc);
	*err = (struct err){0}; /* an invalid target is not an error of the capture */
	return 0;
}
