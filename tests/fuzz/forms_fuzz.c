/*
 * Forms: any page is read within the limits, every field names a form that is there, and what a
 * form sends has no byte that a URL could not have.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/word.h"
#include "formats/form_submit.h"
#include "formats/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void check_values(const struct forms *f, const struct form_field *field)
{
	uint32_t count = form_value_count(f, field);
	char text[FORM_VALUE_SIZE];

	require(count <= FORM_OPTIONS_MAX);
	for (uint32_t i = 0; i < count && i < FORM_STEPS_MAX; i++)
		require(form_value(f, field, i, 20000, text).len <= FORM_TEXT_MAX);
}

static void check_sent(const struct forms *f, uint32_t form)
{
	struct form_binding binding = {.value = SLICE("a b&\xc3\xbc")};
	struct buf out;

	while (binding.field < f->fields.len && f->fields.ptr[binding.field].form != form)
		binding.field++;
	buf_init(&out, FORM_SENT_MAX);
	if (form_submit(f, form, &binding, binding.field < f->fields.len, &out) == 0)
		for (size_t i = 0; i < out.len; i++)
			require(word_is_alnum(out.ptr[i]) || strchr("*-._+%&=", out.ptr[i]));
	buf_release(&out);
}

static void check(const struct forms *f)
{
	struct forms kept;

	require(f->list.len <= FORMS_MAX && f->fields.len <= FORM_FIELDS_MAX);
	require(f->options.len <= FORM_OPTIONS_MAX);
	for (uint32_t i = 0; i < f->fields.len; i++) {
		const struct form_field *field = &f->fields.ptr[i];
		uint32_t end = form_range_end(f, i);

		require(field->form == FORM_NONE || field->form < f->list.len);
		require(field->option <= field->option_end && field->option_end <= f->options.len);
		require(end == FORM_NONE || (end > i && end < f->fields.len));
		check_values(f, field);
	}
	forms_init(&kept);
	for (uint32_t i = 0; i < f->list.len; i++) {
		enum form_refusal refusal = form_refuse(f, i);
		int rc = forms_keep(&kept, f, i);

		require(form_refusal_text(refusal) != NULL);
		require(rc || refusal == FORM_REFUSED_NOFOLLOW ||
			form_refuse(&kept, (uint32_t)kept.list.len - 1) == refusal ||
			refusal == FORM_REFUSED_EFFECT);
		check_sent(f, i);
		if (rc)
			break;
	}
	forms_release(&kept);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct page *page = malloc(sizeof *page);
	struct forms forms;

	require(page != NULL);
	forms_init(&forms);
	page_open(page, &(struct page_params){.content_type = SLICE("text/html; charset=utf-8"),
				.forms = &forms});
	require(page_feed(page, (slice){(const char *)data, size}) == 0);
	require(page_finish(page) == 0);
	page_close(page);
	check(&forms);
	forms_release(&forms);
	free(page);
	return 0;
}
