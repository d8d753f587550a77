/*
 * Forms: any bytes are read. A form that is found has the field, or too many others, and all its
 * fields have names.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "extract/form.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct form form = {0};
	struct arena arena;
	bool has_field = false;
	int rc;

	arena_init(&arena, 64 << 20);
	rc = form_find(&form, (slice){(const char *)data, size}, SLICE("user"), &arena);
	require(rc == 0 || rc == ERR_NOTFOUND);
	for (size_t i = 0; rc == 0 && i < form.fields.len; i++) {
		require(form.fields.ptr[i].name.len > 0 && form.fields.ptr[i].value.ptr);
		has_field = has_field || slice_eq(form.fields.ptr[i].name, SLICE("user"));
	}
	require(rc || has_field || form.fields.len == FORM_FIELDS_MAX);
	require(form.fields.len <= FORM_FIELDS_MAX);
	form_release(&form);
	arena_release(&arena);
	return 0;
}
