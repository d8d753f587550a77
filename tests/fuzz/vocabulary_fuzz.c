/*
 * The words of a site out of any text: each is a word of the class that was asked for, none is
 * offered twice in a slot, and a text that was read has no new lines. The first byte says what kind
 * of page the text is.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/word.h"
#include "text/form_vocabulary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ASKED_MAX = 200 };

static void require(bool ok)
{
	if (!ok)
		abort();
}

static bool has_digit(slice word)
{
	for (size_t i = 0; i < word.len; i++)
		if (word_is_digit(word.ptr[i]))
			return true;
	return false;
}

static void ask_all(struct vocabulary *v, enum vocabulary_class of)
{
	uint32_t term;

	for (int i = 0; i < ASKED_MAX && vocabulary_next(v, of, of, &term); i++) {
		slice word = vocabulary_word(v, term);

		require(word.len > 0 && word.len <= VOCABULARY_WORD_MAX);
		require(of == VOCABULARY_WORDS || has_digit(word));
		require(of != VOCABULARY_YEARS || word.len == 4);
		require(!(v->terms.ptr[term].asked & 1U << of));
		vocabulary_ask(v, term, of);
		if (i % 2)
			vocabulary_failed(v, term);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice text = {(const char *)data + 1, size ? size - 1 : 0}, asked = {0};
	enum vocabulary_source source;
	struct vocabulary v;

	if (size == 0)
		return 0;
	source = (enum vocabulary_source)(data[0] % 3);
	if (data[0] & 4)
		asked = slice_take(&text, '\n');
	vocabulary_init(&v, (struct hash_key){1, 2});
	require(vocabulary_read(&v, text, source, asked) <= text.len);
	require(vocabulary_read(&v, text, source, asked) == 0);
	for (int i = 0; i < VOCABULARY_CLASSES; i++)
		ask_all(&v, (enum vocabulary_class)i);
	vocabulary_release(&v);
	return 0;
}
