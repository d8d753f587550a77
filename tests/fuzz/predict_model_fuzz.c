/* Models: any bytes are read; what is taken predicts a class of its own, and is read back. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "plan/predict_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void predict(struct predict_model *m)
{
	static const char *const URLS[] = {"", "http://h/", "http://h/news/a.html", "a/b~c.pdf?d"};
	struct features f;

	for (size_t i = 0; i < sizeof URLS / sizeof URLS[0]; i++) {
		require(features_of_url(&m->words, slice_str(URLS[i]), false, &f) == 0);
		f.at[FEATURE_DAYS] = i % 2 ? 1e30F : NAN;
		require(predict_model_class(m, &f) < m->class_count);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct predict_model m, back;
	struct err err = {0};
	uint64_t line = 0;
	struct buf text;

	if (predict_model_parse((slice){(const char *)data, size}, &m, &line, &err)) {
		require(err.code && err.text[0] && line > 0);
		return 0;
	}
	predict(&m);
	buf_init(&text, PREDICT_MODEL_MAX);
	require(predict_model_write(&m, &text) == 0);
	require(predict_model_parse(buf_slice(&text), &back, &line, &err) == 0);
	buf_release(&text);
	predict_model_release(&back);
	predict_model_release(&m);
	return 0;
}
