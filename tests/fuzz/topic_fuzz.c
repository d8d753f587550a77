/*
 * Topics: a first line is read or refused with a sentence, and scores of the rest of the text,
 * which is then a page that was read, are numbers from 0 to 1.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "text/topic.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice text = {(const char *)data, size}, line = slice_take(&text, '\n');
	struct topic t = {0};
	struct err err = {0};
	int rc = topic_read(&t, line, &err);

	require((rc == 0) == (err.text[0] == '\0'));
	for (int i = 0; rc == 0 && i < 3; i++) {
		double score = topic_score(&t, text);

		require(score >= 0 && score <= 1);
		topic_add_page(&t, text, i == 2);
	}
	topic_release(&t);
	return 0;
}
