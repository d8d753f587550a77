/* stillpoint train: learns from pages with known change rates how often others change. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "archive/training.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/output.h"
#include "base/parse.h"
#include "base/progress.h"
#include "cmd/cmd.h"
#include "cmd/option_row.h"

struct train_options {
	const char *output, *sample;
	int classifier, features;
	int64_t seed;
	bool json;
	double share; /* what sample says */
};

static const char *const CLASSIFIERS[] = {"bayes", "c45", NULL};
static const char *const FEATURE_SETS[] = {"online", "offline", NULL};

#define ROW_OF struct train_options

static const struct option_spec SPECS[] = {
	ROW(STRING, output, "output", 'o', "where to write the model", .metavar = "MODEL"),
	ROW(CHOICE, classifier, "classifier", 'c', "what to train (default: c45)",
		.choices = CLASSIFIERS),
	ROW(CHOICE, features, "features", 'f',
		"what to learn from: the URL alone (default), or also the columns of the files",
		.choices = FEATURE_SETS),
	ROW(STRING, sample, "sample", 0,
		"learn from a random part of the pages only, such as 10%, and test on the others",
		.metavar = "PERCENT"),
	ROW(INT, seed, "seed", 0, "for the random choice of pages and folds (default: 1)", .min = 0,
		.max = 1e15),
	ROW(FLAG, json, "json", 'j', "print JSON"),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "train",
	.usage = "FILE… -o MODEL [OPTION…]",
	.description =
		"Learns from pages with known change rates how often pages like them change, for "
		"'stillpoint predict'. Files are CSV with a header that names the columns: url and "
		"rate, or url and class, which is a word of sitemaps (daily). Columns "
		"days_since_change, images, tables, out_links and in_links are for "
		"--features=offline. Others are ignored, and so are pages without a rate. '-' is "
		"standard input.\n\n"
		"  url,rate\n"
		"  https://example.org/news/,0.0001\n"
		"  https://example.org/imprint,0.000000001\n\n"
		"Rates are put into ten bins of about as many pages each. What is printed comes "
		"from ten-fold cross-validation: precision is the share of pages that are put into "
		"their bin by a model that has not seen them, guess the share of the fullest bin.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = SIZE_MAX,
};

static int parse_share(const char *text, double *ret, struct err *err)
{
	slice s = slice_str(text);
	bool is_percent = slice_ends_with(s, SLICE("%"));
	double value = 0;

	if (parse_double(slice_sub(s, 0, s.len - is_percent), &value) == 0) {
		value = is_percent ? value / 100 : value;
		if (value > 0 && value <= 1) {
			*ret = value;
			return 0;
		}
	}
	return err_set(err, ERR_USAGE,
		"--sample: '%.40s' is not a part of the pages, such as 10%% or 0.1", text);
}

static int check_usage(struct train_options *o, struct err *err)
{
	o->share = 1;
	if (!o->output || !*o->output)
		return err_set(err, ERR_USAGE,
			"the model is missing: say where to write it with -o (try 'stillpoint "
			"train --help')");
	return o->sample ? parse_share(o->sample, &o->share, err) : 0;
}

struct view {
	const struct train_options *options;
	const struct training *training;
	const struct predict_model *model;
	char **paths;
};

static double share_of(size_t part, size_t all)
{
	return all ? (double)part / (double)all : NAN;
}

static void json_scores(struct json *j, const struct view *v, const char *key, bool held_out)
{
	const struct training *t = v->training;

	json_key(j, key);
	json_array_begin(j);
	for (size_t i = 0; i < t->files; i++) {
		struct training_score s = training_score(t, i, held_out);

		json_object_begin(j);
		json_put_string(j, "file", v->paths[i]);
		json_put_uint(j, "pages", s.pages);
		json_put_double(j, "guess", share_of(s.most, s.pages));
		json_put_double(j, "precision", share_of(s.histogram[0], s.pages));
		json_key(j, "histogram");
		json_array_begin(j);
		for (size_t k = 0; k < v->model->class_count; k++)
			json_uint(j, s.histogram[k]);
		json_array_end(j);
		json_object_end(j);
	}
	json_array_end(j);
}

static int print_json(const struct view *v)
{
	const struct predict_model *m = v->model;
	struct json j;

	json_init_file(&j, stdout, JSON_LINES);
	json_document_begin(&j);
	json_put_string(&j, "model", v->options->output);
	json_put_string(&j, "classifier", classifier_name(m->classifier.kind));
	json_put_string(&j, "features", FEATURE_SETS[v->options->features]);
	json_put_uint(&j, "pages", m->pages);
	json_put_uint(&j, "left_out", v->training->left_out);
	json_put_uint(&j, "seed", (uint64_t)v->options->seed);
	json_key(&j, "classes");
	json_array_begin(&j);
	for (size_t i = 0; i < m->class_count; i++) {
		json_object_begin(&j);
		json_put_string(&j, "name", m->classes[i].name);
		json_put_double(&j, "rate", m->classes[i].rate);
		json_put_double(&j, "upper", m->classes[i].upper);
		json_put_uint(&j, "pages", m->classes[i].pages);
		json_object_end(&j);
	}
	json_array_end(&j);
	json_scores(&j, v, "data_sets", false);
	json_scores(&j, v, "held_out", true);
	json_object_end(&j);
	return json_finish(&j);
}

