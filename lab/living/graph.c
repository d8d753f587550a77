/* A layout from the CSV file that `simulate --graph` reads. */
#include <stdlib.h>
#include <string.h>

#include "living/layout.h"
#include "plan/expect.h"

enum {
	PATH_MAX_BYTES = 16 << 10,
	SHOWN_MAX = 80,
};

static int name_pages(struct layout *l, const struct site *site, struct err *err)
{
	struct buf path;
	int rc = 0;

	buf_init(&path, PATH_MAX_BYTES);
	for (size_t i = 0; rc == 0 && i < site->n; i++) {
		slice name = site->names[i];

		buf_reset(&path);
		rc = layout_escape_name(&path, name);
		if (rc == 0 && layout_is_reserved(buf_slice(&path)))
			rc = ERR_EXISTS;
		if (rc == 0)
			rc = layout_name(l, (uint32_t)i, buf_slice(&path));
		if (rc == ERR_EXISTS)
			err_set(err, rc, "page '%.*s' has a path that is in use already",
				slice_shown(name, SHOWN_MAX), name.ptr);
		else if (rc)
			err_set(err, rc, "page '%.*s': %s", slice_shown(name, SHOWN_MAX), name.ptr,
				err_name(rc));
	}
	buf_release(&path);
	return rc;
}

static int copy_links(struct layout *l, const struct site *site, struct err *err)
{
	size_t count = site->link_from[site->n];

	if (count == 0) /* no links: a tree in the order of the rows */
		return 0;
	l->links = calloc(count, sizeof *l->links);
	if (!l->links)
		return err_code(err, ERR_NOMEM);
	memcpy(l->links, site->links, count * sizeof *l->links);
	memcpy(l->link_from, site->link_from, (site->n + 1) * sizeof *l->link_from);
	return 0;
}

static int copy_rates(const struct site *site, double **ret_rates, struct err *err)
{
	double *rates = calloc(site->n, sizeof *rates);

	if (!rates)
		return err_code(err, ERR_NOMEM);
	for (size_t i = 0; i < site->n; i++)
		rates[i] = site->survival[i].rate;
	*ret_rates = rates;
	return 0;
}

int layout_graph(
	struct layout *l, const char *file, size_t outdegree, double **ret_rates, struct err *err)
{
	struct layout made = {0};
	struct site site = {0};
	int rc = site_load(file, &site, err);

	if (rc == 0 && layout_alloc(&made, site.n))
		rc = err_code(err, ERR_NOMEM);
	if (rc == 0) {
		made.outdegree = outdegree;
		rc = name_pages(&made, &site, err);
	}
	if (rc == 0)
		rc = copy_links(&made, &site, err);
	if (rc == 0)
		rc = copy_rates(&site, ret_rates, err);
	if (rc)
		layout_release(&made);
	else
		*l = made;
	site_release(&site);
	return rc;
}
