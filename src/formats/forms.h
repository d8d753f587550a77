/*
 * The forms of a page with their fields, from tokens as they come, without a tree. Fields belong to
 * the form they stand in, or to the one that their form attribute names; a form inside a form is
 * none, as in browsers. Any input is read, and what exceeds the limits is left out, with `cut` set.
 * A form of which something was left out is never submitted: what was left out might be a password.
 */
#ifndef FORMATS_FORMS_H
#define FORMATS_FORMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/slice.h"
#include "base/vec.h"
#include "formats/html_token.h"

enum {
	FORMS_MAX = 256,          /* of a page */
	FORM_FIELDS_MAX = 4096,   /* of all forms of a page */
	FORM_OPTIONS_MAX = 32768, /* the same */
	FORM_TEXT_MAX = 64 << 10, /* bytes of a name, value or label; longer ones are cut */
	FORMS_BYTES_MAX = 4 << 20,
};

/* What stands in a type attribute, as far as it matters. */
enum form_input {
	FORM_INPUT_TEXT, /* also what is not known */
	FORM_INPUT_SEARCH,
	FORM_INPUT_HIDDEN,
	FORM_INPUT_CHECKBOX,
	FORM_INPUT_RADIO,
	FORM_INPUT_SELECT,
	FORM_INPUT_TEXTAREA,
	FORM_INPUT_NUMBER, /* and range */
	FORM_INPUT_DATE,
	FORM_INPUT_MONTH,
	FORM_INPUT_PASSWORD,
	FORM_INPUT_EMAIL,
	FORM_INPUT_TEL,
	FORM_INPUT_URL,
	FORM_INPUT_FILE,
	FORM_INPUT_SUBMIT, /* input or button */
	FORM_INPUT_RESET,  /* and buttons that do nothing by themselves */
	FORM_INPUT_OTHER,  /* image, color, time */
};

/* Of a select, or the group of radio buttons that it is a member of. */
struct form_option {
	slice value, text;
	bool selected;
};

struct form_field {
	enum form_input input;
	uint32_t form;   /* number of its form, or FORM_NONE */
	uint32_t option; /* of a select: its options are [option, option_end) */
	uint32_t option_end;
	slice name, value;
	slice id, label;      /* label: also aria-label, placeholder, title; of a button its text */
	slice owner;          /* form attribute */
	slice min, max, hint; /* hint: autocomplete */
	slice action;         /* of a button: formaction */
	bool has_action;
	bool checked, multiple, disabled, required;
};

#define FORM_NONE UINT32_MAX

struct form {
	slice action, name, id, classes, rel;
	slice role; /* role and aria-label */
	bool is_post;
	bool is_other; /* neither GET nor POST: a dialog */
	bool is_multipart;
	bool in_search; /* inside a search element */
	bool cut;       /* a part of it was left out */
};

struct form_label {
	slice id, text; /* of the field that it names */
};

VEC_DECLARE(form_vec, struct form);
VEC_DECLARE(form_label_vec, struct form_label);
VEC_DECLARE(form_field_vec, struct form_field);
VEC_DECLARE(form_option_vec, struct form_option);

/* Lists are to be read after forms_finish; strings live as long as the forms. */
struct forms {
	struct form_vec list;
	struct form_field_vec fields; /* in the order of the document, of all forms */
	struct form_option_vec options;
	bool cut;
	/* The rest is the gatherer's own. */
	struct arena arena;
	struct form_label_vec labels;
	struct buf text;      /* of the label, option, button or textarea that is open */
	uint32_t open;        /* form, or FORM_NONE */
	uint32_t select;      /* field, or FORM_NONE */
	uint32_t button;      /* the same */
	uint32_t label_first; /* fields from here on stand in the label */
	slice label_for;
	bool in_option, in_label;
	unsigned searches;  /* search elements that are open */
	unsigned templates; /* template elements that are open: nothing in them counts */
};

void forms_init(struct forms *f);

/* Empty again; some memory is kept for the next document. */
void forms_reset(struct forms *f);

/* Safe on a zeroed struct. */
void forms_release(struct forms *f);

/* Takes in a token. */
void forms_token(struct forms *f, const struct html_token *token);

/* Says that the document has ended: fields find their forms. */
void forms_finish(struct forms *f);

/*
 * Adds a copy of one form of another gathering, under the number to->list.len. 0, ERR_NOMEM, or
 * ERR_LIMIT when there is no room for all of it; then a part of it may be there.
 */
int forms_keep(struct forms *to, const struct forms *from, uint32_t form) SP_MUST_CHECK;

#endif
