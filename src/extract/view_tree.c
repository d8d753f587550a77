#include "extract/view_tree.h"

#include "extract/html_attr.h"

enum { NAME_SHOWN = 64 }; /* bytes of an id */

bool view_tree_is_void(const struct html_token *token)
{
	switch (token->tag) {
	case HTML_TAG_AREA:
	case HTML_TAG_BASE:
	case HTML_TAG_BR:
	case HTML_TAG_EMBED:
	case HTML_TAG_FRAME:
	case HTML_TAG_HR:
	case HTML_TAG_IMG:
	case HTML_TAG_INPUT:
	case HTML_TAG_LINK:
	case HTML_TAG_META:
	case HTML_TAG_PARAM:
	case HTML_TAG_SOURCE:
	case HTML_TAG_TRACK:
		return true;
	default:
		return token->self_closing && token->foreign;
	}
}

/* The element that ends when another of its kind begins. */
static bool ends_before(enum html_tag open, enum html_tag next)
{
	switch (open) {
	case HTML_TAG_LI:
		return next == HTML_TAG_LI;
	case HTML_TAG_DT:
	case HTML_TAG_DD:
		return next == HTML_TAG_DT || next == HTML_TAG_DD;
	case HTML_TAG_OPTION:
		return next == HTML_TAG_OPTION || next == HTML_TAG_OPTGROUP;
	case HTML_TAG_TD:
	case HTML_TAG_TH:
		return next == HTML_TAG_TD || next == HTML_TAG_TH || next == HTML_TAG_TR;
	case HTML_TAG_TR:
		return next == HTML_TAG_TR;
	case HTML_TAG_P:
		return next == HTML_TAG_P || next == HTML_TAG_DIV || next == HTML_TAG_UL ||
		       next == HTML_TAG_OL || next == HTML_TAG_TABLE || next == HTML_TAG_H1 ||
		       next == HTML_TAG_H2 || next == HTML_TAG_H3 || next == HTML_TAG_FORM ||
		       next == HTML_TAG_SECTION;
	default:
		return false;
	}
}

static int add_name(struct view *v, const struct html_token *token, uint32_t *ret_name)
{
	slice id = html_attr_value(token, SLICE("id"));
	slice name = token->tag == HTML_TAG_OTHER ? token->name : (slice){0};
	size_t from;
	int rc = 0;

	*ret_name = 0;
	if (id.len == 0 && name.len == 0)
		return 0;
	if (v->names.len == 0)
		rc = buf_add_char(&v->names, '\0');
	from = v->names.len;
	if (rc == 0)
		rc = buf_add(&v->names, slice_sub(name, 0, NAME_SHOWN));
	if (rc == 0 && id.len)
		rc = buf_add_char(&v->names, '#');
	if (rc == 0 && id.len)
		rc = buf_add(&v->names, slice_sub(id, 0, NAME_SHOWN));
	if (rc == 0)
		rc = buf_add_char(&v->names, '\0');
	if (rc == 0)
		*ret_name = (uint32_t)from;
	return rc == ERR_LIMIT ? 0 : rc;
}

int view_tree_open(struct view *v, const struct html_token *token)
{
	struct view_node node = {.tag = (uint8_t)token->tag};
	int rc;

	if (v->nodes.len == 0) {
		rc = view_node_vec_push(&v->nodes, (struct view_node){0});
		if (rc)
			return rc;
	}
	if (v->nodes.len >= VIEW_NODES_MAX) {
		v->cut = true;
		return 0;
	}
	while (v->open && ends_before((enum html_tag)v->nodes.ptr[v->open].tag, token->tag))
		view_tree_leave(v);
	node.item = (uint32_t)v->items.len;
	node.parent = v->open;
	node.nth = ++v->nodes.ptr[v->open].children;
	rc = add_name(v, token, &node.name);
	if (rc == 0)
		rc = view_node_vec_push(&v->nodes, node);
	if (rc == 0)
		v->open = (uint32_t)(v->nodes.len - 1);
	return rc;
}

void view_tree_leave(struct view *v)
{
	if (v->open)
		v->open = v->nodes.ptr[v->open].parent;
}

static bool is_named(const struct view *v, const struct view_node *node, slice name)
{
	const char *own = node->name ? v->names.ptr + node->name : "";

	return strncmp(own, name.ptr, name.len < NAME_SHOWN ? name.len : NAME_SHOWN) == 0;
}

void view_tree_close(struct view *v, const struct html_token *token)
{
	uint32_t at = v->open;

	for (unsigned i = 0; at && i < VIEW_END_TAG_REACH; i++) {
		const struct view_node *node = &v->nodes.ptr[at];

		if (node->tag == token->tag &&
			(token->tag != HTML_TAG_OTHER || is_named(v, node, token->name))) {
			v->open = node->parent;
			return;
		}
		at = node->parent;
	}
}

static int add_step(const struct view *v, const struct view_node *node, struct buf *out)
{
	const char *name = node->name ? v->names.ptr + node->name : "";
	int rc = 0;

	if (node->tag != HTML_TAG_OTHER)
		rc = buf_add(out, html_tag_name((enum html_tag)node->tag));
	if (rc == 0)
		rc = buf_add_str(out, name);
	if (rc == 0 && !strchr(name, '#') && node->tag != HTML_TAG_BODY &&
		node->tag != HTML_TAG_HEAD)
		rc = buf_printf(out, ":nth-child(%u)", node->nth);
	return rc;
}

int view_place(const struct view *v, const struct view_item *item, struct buf *out)
{
	uint32_t path[VIEW_DEPTH_SHOWN];
	unsigned depth = 0;
	uint32_t at = item->node;
	int rc = 0;

	while (at && depth < VIEW_DEPTH_SHOWN && v->nodes.ptr[at].tag != HTML_TAG_HTML) {
		path[depth++] = at;
		at = v->nodes.ptr[at].parent;
	}
	if (at && v->nodes.ptr[at].tag != HTML_TAG_HTML)
		rc = buf_add_str(out, "… > ");
	while (rc == 0 && depth > 0) {
		rc = add_step(v, &v->nodes.ptr[path[--depth]], out);
		if (rc == 0 && depth > 0)
			rc = buf_add_str(out, " > ");
	}
	if (rc == 0 && item->attr)
		rc = buf_printf(out, "[%s]", item->attr);
	return rc;
}
