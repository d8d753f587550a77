#include "archive/topic_file.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "formats/page.h"
#include "text/topic.h"

enum { PATH_SIZE = 4096, CHUNK = 64 << 10, WORDS_MAX = 1 << 20 };

struct counted {
	const char *word; /* in the arena */
	double weight;    /* sum over pages of ln(1 + how often) */
	uint32_t now;     /* in the page that is read */
};

VEC_DECLARE(counted_words, struct counted);

struct reading {
	struct arena arena;
	struct strmap map; /* to places in words */
	struct counted_words words;
	struct err *err;
};

static int count_word(struct reading *r, slice word)
{
	uint32_t at;

	if (strmap_get(&r->map, word, &at)) {
		r->words.ptr[at].now++;
		return 0;
	}
	if (r->words.len >= WORDS_MAX)
		return 0;
	word = arena_keep(&r->arena, word);
	counted_words_push(&r->words, (struct counted){.word = word.ptr, .now = 1});
	return strmap_put(&r->map, word, (uint32_t)r->words.len - 1);
}

static int count_text(struct reading *r, slice text)
{
	char word[TOPIC_WORD_MAX + 1];
	size_t len;
	int rc = 0;

	while (rc == 0 && topic_next_word(&text, word, &len))
		rc = count_word(r, (slice){word, len});
	for (size_t i = 0; i < r->words.len; i++) {
		r->words.ptr[i].weight += log1p((double)r->words.ptr[i].now);
		r->words.ptr[i].now = 0;
	}
	return rc;
}

static bool is_html(slice content)
{
	while (content.len > 0 && strchr(" \t\r\n\xef\xbb\xbf", content.ptr[0]) && content.ptr[0])
		content = slice_sub(content, 1, content.len);
	return content.len > 0 && content.ptr[0] == '<';
}

static int count_html(struct reading *r, slice content)
{
	struct page *page = mem_new(1, sizeof *page);
	struct page_text text;
	int rc;

	page_text_init(&text);
	page_open(page, &(struct page_params){.content_type = SLICE("text/html"), .text = &text});
	rc = page_feed(page, content);
	if (rc == 0)
		rc = page_finish(page);
	page_close(page);
	if (rc == 0)
		rc = count_text(r, buf_slice(&text.text));
	page_text_release(&text);
	free(page);
	return rc;
}

static int read_content(struct reading *r, FILE *file, const char *path)
{
	char chunk[CHUNK];
	BUF_SCOPED(content, TOPIC_FILE_MAX + CHUNK);
	size_t n;
	int rc = 0;

	while (rc == 0 && content.len < TOPIC_FILE_MAX &&
		(n = fread(chunk, 1, sizeof chunk, file)) > 0)
		rc = buf_add(&content, (slice){chunk, n});
	if (rc == 0 && ferror(file))
		rc = err_set(r->err, ERR_USAGE, "%.200s: %s", path, strerror(errno));
	if (rc == 0)
		rc = is_html(buf_slice(&content)) ? count_html(r, buf_slice(&content))
						  : count_text(r, buf_slice(&content));
	return err_code(r->err, rc);
}

static int read_file(struct reading *r, const char *path)
{
	FILE *file = file_stream(path, "rbe");
	int rc;

	if (!file)
		return err_set(r->err, ERR_USAGE, "%.200s: %s", path, strerror(errno));
	rc = read_content(r, file, path);
	(void)fclose(file);
	return rc;
}

static int read_entry(struct reading *r, const char *path, const char *name)
{
	char file[PATH_SIZE];
	struct stat st;

	if (snprintf(file, sizeof file, "%s/%s", path, name) >= (int)sizeof file)
		return err_set(r->err, ERR_USAGE, "%.200s: its name is too long", name);
	return stat(file, &st) == 0 && S_ISREG(st.st_mode) ? read_file(r, file) : 0;
}

/* In the order of names: sums of floating point numbers depend on it. */
static int read_directory(struct reading *r, const char *path)
{
	struct dirent **names = NULL;
	int count = scandir(path, &names, NULL, alphasort);
	int rc = 0;

	if (count < 0)
		return err_set(r->err, ERR_USAGE, "%.200s: %s", path, strerror(errno));
	if (count > TOPIC_FILES_MAX + 2)
		rc = err_set(r->err, ERR_USAGE, "%.200s has more than %d files; some will do", path,
			TOPIC_FILES_MAX);
	for (int i = 0; i < count; i++) {
		if (rc == 0)
			rc = read_entry(r, path, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return rc;
}

static int by_weight(const void *a, const void *b)
{
	const struct counted *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return strcmp(x->word, y->word);
}

static int write_words(struct reading *r, struct buf *out)
{
	buf_add_str(out, "examples");
	qsort(r->words.ptr, r->words.len, sizeof *r->words.ptr, by_weight);
	for (size_t i = 0; i < r->words.len && i < TOPIC_MODEL_MAX; i++)
		buf_printf(out, " %s:%.4g", r->words.ptr[i].word, r->words.ptr[i].weight);
	return err_code(r->err, out->error);
}

int topic_file_read(const char *path, struct buf *out, struct err *err)
{
	struct reading r = {.err = err};
	struct stat st;
	int rc;

	if (stat(path, &st) != 0)
		return err_set(err, ERR_USAGE, "%.200s: %s", path, strerror(errno));
	arena_init(&r.arena, (size_t)1 << 30);
	strmap_init(&r.map, hash_key_random(), NULL);
	rc = S_ISDIR(st.st_mode) ? read_directory(&r, path) : read_file(&r, path);
	if (rc == 0 && r.words.len == 0)
		rc = err_set(err, ERR_USAGE, "%.200s: there are no words in it", path);
	if (rc == 0)
		rc = write_words(&r, out);
	counted_words_release(&r.words);
	strmap_release(&r.map);
	arena_release(&r.arena);
	return rc;
}
