#include "text/form_vocabulary.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/slice.h"
#include "base/word.h"

/* ---- words ---- */

/* Words that many search engines leave out of their index, in several languages: sorted by bytes.
 */
static const char *const WORDS[] = {"aan", "aber", "about", "after", "all", "alle", "als", "also",
	"anche", "and", "any", "are", "att", "auch", "auf", "aus", "aux", "avec", "been", "bei",
	"bij", "bin", "bis", "but", "can", "ces", "cette", "che", "com", "como", "con", "could",
	"dal", "dalla", "dan", "dans", "das", "dass", "dat", "degli", "del", "della", "delle",
	"dem", "den", "der", "des", "desde", "det", "deze", "did", "die", "dit", "does", "donde",
	"dos", "durch", "een", "efter", "ein", "eine", "einem", "einen", "einer", "eines", "ele",
	"ella", "elle", "eller", "ellos", "est", "esta", "este", "for", "from", "från", "för",
	"für", "gli", "had", "har", "has", "hat", "have", "her", "het", "him", "his", "how", "inte",
	"into", "ist", "its", "las", "les", "leur", "like", "los", "mais", "med", "men", "met",
	"mit", "more", "most", "muy", "más", "naar", "nach", "nas", "nel", "nella", "nicht", "niet",
	"noch", "non", "nos", "not", "nous", "now", "nur", "não", "och", "oder", "of", "off", "one",
	"only", "ook", "other", "our", "out", "over", "par", "para", "pas", "pela", "pelo", "per",
	"pero", "più", "plus", "por", "pour", "que", "qui", "sans", "ses", "seu", "she", "should",
	"sich", "sie", "sin", "sind", "sobre", "som", "some", "son", "sono", "sua", "such", "sur",
	"than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "those",
	"till", "uma", "una", "und", "une", "uno", "unter", "van", "var", "vom", "von", "voor",
	"vor", "vous", "war", "was", "were", "what", "when", "where", "which", "who", "wie", "will",
	"wir", "with", "would", "you", "your", "zijn", "zum", "zur", "était", "über"};

static int compare(const void *key, const void *element)
{
	const slice *word = key;
	const char *other = *(const char *const *)element;
	size_t len = strlen(other);
	int order = memcmp(word->ptr, other, word->len < len ? word->len : len);

	return order ? order : (word->len > len) - (word->len < len);
}

/* word: in lower case. */
static bool stop_words_has(slice word)
{
	return word.len &&
	       bsearch(&word, WORDS, sizeof WORDS / sizeof WORDS[0], sizeof WORDS[0], compare);
}

enum {
	ARENA_MAX = 64 << 20,
	LINE_MAX = 4096,    /* bytes by which lines are told apart */
	LONG_LINE = 5,      /* words of a line that is more than a label */
	MIN_LETTERS = 3,    /* bytes of a word of ASCII letters; of others and of codes 2 */
	LABEL_DOCUMENTS = 8 /* so many must there be before a share says anything */
};

static const double SITE_WEIGHT = 0.02;   /* of a line that no query found */
static const double LABEL_WEIGHT = 0.002; /* the same, of a few words */
static const double LABEL_SHARE = 0.3;

void vocabulary_init(struct vocabulary *v, struct hash_key key)
{
	*v = (struct vocabulary){.key = key, .label_share = 2};
	arena_init(&v->arena, ARENA_MAX);
	strmap_init(&v->numbers, key, NULL);
}

void vocabulary_release(struct vocabulary *v)
{
	strmap_release(&v->numbers);
	arena_release(&v->arena);
	vocabulary_terms_release(&v->terms);
	u32_vec_release(&v->fresh);
	nummap_release(&v->lines);
	*v = (struct vocabulary){0};
}

/* ---- lines ---- */

/*
 * The word that was asked for does not tell lines apart: "nothing found for it". Neither do
 * numbers, if only words count: "page 3 of 7".
 */
static uint64_t hash_line(const struct vocabulary *v, slice line, slice asked, bool with_numbers)
{
	char text[LINE_MAX];
	size_t len = 0;

	while (line.len && len < LINE_MAX) {
		size_t used = asked.len && word_starts(line, asked) ? asked.len : 1;
		char c = line.ptr[0];

		if (used > 1)
			c = '*';
		if (!with_numbers && word_is_digit(c))
			c = '#';
		if (c != '#' || len == 0 || text[len - 1] != '#')
			text[len++] = c;
		line = slice_sub(line, used, line.len);
	}
	/* Two sets in one table. */
	return (hash_bytes(v->key, (slice){text, len}) << 1 | 1) ^ (with_numbers ? 0 : 2);
}

