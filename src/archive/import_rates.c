#include "archive/import_rates.h"

#include <float.h>
#include <stdio.h>

#include "base/csv.h"
#include "formats/url.h"

enum {
	SHOWN_MAX = 80,       /* bytes of a field in a message */
	FILE_SHOWN_MAX = 160, /* the same of a file's name */
};

/* Of all URLs; ten million of them have a quarter of it. */
#define URLS_MAX ((size_t)4 << 30)

/* One reading of a file. */
struct reader {
	struct rates *rates;
	struct csv_reader csv;
	struct url url; /* its memory serves for every line */
	int url_column, rate_column;
	int weight_column, shape_column; /* or -1 */
	bool weights;                    /* only: there need not be rates */
	struct err *err;
};

static int find_columns(struct reader *r)
{
	r->url_column = csv_column(&r->csv, SLICE("url"));
	if (r->url_column < 0)
		r->url_column = csv_column(&r->csv, SLICE("page")); /* as in files for plan */
	r->rate_column = csv_column(&r->csv, SLICE("rate"));
	r->weight_column = csv_column(&r->csv, SLICE("weight"));
	r->shape_column = csv_column(&r->csv, SLICE("shape"));
	if (r->weights && (r->url_column < 0 || r->weight_column < 0))
		return err_set(r->err, ERR_SYNTAX,
			"line 1: no column '%s' (the header is url,weight)",
			r->url_column < 0 ? "url" : "weight");
	if (r->weights)
		r->rate_column = r->shape_column = -1;
	else if (r->url_column < 0 || r->rate_column < 0)
		return err_set(r->err, ERR_SYNTAX,
			"line 1: no column '%s' (the header is url,rate[,weight][,shape])",
			r->url_column < 0 ? "url" : "rate");
	return 0;
}

static int read_url(struct reader *r, slice field)
{
	struct err why = {0};
	int rc = url_parse(&r->url, field, NULL, &why);

	if (rc)
		return err_set(r->err, rc, "'%.*s' is not a URL: %s", slice_shown(field, SHOWN_MAX),
			field.ptr, why.text);
	if (!url_is_http(&r->url))
		return err_set(r->err, ERR_SYNTAX, "'%.*s' is not an http or https URL",
			slice_shown(field, SHOWN_MAX), field.ptr);
	return 0;
}

static int add(struct reader *r, struct rates_value value)
{
	slice page = url_page(&r->url);
	int rc = strmap_put(&r->rates->map, page, (uint32_t)r->rates->values.len);

	rates_values_push(&r->rates->values, value);
	if (rc == ERR_EXISTS)
		return err_set(r->err, rc, "'%.*s' is given already (keep one of them)",
			slice_shown(page, SHOWN_MAX), page.ptr);
	return err_code(r->err, rc);
}

static int read_row(struct reader *r, const struct csv_row *row)
{
	double rate = 0, weight = 1, shape = 0;
	int rc = read_url(r, row->fields[r->url_column]);

	if (rc == 0 && r->rate_column >= 0)
		rc = csv_number(row->fields[r->rate_column], "rate", DBL_MAX, &rate, r->err);
	if (rc == 0 && r->weight_column >= 0)
		rc = csv_number(row->fields[r->weight_column], "weight", FLT_MAX, &weight, r->err);
	if (rc == 0 && r->shape_column >= 0)
		rc = csv_number(row->fields[r->shape_column], "shape", DBL_MAX, &shape, r->err);
	if (rc == 0)
		rc = add(r, (struct rates_value){rate, shape, (float)weight});
	if (rc)
		err_prefix(r->err, "line %llu", (unsigned long long)row->line);
	return rc;
}

static int read_rows(struct reader *r, FILE *file)
{
	struct csv_row row;
	int rc = csv_open_file(&r->csv, file, CSV_HEADER, r->err);

	if (rc)
		return rc;
	rc = find_columns(r);
	while (rc == 0) {
		rc = csv_next(&r->csv, &row, r->err);
		if (rc == 0)
			rc = read_row(r, &row);
	}
	csv_close(&r->csv);
	return rc == ERR_END ? 0 : rc;
}

static int read_file(struct rates *rates, FILE *file, bool weights, struct err *err)
{
	struct reader r = {.rates = rates, .weights = weights, .err = err};
	int rc;

	arena_init(&rates->urls, URLS_MAX);
	strmap_init(&rates->map, hash_key_random(), &rates->urls);
	url_init(&r.url);
	rc = read_rows(&r, file);
	url_release(&r.url);
	rates->map.arena = NULL; /* nothing is added any more, and the struct will be moved */
	return rc;
}

static int load(const char *path, bool weights, struct rates *ret, struct err *err)
{
	struct rates rates = {0};
	size_t len = strlen(path);
	FILE *file = csv_open_path(path, err);
	int rc = file ? read_file(&rates, file, weights, err) : ERR_IO;

	if (file)
		(void)fclose(file);
	if (rc == 0) {
		*ret = rates;
		return 0;
	}
	/* The end of a long name tells more than its beginning. */
	err_prefix(err, "%s", len > FILE_SHOWN_MAX ? path + len - FILE_SHOWN_MAX : path);
	rates_release(&rates);
	return rc;
}

int rates_load(const char *path, struct rates *ret, struct err *err)
{
	return load(path, false, ret, err);
}

int rates_load_weights(const char *path, struct rates *ret, struct err *err)
{
	return load(path, true, ret, err);
}

void rates_release(struct rates *r)
{
	strmap_release(&r->map);
	rates_values_release(&r->values);
	arena_release(&r->urls);
}

bool rates_find(const struct rates *r, slice url_page, struct rates_value *ret)
{
	uint32_t at;

	if (!strmap_get(&r->map, url_page, &at))
		return false;
	*ret = r->values.ptr[at];
	return true;
}
