#include "formats/forms.h"

#include "base/err.h"
#include "base/word.h"
#include "formats/html_token.h"

void forms_init(struct forms *f)
{
	*f = (struct forms){.open = FORM_NONE, .select = FORM_NONE, .button = FORM_NONE};
	arena_init_small(&f->arena, FORMS_BYTES_MAX);
	buf_init(&f->text, FORM_TEXT_MAX);
}

void forms_release(struct forms *f)
{
	form_vec_release(&f->list);
	form_field_vec_release(&f->fields);
	form_option_vec_release(&f->options);
	form_label_vec_release(&f->labels);
	arena_release(&f->arena);
	buf_release(&f->text);
	*f = (struct forms){0};
}

void forms_reset(struct forms *f)
{
	forms_release(f);
	forms_init(f);
}

/* The form that is being read lacks something. */
static void note_cut(struct forms *f)
{
	f->cut = true;
	if (f->open != FORM_NONE)
		f->list.ptr[f->open].cut = true;
}

/* A copy, cut if it is too long; {0} for what is not there, or has no room. */
static slice keep(struct forms *f, slice text)
{
	slice kept = slice_sub(text, 0, FORM_TEXT_MAX);

	if (!text.ptr)
		return (slice){0};
	if (kept.len < text.len)
		note_cut(f);
	kept.ptr = arena_strdup(&f->arena, kept);
	if (!kept.ptr)
		note_cut(f);
	return kept.ptr ? kept : (slice){0};
}

static slice attr(struct forms *f, const struct html_token *token, slice name)
{
	return keep(f, html_attr_value(token, name));
}

static bool has(const struct html_token *token, slice name)
{
	return html_attr_value(token, name).ptr != NULL;
}

/* ---- text inside of elements ---- */

static bool wants_text(const struct forms *f)
{
	return f->in_option || f->in_label || f->button != FORM_NONE;
}

/* Runs of white space become one blank. What is too long is of no use. */
static void add_text(struct forms *f, slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (word_is_space(c))
			c = ' ';
		if (c != ' ' || (f->text.len && f->text.ptr[f->text.len - 1] != ' '))
			buf_add_char(&f->text, c);
	}
}

static void end_option(struct forms *f)
{
	struct form_option *o;

	if (!f->in_option)
		return;
	f->in_option = false;
	o = &f->options.ptr[f->options.len - 1];
	o->text = keep(f, word_trim(buf_slice(&f->text)));
	if (!o->value.ptr)
		o->value = o->text;
	f->fields.ptr[f->select].option_end = (uint32_t)f->options.len;
	buf_reset(&f->text);
}

static void end_select(struct forms *f)
{
	end_option(f);
	f->select = FORM_NONE;
}

static void end_button(struct forms *f)
{
	struct form_field *b;

	if (f->button == FORM_NONE)
		return;
	b = &f->fields.ptr[f->button];
	if (!b->label.len)
		b->label = keep(f, word_trim(buf_slice(&f->text)));
	f->button = FORM_NONE;
	buf_reset(&f->text);
}

/* The label is that of the fields inside, or of the one that it names, which may come later. */
static void end_label(struct forms *f)
{
	slice text;

	if (!f->in_label)
		return;
	f->in_label = false;
	text = keep(f, word_trim(buf_slice(&f->text)));
	buf_reset(&f->text);
	if (f->label_for.len && f->labels.len < FORM_FIELDS_MAX)
		form_label_vec_push(&f->labels, (struct form_label){f->label_for, text});
	for (size_t i = f->label_first; !f->label_for.len && i < f->fields.len; i++)
		if (!f->fields.ptr[i].label.len)
			f->fields.ptr[i].label = text;
}

/* ---- fields ---- */