/* Whether the line is not known yet; it is from now on. */
static bool note_line(struct vocabulary *v, slice line, slice asked, bool with_numbers)
{
	bool is_new = false;

	if (v->lines.len < VOCABULARY_LINES_MAX)
		(void)nummap_need(&v->lines, hash_line(v, line, asked, with_numbers), 0, &is_new);
	return is_new;
}

/* ---- words ---- */

static bool is_part(char c)
{
	return word_is_alnum(c) || (unsigned char)c >= 0x80;
}

/* Takes the next word off the text, folded into out; false at its end. */
static bool next_word(slice *text, char out[VOCABULARY_WORD_MAX], size_t *ret_len)
{
	while (text->len) {
		size_t n = 0;
		bool letters = true;

		while (text->len && !is_part(text->ptr[0]))
			*text = slice_sub(*text, 1, text->len);
		while (n < text->len && is_part(text->ptr[n])) {
			if (n < VOCABULARY_WORD_MAX)
				out[n] = word_lower(text->ptr[n]);
			letters = letters && word_is_alpha(text->ptr[n]);
			n++;
		}
		*text = slice_sub(*text, n, text->len);
		*ret_len = n;
		if (n <= VOCABULARY_WORD_MAX && n >= (letters ? MIN_LETTERS : 2))
			return true;
	}
	return false;
}

/* Adds the words of a line to the document that is being read, as long as there is room for new. */
static void add_words(struct vocabulary *v, slice line)
{
	char text[VOCABULARY_WORD_MAX];
	uint32_t term;
	size_t len;

	while (next_word(&line, text, &len)) {
		slice word = {text, len};

		if (!strmap_get(&v->numbers, word, &term)) {
			if (v->terms.len >= VOCABULARY_TERMS_MAX || arena_full(&v->arena))
				return;
			term = (uint32_t)v->terms.len;
			word = arena_keep(&v->arena, word);
			vocabulary_terms_push(&v->terms, (struct vocabulary_term){.word = word,
								 .is_stop = stop_words_has(word)});
			(void)strmap_add(&v->numbers, word, term);
		}
		if (v->terms.ptr[term].last == v->documents + 1)
			continue;
		v->terms.ptr[term].last = v->documents + 1;
		u32_vec_push(&v->fresh, term);
	}
}

/* ---- documents ---- */

static double weight_of(const struct vocabulary *v, enum vocabulary_source source)
{
	if (source != VOCABULARY_SITE)
		return 1;
	return v->fresh.len >= LONG_LINE ? SITE_WEIGHT : LABEL_WEIGHT;
}

/* Counts the words of the document that was read. */
static void end_document(struct vocabulary *v, enum vocabulary_source source)
{
	double weight = weight_of(v, source);

	for (size_t i = 0; i < v->fresh.len; i++) {
		v->terms.ptr[v->fresh.ptr[i]].count++;
		v->terms.ptr[v->fresh.ptr[i]].promise += weight;
	}
	v->documents += v->fresh.len > 0;
	v->fresh.len = 0;
}

size_t vocabulary_read(struct vocabulary *v, slice text, enum vocabulary_source source, slice asked)
{
	size_t fresh = 0;

	v->fresh.len = 0;
	while (text.len) {
		slice line = slice_take(&text, '\n');

		if (!line.len || !note_line(v, line, asked, true))
			continue;
		fresh++;
		if (note_line(v, line, asked, false))
			add_words(v, line);
		if (source != VOCABULARY_RECORD)
			end_document(v, source);
	}
	end_document(v, source);
	return fresh;
}

/* ---- choosing ---- */

static bool is_of_class(slice word, enum vocabulary_class of)
{
	bool digit = false, letter = false;

	for (size_t i = 0; i < word.len; i++) {
		digit = digit || word_is_digit(word.ptr[i]);
		letter = letter || !word_is_digit(word.ptr[i]);
	}
	if (of == VOCABULARY_YEARS)
		return !letter && word.len == 4 && (word.ptr[0] == '1' || word.ptr[0] == '2');
	return of == VOCABULARY_CODES ? digit : letter;
}

static bool is_candidate(const struct vocabulary *v, const struct vocabulary_term *t,
	enum vocabulary_class of, unsigned slot)
{
	double share = (double)t->count / (double)v->documents;

	return !(t->asked & 1U << slot) && is_of_class(t->word, of) &&
	       !(v->skips_stop && t->is_stop) &&
	       (share < v->label_share || v->documents < LABEL_DOCUMENTS);
}

bool vocabulary_next(
	const struct vocabulary *v, enum vocabulary_class of, unsigned slot, uint32_t *ret_term)
{
	double best = 0;

	for (size_t i = 0; i < v->terms.len; i++) {
		const struct vocabulary_term *t = &v->terms.ptr[i];

		if (t->promise > best && is_candidate(v, t, of, slot)) {
			best = t->promise;
			*ret_term = (uint32_t)i;
		}
	}
	return best > 0;
}

