#include "extract/form_submit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/calendar.h"
#include "base/parse.h"
#include "base/word.h"
#include "url/percent.h"

enum { MONTH_DAYS = 30, DAY_SECONDS = 86400 };

/* ---- sending ---- */

static int add_encoded(struct buf *out, slice text)
{
	return url_form_encode(out, text, "*-._");
}

static int add_pair(struct buf *out, size_t start, slice name, slice value)
{
	int rc = out->len > start ? buf_add_char(out, '&') : 0;

	if (rc == 0)
		rc = add_encoded(out, name);
	if (rc == 0)
		rc = buf_add_char(out, '=');
	return rc ? rc : add_encoded(out, value);
}

/* The options that are selected; of a select for one of them the first, if none is. */
static int add_options(
	const struct forms *f, const struct form_field *field, size_t start, struct buf *out)
{
	uint32_t chosen = field->option;
	bool any = false;
	int rc = 0;

	for (uint32_t i = field->option; i < field->option_end; i++)
		if (f->options.ptr[i].selected) {
			any = true;
			chosen = i;
			if (field->multiple && rc == 0)
				rc = add_pair(out, start, field->name, f->options.ptr[i].value);
		}
	if (field->multiple || (!any && field->option == field->option_end))
		return rc;
	return add_pair(out, start, field->name, f->options.ptr[chosen].value);
}

/* As it stands. */
static int add_field(const struct forms *f, const struct form_field *field, bool *pressed,
	size_t start, struct buf *out)
{
	switch (field->input) {
	case FORM_INPUT_SELECT:
		return add_options(f, field, start, out);
	case FORM_INPUT_CHECKBOX:
	case FORM_INPUT_RADIO:
		if (!field->checked)
			return 0;
		return add_pair(
			out, start, field->name, field->value.ptr ? field->value : SLICE("on"));
	case FORM_INPUT_SUBMIT:
		if (*pressed)
			return 0;
		*pressed = true;
		return add_pair(out, start, field->name, field->value);
	case FORM_INPUT_RESET:
	case FORM_INPUT_FILE:
		return 0;
	default:
		return add_pair(out, start, field->name, field->value);
	}
}

/* The binding of a field: of a radio button, that of its group. */
static const struct form_binding *find_binding(
	const struct forms *f, uint32_t number, const struct form_binding *bindings, size_t count)
{
	const struct form_field *field = &f->fields.ptr[number];

	for (size_t i = 0; i < count; i++) {
		const struct form_field *bound = &f->fields.ptr[bindings[i].field];

		if (bindings[i].field == number ||
			(field->input == FORM_INPUT_RADIO && bound->input == FORM_INPUT_RADIO &&
				slice_eq(field->name, bound->name)))
			return &bindings[i];
	}
	return NULL;
}

int form_submit(const struct forms *f, uint32_t form, const struct form_binding *bindings,
	size_t count, struct buf *out)
{
	size_t start = out->len;
	bool pressed = false;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < f->fields.len; i++) {
		const struct form_field *field = &f->fields.ptr[i];
		const struct form_binding *b;

		if (field->form != form || !field->name.len || field->disabled)
			continue;
		b = find_binding(f, i, bindings, count);
		if (!b)
			rc = add_field(f, field, &pressed, start, out);
		else if (b->field == i)
			rc = add_pair(out, start, field->name, b->value);
	}
	return rc;
}

/* ---- values ---- */

/* The first field of a group of radio buttons stands for all. */
static uint32_t count_radios(const struct forms *f, const struct form_field *field)
{
	uint32_t count = 0;

	for (size_t i = 0; i < f->fields.len; i++) {
		const struct form_field *other = &f->fields.ptr[i];

		if (other->input != FORM_INPUT_RADIO || other->form != field->form ||
			!slice_eq(other->name, field->name))
			continue;
		if (count == 0 && other != field)
			return 0;
		count++;
	}
	return count;
}

static slice radio_value(const struct forms *f, const struct form_field *field, uint32_t number)
{
	for (size_t i = 0; i < f->fields.len; i++) {
		const struct form_field *other = &f->fields.ptr[i];

		if (other->input == FORM_INPUT_RADIO && other->form == field->form &&
			slice_eq(other->name, field->name) && number-- == 0)
			return other->value.ptr ? other->value : SLICE("on");
	}
	return SLICE("");
}