static enum form_input input_of(slice type)
{
	static const struct {
		slice word;
		enum form_input input;
	} TYPES[] = {
		{SLICE_INIT("search"), FORM_INPUT_SEARCH},
		{SLICE_INIT("hidden"), FORM_INPUT_HIDDEN},
		{SLICE_INIT("checkbox"), FORM_INPUT_CHECKBOX},
		{SLICE_INIT("radio"), FORM_INPUT_RADIO},
		{SLICE_INIT("number"), FORM_INPUT_NUMBER},
		{SLICE_INIT("range"), FORM_INPUT_NUMBER},
		{SLICE_INIT("date"), FORM_INPUT_DATE},
		{SLICE_INIT("month"), FORM_INPUT_MONTH},
		{SLICE_INIT("password"), FORM_INPUT_PASSWORD},
		{SLICE_INIT("email"), FORM_INPUT_EMAIL},
		{SLICE_INIT("tel"), FORM_INPUT_TEL},
		{SLICE_INIT("url"), FORM_INPUT_URL},
		{SLICE_INIT("file"), FORM_INPUT_FILE},
		{SLICE_INIT("submit"), FORM_INPUT_SUBMIT},
		{SLICE_INIT("image"), FORM_INPUT_SUBMIT},
		{SLICE_INIT("reset"), FORM_INPUT_RESET},
		{SLICE_INIT("button"), FORM_INPUT_RESET},
		{SLICE_INIT("color"), FORM_INPUT_OTHER},
		{SLICE_INIT("time"), FORM_INPUT_OTHER},
		{SLICE_INIT("week"), FORM_INPUT_OTHER},
		{SLICE_INIT("datetime-local"), FORM_INPUT_OTHER},
	};

	type = word_trim(type);
	for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++)
		if (word_is(type, TYPES[i].word))
			return TYPES[i].input;
	return FORM_INPUT_TEXT;
}

static slice label_of(struct forms *f, const struct html_token *token)
{
	static const slice NAMES[] = {SLICE_INIT("aria-label"), SLICE_INIT("placeholder"),
		SLICE_INIT("title"), SLICE_INIT("alt")};

	for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
		if (html_attr_value(token, NAMES[i]).len)
			return attr(f, token, NAMES[i]);
	return (slice){0};
}

/* Fields outside of forms count only if they name one. */
static void add_field(
	struct forms *f, const struct html_token *token, enum form_input input, uint32_t *ret)
{
	struct form_field field = {
		.input = input,
		.form = f->open,
		.option = (uint32_t)f->options.len,
		.option_end = (uint32_t)f->options.len,
	};

	*ret = FORM_NONE;
	if (f->open == FORM_NONE && !has(token, SLICE("form")))
		return;
	if (f->fields.len >= FORM_FIELDS_MAX) {
		note_cut(f);
		return;
	}
	if (token->cut)
		note_cut(f);
	field.name = attr(f, token, SLICE("name"));
	field.value = attr(f, token, SLICE("value"));
	field.id = attr(f, token, SLICE("id"));
	field.owner = attr(f, token, SLICE("form"));
	field.label = label_of(f, token);
	field.min = attr(f, token, SLICE("min"));
	field.max = attr(f, token, SLICE("max"));
	field.hint = attr(f, token, SLICE("autocomplete"));
	field.has_action = has(token, SLICE("formaction")) || has(token, SLICE("formmethod"));
	field.action = attr(f, token, SLICE("formaction"));
	field.checked = has(token, SLICE("checked"));
	field.multiple = has(token, SLICE("multiple"));
	field.disabled = has(token, SLICE("disabled"));
	field.required = has(token, SLICE("required"));
	*ret = (uint32_t)f->fields.len;
	form_field_vec_push(&f->fields, field);
}

static void add_option(struct forms *f, const struct html_token *token)
{
	struct form_option option = {0};

	end_option(f);
	if (f->select == FORM_NONE)
		return;
	if (f->options.len >= FORM_OPTIONS_MAX) {
		f->cut = true; /* of values alone: the form can do without */
		return;
	}
	option.value = attr(f, token, SLICE("value"));
	option.selected = has(token, SLICE("selected"));
	f->in_option = true;
	buf_reset(&f->text);
	form_option_vec_push(&f->options, option);
}