void vocabulary_ask(struct vocabulary *v, uint32_t term, unsigned slot)
{
	v->terms.ptr[term].asked |= 1U << slot;
}

void vocabulary_failed(struct vocabulary *v, uint32_t term)
{
	const struct vocabulary_term *t = &v->terms.ptr[term];
	double share = v->documents ? (double)t->count / (double)v->documents : 0;

	v->skips_stop = v->skips_stop || t->is_stop;
	if (v->documents >= LABEL_DOCUMENTS && share >= LABEL_SHARE)
		v->label_share = fmin(v->label_share, share);
}

/* ---- queries ---- */

static const double DECAY = 0.7;        /* of earlier gains */
static const double INFORMATIVE = 0.25; /* share of queries: Madhavan et al. have 0.2 to 0.25 */

void templates_release(struct templates *t)
{
	query_template_vec_release(&t->list);
}

void templates_add(struct templates *t, const struct template_fields *of, bool has_values)
{
	if (t->list.len >= TEMPLATES_MAX || (has_values && of->values == 0))
		return;
	query_template_vec_push(&t->list, (struct query_template){.of = *of});
}

static bool is_informative(const struct query_template *q)
{
	return q->queries > 0 && q->informative >= INFORMATIVE * q->queries;
}

/* Two fields of a form with a limited number of values each, both of them used up. */
static bool may_combine(const struct query_template *a, const struct query_template *b)
{
	return a != b && a->of.form == b->of.form && a->has_ended && b->has_ended &&
	       !a->is_combined && !b->is_combined && a->of.values > 0 && b->of.values > 0 &&
	       a->of.second == TEMPLATE_NO_FIELD && b->of.second == TEMPLATE_NO_FIELD &&
	       is_informative(a) && is_informative(b);
}

/* All templates of one field have ended: combines two, if there is something to combine. */
static bool combine(struct templates *t)
{
	for (size_t i = 0; i < t->list.len; i++)
		for (size_t k = i + 1; k < t->list.len; k++) {
			struct query_template *a = &t->list.ptr[i], *b = &t->list.ptr[k];
			struct template_fields of = a->of;

			if (!may_combine(a, b))
				continue;
			a->is_combined = b->is_combined = true;
			of.second = b->of.first;
			of.values_second = b->of.values;
			templates_add(t, &of, true);
			return true;
		}
	return false;
}

/* Those that were never asked come first, in their order. */
static bool is_better(const struct query_template *q, const struct query_template *than)
{
	if ((q->queries == 0) != (than->queries == 0))
		return q->queries == 0;
	return q->queries > 0 && q->gain > than->gain;
}

static bool find(const struct templates *t, uint32_t *ret)
{
	bool any = false;

	for (uint32_t i = 0; i < t->list.len; i++)
		if (!t->list.ptr[i].has_ended &&
			(!any || is_better(&t->list.ptr[i], &t->list.ptr[*ret]))) {
			any = true;
			*ret = i;
		}
	return any;
}

bool templates_next(struct templates *t, uint32_t *ret)
{
	while (!find(t, ret))
		if (!combine(t))
			return false;
	return true;
}

void templates_advance(struct templates *t, uint32_t number)
{
	struct query_template *q = &t->list.ptr[number];
	uint64_t values = (uint64_t)q->of.values *
			  (q->of.second == TEMPLATE_NO_FIELD ? 1 : q->of.values_second);

	q->next++;
	if (q->of.values && q->next >= values)
		q->has_ended = true;
}

void templates_answered(struct templates *t, uint32_t number, double gain, bool informative)
{
	struct query_template *q = &t->list.ptr[number];

	q->gain = q->queries ? DECAY * q->gain + (1 - DECAY) * gain : gain;
	q->queries++;
	q->informative += informative;
	q->idle = gain > 0 ? 0 : q->idle + 1;
	/* Words that nobody has written say nothing about a field of words. */
	if (q->idle >= (q->of.values ? TEMPLATE_IDLE : TEMPLATE_IDLE_WORDS) ||
		(q->of.values && q->queries >= TEMPLATE_TESTS && !is_informative(q)))
		q->has_ended = true;
}

void templates_end(struct templates *t, uint32_t number)
{
	t->list.ptr[number].has_ended = true;
}

void templates_end_form(struct templates *t, uint32_t form)
{
	for (size_t i = 0; i < t->list.len; i++)
		if (t->list.ptr[i].of.form == form)
			t->list.ptr[i].has_ended = t->list.ptr[i].is_combined = true;
}
