/*
 * What a form sends (HTML 4.10.22, "constructing the entry list"): the values of its fields as
 * application/x-www-form-urlencoded, with some of them replaced. And the values that a field with a
 * range can take.
 */
#ifndef EXTRACT_FORM_SUBMIT_H
#define EXTRACT_FORM_SUBMIT_H

#include "base/api.h"
#include "base/buf.h"
#include "extract/form_sense.h"

enum {
	FORM_STEPS_MAX = 32,     /* values of a date or number */
	FORM_VALUE_SIZE = 32,    /* of such a value as text */
	FORM_SENT_MAX = 16 << 10 /* bytes of what a form sends */
};

/* A field, by its number, and the value that it gets. */
struct form_binding {
	uint32_t field;
	slice value;
};

/* Appends it; the first button counts as pressed. 0, or as buf_add. */
int form_submit(const struct forms *f, uint32_t form, const struct form_binding *bindings,
	size_t count, struct buf *out) SP_MUST_CHECK;

/*
 * How many values a field of a choice, date, month or number has, and which; the value is borrowed
 * from the form or from text. Dates without limits are those of the 32 months before today (days
 * since 1970).
 */
uint32_t form_value_count(const struct forms *f, const struct form_field *field);
slice form_value(const struct forms *f, const struct form_field *field, uint32_t number,
	int64_t today, char text[FORM_VALUE_SIZE]);

/*
 * The other end of a range ("year_from", "year_to"): the number of the field behind this one, or
 * FORM_NONE.
 */
uint32_t form_range_end(const struct forms *f, uint32_t field);

#endif