/* ---- forms ---- */

static void add_form(struct forms *f, const struct html_token *token)
{
	slice method = word_trim(html_attr_value(token, SLICE("method")));
	slice coding = word_trim(html_attr_value(token, SLICE("enctype")));
	struct form form = {
		.is_post = word_is(method, SLICE("post")),
		.is_other = word_is(method, SLICE("dialog")),
		.is_multipart =
			coding.len && !word_is(coding, SLICE("application/x-www-form-urlencoded")),
		.in_search = f->searches > 0,
	};

	if (f->open != FORM_NONE) /* a form inside of a form is ignored */
		return;
	if (f->list.len >= FORMS_MAX) {
		f->cut = true;
		return;
	}
	f->open = (uint32_t)f->list.len;
	form_vec_push(&f->list, form);
	form.cut = token->cut;
	form.action = attr(f, token, SLICE("action"));
	form.name = attr(f, token, SLICE("name"));
	form.id = attr(f, token, SLICE("id"));
	form.classes = attr(f, token, SLICE("class"));
	form.rel = attr(f, token, SLICE("rel"));
	form.role = attr(f, token, has(token, SLICE("role")) ? SLICE("role") : SLICE("aria-label"));
	form.cut = form.cut || f->list.ptr[f->open].cut;
	f->list.ptr[f->open] = form;
}

static bool is_label(const struct html_token *token)
{
	return slice_eq(token->name, SLICE("label"));
}

static void start_label(struct forms *f, const struct html_token *token)
{
	end_label(f);
	f->in_label = true;
	f->label_first = (uint32_t)f->fields.len;
	f->label_for = attr(f, token, SLICE("for"));
	buf_reset(&f->text);
}

static void start_button(struct forms *f, const struct html_token *token)
{
	slice type = word_trim(html_attr_value(token, SLICE("type")));
	bool is_idle = word_is(type, SLICE("button")) || word_is(type, SLICE("reset"));

	end_button(f);
	buf_reset(&f->text);
	add_field(f, token, is_idle ? FORM_INPUT_RESET : FORM_INPUT_SUBMIT, &f->button);
}

static void start_tag(struct forms *f, const struct html_token *token)
{
	uint32_t ignored;

	switch (token->tag) {
	case HTML_TAG_TEMPLATE:
		f->templates++;
		break;
	case HTML_TAG_SEARCH:
		f->searches++;
		break;
	case HTML_TAG_FORM:
		add_form(f, token);
		break;
	case HTML_TAG_INPUT:
		add_field(f, token, input_of(html_attr_value(token, SLICE("type"))), &ignored);
		break;
	case HTML_TAG_TEXTAREA:
		add_field(f, token, FORM_INPUT_TEXTAREA, &ignored);
		break;
	case HTML_TAG_SELECT:
		end_select(f);
		end_label(f); /* the text of the options is not the label's */
		add_field(f, token, FORM_INPUT_SELECT, &f->select);
		break;
	case HTML_TAG_OPTION:
		add_option(f, token);
		break;
	case HTML_TAG_BUTTON:
		start_button(f, token);
		break;
	default:
		if (is_label(token))
			start_label(f, token);
		break;
	}
}

static void end_tag(struct forms *f, const struct html_token *token)
{
	switch (token->tag) {
	case HTML_TAG_TEMPLATE:
		f->templates -= f->templates > 0;
		return;
	case HTML_TAG_SEARCH:
		f->searches -= f->searches > 0;
		return;
	case HTML_TAG_FORM:
		end_select(f);
		end_button(f);
		end_label(f);
		f->open = FORM_NONE;
		return;
	case HTML_TAG_SELECT:
		end_select(f);
		return;
	case HTML_TAG_OPTION:
		end_option(f);
		return;
	case HTML_TAG_BUTTON:
		end_button(f);
		return;
	default:
		if (is_label(token))
			end_label(f);
		return;
	}
}

