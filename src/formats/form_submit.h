/*
 * What a form sends (HTML 4.10.22, "constructing the entry list"): the values of its fields as
 * application/x-www-form-urlencoded, with some of them replaced. And the values that a field with a
 * range can take.
 */
#ifndef FORMATS_FORM_SUBMIT_H
#define FORMATS_FORM_SUBMIT_H

#include "base/api.h"
#include "base/buf.h"
#include "formats/forms.h"

/*
 * What a form is for, and what its fields take, by words in several languages: names, labels, types
 * and buttons. Decides which forms may be submitted at all. Pure.
 *
 * A form is refused unless it is plainly harmless: a password, mail, payment or file field, a word
 * of effect (delete, order, vote, send, subscribe …) in its action, name, id or a button, or POST
 * without being a search. Words are whole, or the beginnings of longer ones when they have five
 * letters or more (orders, unsubscribe-me), since refusing too much costs less than ordering.
 */

/* clang-format off */
#define FORM_REFUSALS(X) \
	X(NONE, "") \
	X(CUT, "a part of it could not be read") \
	X(NOFOLLOW, "rel=nofollow") \
	X(METHOD, "not GET and not POST") \
	X(CODING, "its coding is for files") \
	X(SCRIPT, "its action is no http URL") \
	X(PASSWORD, "it has a password field") \
	X(MAIL, "it has a mail field") \
	X(PAYMENT, "it has a payment field") \
	X(FILE, "it has a file field") \
	X(PERSONAL, "it asks for a person") \
	X(EFFECT, "a word of effect") \
	X(POST, "POST, and not a search") \
	X(EMPTY, "it has no field to fill in")
/* clang-format on */

enum form_refusal {
#define X(id, text) FORM_REFUSED_##id,
	FORM_REFUSALS(X)
#undef X
		FORM_REFUSAL_COUNT,
};

/* The text; constant. */
const char *form_refusal_text(enum form_refusal refusal);

/* What a field takes. */
enum form_sense {
	FORM_SENSE_NONE,  /* it is sent as it stands, if at all */
	FORM_SENSE_WORDS, /* text to search for */
	FORM_SENSE_CODE,  /* an identifier with digits */
	FORM_SENSE_YEAR,
	FORM_SENSE_CHOICE, /* one of its options */
	FORM_SENSE_DATE,
	FORM_SENSE_MONTH,
	FORM_SENSE_NUMBER, /* between min and max */
};

const char *form_sense_name(enum form_sense sense);

enum form_sense form_sense_of(const struct forms *f, const struct form_field *field);

/* Whether a URL, or a part of it, has a word of effect: also of a form without an action. */
bool form_action_has_effect(slice action);

/* Why it must not be submitted. */
enum form_refusal form_refuse(const struct forms *f, uint32_t form);

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
