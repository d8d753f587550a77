/* stillpoint predict: change rates of pages that nobody has seen, by a model of `train`. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/page_file.h"
#include "archive/rates_model.h"
#include "base/format.h"
#include "base/json.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/option_row.h"

enum { OUTPUT_SIZE = 256 << 10 };

struct predict_options {
	bool json, csv;
};

#define ROW_OF struct predict_options

static const struct option_spec SPECS[] = {
	ROW(FLAG, json, "json", 'j', "print a JSON object for each page"),
	ROW(FLAG, csv, "csv", 0, "print CSV (default)"),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "predict",
	.usage = "MODEL FILE… [OPTION…]",
	.description =
		"Predicts how often pages change, by a model of 'stillpoint train'. Files are "
		"lists of URLs, one in each line, or CSV with a header that has a column url (or "
		"page) and, for a model with offline features, their columns as for train. '-' is "
		"standard input.\n\n"
		"Prints url,rate for each page, in the same order: a file for 'plan', 'crawl "
		"--rates' and 'simulate'. The unit of rates is that of the files that the model "
		"was trained with; crawl expects changes per second.",
	.specs = SPECS,
	.min_args = 2,
	.max_args = SIZE_MAX,
};

struct predicting {
	const struct predict_options *options;
	struct predict_model model;
	char rates[SAMPLE_CLASSES_MAX][FORMAT_DOUBLE_SIZE]; /* by class, as text */
	struct page_file file;
	struct json json; /* all of its output */
};

static void print(struct predicting *p, slice url, size_t class)
{
	struct json *j = &p->json;

	if (!p->options->json) {
		csv_write_field(stdout, url);
		(void)putc(',', stdout);
		(void)fputs(p->rates[class], stdout);
		(void)putc('\n', stdout);
		return;
	}
	json_object_begin(j);
	json_key(j, "url");
	json_slice(j, url);
	json_put_double(j, "rate", p->model.classes[class].rate);
	json_put_string(j, "class", p->model.classes[class].name);
	json_object_end(j);
}

static int predict_file(struct predicting *p, const char *path, struct err *err)
{
	struct page_file_entry e;
	struct features f;
	int rc = page_file_open(&p->file, path, true, err);

	while (rc == 0) {
		rc = page_file_next(&p->file, &e, err);
		if (rc == 0)
			rc = err_code(err, features_of_url(&p->model.words, e.url, false, &f));
		if (rc)
			break;
		memcpy(&f.at[FEATURES_ONLINE], e.offline, sizeof e.offline);
		print(p, e.url, predict_model_class(&p->model, &f));
	}
	page_file_close(&p->file);
	return rc == ERR_END ? 0 : rc;
}

static enum cmd_status predict(struct predicting *p, char **paths, size_t count)
{
	struct err err = {0};
	int rc = 0, printed;

	for (size_t i = 0; i < p->model.class_count; i++)
		(void)format_double(p->model.classes[i].rate, p->rates[i]);
	(void)setvbuf(stdout, NULL, _IOFBF, OUTPUT_SIZE);
	json_init_file(&p->json, stdout, JSON_LINES);
	if (!p->options->json)
		puts("url,rate");
	for (size_t i = 0; rc == 0 && i < count && !ferror(stdout); i++)
		rc = predict_file(p, paths[i], &err);
	printed = p->options->json ? json_finish(&p->json) : 0;
	return rc ? cmd_fail_input("predict", &err) : cmd_finish(printed);
}

enum cmd_status cmd_predict(int argc, char **argv)
{
	struct predict_options o = {0};
	struct predicting *p;
	struct option_args args;
	struct err err = {0};
	enum cmd_status status;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	if (o.json && o.csv)
		return cmd_fail("predict", &(struct err){ERR_USAGE, "--json or --csv, not both"});
	p = mem_new(1, sizeof *p);
	p->options = &o;
	if (rates_model_file_read(args.ptr[0], &p->model, &err))
		status = cmd_fail_input("predict", &err);
	else
		status = predict(p, args.ptr + 1, args.count - 1);
	predict_model_release(&p->model);
	free(p);
	return status;
}