/* Days since 1970 of YYYY-MM or YYYY-MM-DD. */
static bool read_date(slice text, int64_t *ret)
{
	uint64_t year, month, day = 1;
	int64_t seconds;

	if (text.len != strlen("YYYY-MM") && text.len != strlen("YYYY-MM-DD"))
		return false;
	if (parse_u64(slice_sub(text, 0, 4), &year) || parse_u64(slice_sub(text, 5, 7), &month) ||
		(text.len > 7 && parse_u64(slice_sub(text, 8, 10), &day)) ||
		calendar_seconds(&(struct calendar_time){.year = (unsigned)year,
					 .month = (unsigned)month,
					 .day = (unsigned)day},
			&seconds))
		return false;
	*ret = seconds / DAY_SECONDS;
	return true;
}

/* The range of a date or number; false when it has none. */
static bool find_range(
	const struct form_field *field, enum form_sense sense, int64_t *ret_min, int64_t *ret_max)
{
	if (sense == FORM_SENSE_NUMBER)
		return parse_i64(field->min, ret_min) == 0 && parse_i64(field->max, ret_max) == 0 &&
		       *ret_max >= *ret_min && *ret_max / 2 - *ret_min / 2 < INT64_MAX / 4;
	return read_date(field->min, ret_min) && read_date(field->max, ret_max) &&
	       *ret_max >= *ret_min;
}

uint32_t form_value_count(const struct forms *f, const struct form_field *field)
{
	enum form_sense sense = form_sense_of(f, field);
	int64_t min, max;

	switch (sense) {
	case FORM_SENSE_CHOICE:
		return field->input == FORM_INPUT_RADIO ? count_radios(f, field)
							: field->option_end - field->option;
	case FORM_SENSE_NUMBER:
		if (!find_range(field, sense, &min, &max))
			return 0;
		return max - min < FORM_STEPS_MAX ? (uint32_t)(max - min + 1) : FORM_STEPS_MAX;
	case FORM_SENSE_DATE:
	case FORM_SENSE_MONTH:
		return FORM_STEPS_MAX;
	default:
		return 0;
	}
}

static slice date_text(int64_t days, bool with_day, char text[FORM_VALUE_SIZE])
{
	time_t seconds = (time_t)(days * DAY_SECONDS);
	struct tm date;

	if (!gmtime_r(&seconds, &date))
		return SLICE("");
	return (slice){
		text, strftime(text, FORM_VALUE_SIZE, with_day ? "%Y-%m-%d" : "%Y-%m", &date)};
}

slice form_value(const struct forms *f, const struct form_field *field, uint32_t number,
	int64_t today, char text[FORM_VALUE_SIZE])
{
	enum form_sense sense = form_sense_of(f, field);
	int64_t min, max, at;
	uint32_t steps = form_value_count(f, field);

	if (sense == FORM_SENSE_CHOICE && field->input == FORM_INPUT_RADIO)
		return radio_value(f, field, number);
	if (sense == FORM_SENSE_CHOICE)
		return f->options.ptr[field->option + number].value;
	if (!find_range(field, sense, &min, &max)) {
		min = today - (int64_t)FORM_STEPS_MAX * MONTH_DAYS;
		max = today;
	}
	at = steps > 1 ? min + (max - min) / (steps - 1) * number : min;
	if (steps > 1 && number == steps - 1)
		at = max;
	if (sense == FORM_SENSE_NUMBER) {
		(void)snprintf(text, FORM_VALUE_SIZE, "%" PRId64, at);
		return slice_str(text);
	}
	return date_text(at, sense == FORM_SENSE_DATE, text);
}

static bool ends_in(slice name, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (word_ends(name, slice_str(words[i])))
			return true;
	return false;
}

uint32_t form_range_end(const struct forms *f, uint32_t number)
{
	static const char *const FROM[] = {
		"from", "min", "start", "after", "since", "von", "desde"};
	static const char *const TO[] = {"to", "max", "end", "before", "until", "bis", "hasta"};
	const struct form_field *field = &f->fields.ptr[number];

	if (!ends_in(field->name, FROM, sizeof FROM / sizeof FROM[0]))
		return FORM_NONE;
	for (uint32_t i = number + 1; i < f->fields.len; i++) {
		const struct form_field *other = &f->fields.ptr[i];

		if (other->form == field->form && other->input == field->input &&
			ends_in(other->name, TO, sizeof TO / sizeof TO[0]))
			return i;
	}
	return FORM_NONE;
}