static void print_score(const struct view *v, const char *name, size_t file, bool held_out)
{
	struct training_score s = training_score(v->training, file, held_out);

	if (s.pages == 0)
		return;
	printf("%-24s %9zu %9.3f %9.3f ", name, s.pages, share_of(s.most, s.pages),
		share_of(s.histogram[0], s.pages));
	for (size_t k = 0; k < v->model->class_count; k++)
		printf(" %zu", s.histogram[k]);
	printf("\n");
}

static void print_scores(const struct view *v, const char *title, bool held_out)
{
	size_t files = v->training->files;

	printf("\n%-24s %9s %9s %9s  %s\n", title, "pages", "guess", "precision",
		"pages by the distance to their class");
	for (size_t i = 0; i < files; i++)
		print_score(v, v->paths[i], i, held_out);
	if (files > 1)
		print_score(v, "all", files, held_out);
}

static int print_text(const struct view *v)
{
	const struct predict_model *m = v->model;

	printf("model       %s: %s, %s features\n", v->options->output,
		classifier_name(m->classifier.kind), FEATURE_SETS[v->options->features]);
	printf("pages       %llu", (unsigned long long)m->pages);
	if (v->training->left_out)
		printf(" (%zu more without a rate)", v->training->left_out);
	printf("\n\n%-10s %14s %14s %10s\n", "class", "rate", "up to", "pages");
	for (size_t i = 0; i < m->class_count; i++)
		printf("%-10s %14.6g %14.6g %10llu\n", m->classes[i].name, m->classes[i].rate,
			m->classes[i].upper, (unsigned long long)m->classes[i].pages);
	print_scores(v, "cross-validation", false);
	if (v->training->learned < v->training->rows.len)
		print_scores(v, "held out", true);
	return 0;
}

/* In one step: a model that is there stays until the new one is complete. */
static int write_model(const char *path, const struct predict_model *m, struct err *err)
{
	struct output out = {0};
	struct buf text;
	int rc;

	buf_init(&text, PREDICT_MODEL_MAX);
	rc = err_code(err, predict_model_write(m, &text));
	if (rc == 0)
		rc = output_open(&out, path, err);
	if (rc == 0)
		rc = output_write(&out, buf_slice(&text), err);
	buf_release(&text);
	return output_close(&out, rc, err);
}

static void report(void *context, size_t done)
{
	progress_update(context, done, NULL);
}

static int learn(struct training *t, const struct train_options *o, struct predict_model *m)
{
	enum classifier_kind kind = (enum classifier_kind)o->classifier;
	struct progress progress;
	int rc = training_classify(t, o->share, (uint64_t)o->seed, m);

	if (rc)
		return rc;
	progress_init(&progress, &(struct progress_config){.fd = STDERR_FILENO,
					 .clock = clock_system(),
					 .title = "train",
					 .unit = "folds",
					 .total = CLASSIFIER_FOLDS});
	rc = training_validate(t, m, kind, report, &progress);
	if (rc == 0)
		rc = training_finish(t, kind, m);
	progress_clear(&progress);
	return rc;
}

static enum cmd_status train(
	const struct train_options *o, struct training *t, struct predict_model *m, char **paths)
{
	struct view view = {o, t, m, paths};
	struct err err = {0};
	int rc;

	m->features = o->features ? FEATURES : FEATURES_ONLINE;
	if (o->features && !t->has_offline) {
		(void)err_set(&err, ERR_USAGE,
			"--features=offline: no file has one of the columns days_since_change, "
			"images, tables, out_links and in_links");
		return cmd_fail("train", &err);
	}
	rc = err_code(&err, learn(t, o, m));
	if (rc == 0)
		rc = write_model(o->output, m, &err);
	if (rc)
		return cmd_fail("train", &err);
	return cmd_finish(o->json ? print_json(&view) : print_text(&view));
}

enum cmd_status cmd_train(int argc, char **argv)
{
	struct train_options o = {.classifier = CLASSIFIER_C45, .seed = 1};
	SCOPED(predict_model_release) struct predict_model model = {0};
	struct option_args args;
	struct training t;
	struct err err = {0};
	enum cmd_status status;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	if (check_usage(&o, &err))
		return cmd_fail("train", &err);
	training_init(&t);
	if (training_read(&t, args.ptr, args.count, &err))
		status = cmd_fail_input("train", &err);
	else
		status = train(&o, &t, &model, args.ptr);
	training_release(&t);
	return status;
}
