#include "catalog/catalog_db.h"

int catalog_write(struct catalog *c, const struct catalog_row *row, struct err *err)
{
	uint32_t capture = row->capture;

	switch (row->kind) {
	case CATALOG_ROW_ADD_PAGE:
		return catalog_add_page(c, capture, row->page, err);
	case CATALOG_ROW_TAKE_PAGE:
		return catalog_take_page(c, capture, row->page, err);
	case CATALOG_ROW_REFUSE_PAGE:
		return catalog_refuse_page(
			c, capture, row->page->number, row->page->left_out, row->page->rule, err);
	case CATALOG_ROW_ADMIT_PAGE:
		return catalog_admit_page(c, capture, row->page->number, row->page->rule, err);
	case CATALOG_ROW_MARK_PAGE:
		return catalog_mark_page(c, capture, row->page->number, row->page->content, err);
	case CATALOG_ROW_WEIGH_PAGE:
		return catalog_weigh_page(c, capture, row->page->number, row->page->weight, err);
	case CATALOG_ROW_LIST_PAGE:
		return catalog_list_page(c, capture, row->page->number, row->page->lastmod,
			row->page->frequency, err);
	case CATALOG_ROW_UNKEPT:
		return catalog_set_unkept(c, capture, row->unkept, err);
	case CATALOG_ROW_PLAN:
		return catalog_set_plan(c, capture, row->plan, err);
	case CATALOG_ROW_OBSERVATION:
		return catalog_add_observation(c, capture, row->observation, err);
	case CATALOG_ROW_EVENT:
		return catalog_add_event(c, capture, row->event, err);
	case CATALOG_ROW_WARC:
		return catalog_set_warc(c, row->warc, err);
	case CATALOG_ROW_ADD_ROBOTS:
		return catalog_add_robots(c, capture, row->robots, err);
	case CATALOG_ROW_CONFIRM_ROBOTS:
		return catalog_confirm_robots(
			c, capture, row->robots->origin, row->robots->checked, err);
	case CATALOG_ROW_CLOCK:
		return catalog_add_clock(c, capture, row->clock, err);
	case CATALOG_ROW_REQUISITE:
		return catalog_add_requisite(c, capture, row->requisite, err);
	case CATALOG_ROW_DUST:
		return catalog_set_dust(c, capture, row->dust, err);
	case CATALOG_ROW_LINKS:
		return catalog_set_links(c, capture, row->links, err);
	case CATALOG_ROW_LEARNED:
		return catalog_add_learned(c, capture, row->learned, err);
	case CATALOG_ROW_POLL:
		return catalog_set_poll(c, capture, row->poll, err);
	case CATALOG_ROW_LOOK:
		return catalog_add_look(c, row->look, err);
	case CATALOG_ROW_LOOKS:
		return catalog_set_looks(c, row->looks, err);
	case CATALOG_ROW_CAPTURE:
		return catalog_update_capture(c, row->state, err);
	case CATALOG_ROW_KINDS:
		break;
	}
	return err_set(err, ERR_USAGE, "unknown kind of row");
}
