/*
 * Heads of archived responses, as a browser gets them: what acts has a value of one line, leads
 * nowhere but into the archive, and is none of the fields that act beyond the page.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/word.h"
#include "replay/rewrite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ORIGIN "http://127.0.0.1:8081"

static void require(bool ok)
{
	if (!ok)
		abort();
}

static bool starts_inside(slice url)
{
	return slice_starts_with(url, SLICE(ORIGIN "/c/20200101000000"));
}

/* What follows "http" in a value of ours is the archive, or the URL behind its path. */
static int on_field(void *context, slice name, slice value)
{
	static const slice ACTS[] = {SLICE_INIT("Content-Language"),
		SLICE_INIT("Content-Disposition"), SLICE_INIT("Location"), SLICE_INIT("Refresh"),
		SLICE_INIT("Link")};
	bool known = false;

	(void)context;
	for (size_t i = 0; i < sizeof ACTS / sizeof *ACTS; i++)
		known |= word_is(name, ACTS[i]);
	require(known && fields_is_value(value));
	if (word_is(name, SLICE("Location")))
		require(starts_inside(value));
	if (word_is(name, SLICE("Link")))
		require(value.ptr[0] == '<' && starts_inside(slice_sub(value, 1, value.len)));
	if (word_is(name, SLICE("Refresh")) && memchr(value.ptr, '=', value.len)) {
		(void)slice_take(&value, '=');
		require(starts_inside(value));
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct rewrite_place PLACE = {.origin = SLICE_INIT(ORIGIN),
		.collection = SLICE_INIT("c"),
		.time = SLICE_INIT("20200101000000")};
	char *head = malloc(size + 1);
	struct fields fields = {0};
	struct rewrite_urls urls;

	require(head != NULL);
	if (size)
		memcpy(head, data, size);
	require(rewrite_urls_init(&urls, &PLACE, SLICE("http://example.org/d/p"), CHARSET_UTF_8) ==
		0);
	if (fields_parse(&fields, head, size) == 0)
		for (int i = 0; i < REWRITE_KIND_COUNT; i++)
			require(rewrite_fields(
					&fields, &urls, (enum rewrite_kind)i, on_field, NULL) == 0);
	fields_release(&fields);
	rewrite_urls_release(&urls);
	free(head);
	return 0;
}
