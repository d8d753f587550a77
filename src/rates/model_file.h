/* Model files of `stillpoint train`. */
#ifndef RATES_MODEL_FILE_H
#define RATES_MODEL_FILE_H

#include "base/api.h"
#include "base/err.h"
#include "rate/predict_model.h"

/* The name of the model in an archive that its captures and `rates` use. */
#define RATES_MODEL_NAME "rates.model"

/*
 * Reads one: 0; ERR_NOTFOUND when there is no such file; ERR_IO; as predict_model_parse. err has
 * "FILE:LINE: …". *ret is untouched on failure; else to be released with predict_model_release.
 */
int rates_model_file_read(
	const char *path, struct predict_model *ret, struct err *err) SP_MUST_CHECK;

/* The same for the one of an archive. */
int rates_model_file_inside(
	const char *path, struct predict_model *ret, struct err *err) SP_MUST_CHECK;

#endif
