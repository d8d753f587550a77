#include "replay/answers.h"

void answer_search(struct asked *a)
{
	answer_error(a, STATUS_NOT_FOUND, "this collection has no full text index");
}
