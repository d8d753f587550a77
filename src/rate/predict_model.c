#include "rate/predict_model.h"

void predict_model_release(struct predict_model *m)
{
	classifier_release(&m->classifier);
	feature_words_release(&m->words);
	*m = (struct predict_model){0};
}