void forms_token(struct forms *f, const struct html_token *token)
{
	bool is_edge = token->tag == HTML_TAG_TEMPLATE;

	if (token->kind == HTML_TEXT) {
		if (wants_text(f))
			add_text(f, token->text);
		return;
	}
	if (token->foreign || (f->templates && !is_edge))
		return;
	if (token->kind == HTML_START_TAG)
		start_tag(f, token);
	else if (token->kind == HTML_END_TAG)
		end_tag(f, token);
}

static void find_label(const struct forms *f, struct form_field *field)
{
	for (size_t i = 0; !field->label.len && field->id.len && i < f->labels.len; i++)
		if (slice_eq(f->labels.ptr[i].id, field->id))
			field->label = f->labels.ptr[i].text;
}

static void find_form(const struct forms *f, struct form_field *field)
{
	field->form = FORM_NONE;
	for (uint32_t i = 0; i < f->list.len; i++)
		if (slice_eq(f->list.ptr[i].id, field->owner)) {
			field->form = i;
			return;
		}
}

void forms_finish(struct forms *f)
{
	end_select(f);
	end_button(f);
	end_label(f);
	for (size_t i = 0; i < f->fields.len; i++) {
		find_label(f, &f->fields.ptr[i]);
		if (f->fields.ptr[i].owner.len)
			find_form(f, &f->fields.ptr[i]);
	}
}

/* ---- copying ---- */

static slice copy(struct forms *to, slice text, bool *ok)
{
	slice kept = {text.ptr ? arena_strdup(&to->arena, text) : NULL, text.len};

	*ok = *ok && (!text.ptr || kept.ptr);
	return kept.ptr ? kept : (slice){0};
}

static int keep_options(struct forms *to, const struct forms *from, struct form_field *field)
{
	uint32_t first = (uint32_t)to->options.len;
	bool ok = true;

	for (uint32_t i = field->option; ok && i < field->option_end; i++) {
		struct form_option o = from->options.ptr[i];

		o.value = copy(to, o.value, &ok);
		o.text = copy(to, o.text, &ok);
		if (ok)
			form_option_vec_push(&to->options, o);
	}
	field->option = first;
	field->option_end = (uint32_t)to->options.len;
	return ok ? 0 : ERR_LIMIT;
}

static int keep_field(struct forms *to, const struct forms *from, struct form_field field)
{
	bool ok = true;
	int rc;

	field.form = (uint32_t)to->list.len;
	field.name = copy(to, field.name, &ok);
	field.value = copy(to, field.value, &ok);
	field.id = copy(to, field.id, &ok);
	field.label = copy(to, field.label, &ok);
	field.min = copy(to, field.min, &ok);
	field.max = copy(to, field.max, &ok);
	field.hint = copy(to, field.hint, &ok);
	field.action = field.owner = (slice){0};
	rc = ok ? keep_options(to, from, &field) : ERR_LIMIT;
	if (rc == 0)
		form_field_vec_push(&to->fields, field);
	return rc;
}

int forms_keep(struct forms *to, const struct forms *from, uint32_t number)
{
	struct form form = from->list.ptr[number];
	bool ok = true;
	int rc = 0;

	form.action = copy(to, form.action, &ok);
	form.name = copy(to, form.name, &ok);
	form.id = copy(to, form.id, &ok);
	form.classes = copy(to, form.classes, &ok);
	form.role = copy(to, form.role, &ok);
	form.rel = (slice){0};
	for (size_t i = 0; rc == 0 && i < from->fields.len; i++)
		if (from->fields.ptr[i].form == number)
			rc = keep_field(to, from, from->fields.ptr[i]);
	if (rc || !ok)
		return rc ? rc : ERR_LIMIT;
	form_vec_push(&to->list, form);
	return 0;
}
