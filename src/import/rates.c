#include "import/rates.h"

#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/csv.h"
#include "base/parse.h"
#include "url/url.h"

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
	int weight_column; /* or -1 */
	uint64_t line;
	struct err *err;
};

static int find_columns(struct reader *r)
{
	r->url_column = csv_column(&r->csv, SLICE("url"));
	if (r->url_column < 0)
		r->url_column = csv_column(&r->csv, SLICE("page")); /* as in files for plan */
	r->rate_column = csv_column(&r->csv, SLICE("rate"));
	r->weight_column = csv_column(&r->csv, SLICE("weight"));
	if (r->url_column < 0 || r->rate_column < 0)
		return err_set(r->err, ERR_SYNTAX,
			"line 1: no column '%s' (the header is url,rate[,weight])",
			r->url_column < 0 ? "url" : "rate");
	return 0;
}

/* A number from 0 to max; what says of which column. */
static int read_number(struct reader *r, const char *what, slice field, double max, double *ret)
{
	unsigned long long line = r->line;
	double value = 0;
	int rc = parse_double(field, &value);

	if (rc == ERR_SYNTAX)
		return err_set(r->err, rc,
			"line %llu: %s '%.*s' is not a number (0 or more is needed)", line, what,
			slice_shown(field, SHOWN_MAX), field.ptr);
	if (rc == 0 && value < 0)
		return err_set(r->err, ERR_RANGE,
			"line %llu: %s %.*s is negative (0 or more is needed)", line, what,
			slice_shown(field, SHOWN_MAX), field.ptr);
	if (rc || value > max)
		return err_set(r->err, ERR_RANGE, "line %llu: %s %.*s is too large (at most %g)",
			line, what, slice_shown(field, SHOWN_MAX), field.ptr, max);
	*ret = value + 0.0; /* -0 becomes 0 */
	return 0;
}

static int read_url(struct reader *r, slice field)
{
	struct err why = {0};
	int rc = url_parse(&r->url, field, NULL, &why);

	if (rc == ERR_NOMEM)
		return err_code(r->err, rc);
	if (rc)
		return err_set(r->err, rc, "line %llu: '%.*s' is not a URL: %s",
			(unsigned long long)r->line, slice_shown(field, SHOWN_MAX), field.ptr,
			why.text);
	if (!url_is_http(&r->url))
		return err_set(r->err, ERR_SYNTAX, "line %llu: '%.*s' is not an http or https URL",
			(unsigned long long)r->line, slice_shown(field, SHOWN_MAX), field.ptr);
	return 0;
}

static int add(struct reader *r, struct rates_value value)
{
	slice page = url_page(&r->url);
	int rc = rates_values_push(&r->rates->values, value);

	if (rc == 0)
		rc = strmap_put(&r->rates->map, page, (uint32_t)r->rates->values.len - 1);
	if (rc == ERR_EXISTS)
		return err_set(r->err, rc, "line %llu: '%.*s' is given already (keep one of them)",
			(unsigned long long)r->line, slice_shown(page, SHOWN_MAX), page.ptr);
	return rc ? err_set(r->err, rc, "line %llu: %s", (unsigned long long)r->line, err_name(rc))
		  : 0;
}

static int read_row(struct reader *r, const struct csv_row *row)
{
	double rate = 0, weight = 1;
	int rc;

	r->line = row->line;
	rc = read_url(r, row->fields[r->url_column]);
	if (rc == 0)
		rc = read_number(r, "rate", row->fields[r->rate_column], DBL_MAX, &rate);
	if (rc == 0 && r->weight_column >= 0)
		rc = read_number(r, "weight", row->fields[r->weight_column], FLT_MAX, &weight);
	return rc ? rc : add(r, (struct rates_value){rate, (float)weight});
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

static int read_file(struct rates *rates, FILE *file, struct err *err)
{
	struct reader r = {.rates = rates, .err = err};
	struct stat st;
	int rc;

	/* Opening one works, and only reading fails. */
	if (fstat(fileno(file), &st) == 0 && S_ISDIR(st.st_mode))
		return err_set(err, ERR_IO, "is a directory, not a CSV file");
	arena_init(&rates->urls, URLS_MAX);
	strmap_init(&rates->map, hash_key_random(), &rates->urls);
	url_init(&r.url);
	rc = read_rows(&r, file);
	url_release(&r.url);
	rates->map.arena = NULL; /* nothing is added any more, and the struct will be moved */
	return rc;
}

int rates_load(const char *path, struct rates *ret, struct err *err)
{
	struct rates rates = {0};
	size_t len = strlen(path);
	FILE *file = fopen(path, "re");
	int rc;

	if (file)
		rc = read_file(&rates, file, err);
	else
		rc = err_set(err, ERR_IO, "%s", strerror(errno));
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

void rates_release(struct rates *r)
{
	strmap_release(&r->map);
	rates_values_release(&r->values);
	arena_release(&r->urls);
}

bool rates_find(const struct rates *r, slice url_page, double *ret_rate, float *ret_weight)
{
	uint32_t at;

	if (!strmap_get(&r->map, url_page, &at))
		return false;
	*ret_rate = r->values.ptr[at].rate;
	*ret_weight = r->values.ptr[at].weight;
	return true;
}
