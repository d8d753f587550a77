#include "extract/form.h"

#include "base/word.h"
#include "extract/html_attr.h"
#include "extract/html_token.h"

struct finder {
	struct form *form;
	slice wanted;
	struct arena *arena;
	bool is_open;    /* within a form element */
	bool has_wanted; /* the form has the field */
	bool has_submit; /* and a submit button */
	slice selecting; /* name of the select element that is open; ptr NULL: none */
};

static int keep(struct finder *f, slice text, slice *ret)
{
	const char *copy = arena_strdup(f->arena, text);

	if (!copy)
		return ERR_NOMEM;
	*ret = (slice){copy, text.len};
	return 0;
}

static int add(struct finder *f, slice name, slice value, bool is_password)
{
	struct form_field field = {.is_password = is_password};
	int rc;

	f->has_wanted = f->has_wanted || slice_eq(name, f->wanted);
	if (f->form->fields.len >= FORM_FIELDS_MAX)
		return 0;
	rc = keep(f, name, &field.name);
	if (rc == 0)
		rc = keep(f, value.ptr ? value : SLICE(""), &field.value);
	return rc ? rc : form_fields_push(&f->form->fields, field);
}

static bool is_one_of(slice word, const char *const *words)
{
	for (; *words; words++)
		if (word_is(word, slice_str(*words)))
			return true;
	return false;
}

/* An input or button element. */
static int add_control(struct finder *f, const struct html_token *t, slice fallback)
{
	static const char *const BOXES[] = {"checkbox", "radio", NULL};
	static const char *const SENT_BY_HAND[] = {"submit", "image", NULL};
	static const char *const NEVER[] = {"button", "reset", "file", NULL};
	slice type = html_attr_value(t, SLICE("type"));
	slice name = html_attr_value(t, SLICE("name"));
	slice value = html_attr_value(t, SLICE("value"));

	if (!type.ptr)
		type = fallback;
	if (name.len == 0 || is_one_of(type, NEVER) || html_attr_value(t, SLICE("disabled")).ptr)
		return 0;
	if (is_one_of(type, BOXES) && !html_attr_value(t, SLICE("checked")).ptr)
		return 0;
	if (is_one_of(type, BOXES) && !value.ptr)
		value = SLICE("on");
	if (is_one_of(type, SENT_BY_HAND)) {
		if (f->has_submit)
			return 0;
		f->has_submit = true;
	}
	return add(f, name, value, word_is(type, SLICE("password")));
}

static int open_form(struct finder *f, const struct html_token *t)
{
	slice action = html_attr_value(t, SLICE("action"));

	f->form->fields.len = 0;
	f->has_submit = false;
	f->is_open = true;
	f->form->is_post = word_is(html_attr_value(t, SLICE("method")), SLICE("post"));
	return keep(f, action.ptr ? action : SLICE(""), &f->form->action);
}

static int on_start(struct finder *f, const struct html_token *t)
{
	if (slice_eq(t->name, SLICE("base")) && !f->form->base.ptr &&
		html_attr_value(t, SLICE("href")).ptr)
		return keep(f, html_attr_value(t, SLICE("href")), &f->form->base);
	if (slice_eq(t->name, SLICE("form")) && !f->is_open)
		return open_form(f, t);
	if (!f->is_open)
		return 0;
	if (slice_eq(t->name, SLICE("input")))
		return add_control(f, t, SLICE("text"));
	if (slice_eq(t->name, SLICE("button")))
		return add_control(f, t, SLICE("submit"));
	if (slice_eq(t->name, SLICE("textarea")) && html_attr_value(t, SLICE("name")).len > 0)
		return add(f, html_attr_value(t, SLICE("name")), SLICE(""), false);
	if (slice_eq(t->name, SLICE("select")))
		return keep(f,
			html_attr_value(t, SLICE("name")).ptr ? html_attr_value(t, SLICE("name"))
							      : SLICE(""),
			&f->selecting);
	if (slice_eq(t->name, SLICE("option")) && f->selecting.len > 0 &&
		html_attr_value(t, SLICE("selected")).ptr)
		return add(f, f->selecting, html_attr_value(t, SLICE("value")), false);
	return 0;
}

/* *ret_found: the form that ends here is the one. */
static int on_token(struct finder *f, const struct html_token *t, bool *ret_found)
{
	if (t->kind == HTML_START_TAG)
		return on_start(f, t);
	if (t->kind != HTML_END_TAG)
		return 0;
	if (slice_eq(t->name, SLICE("select")))
		f->selecting = (slice){0};
	if (slice_eq(t->name, SLICE("form"))) {
		*ret_found = f->is_open && f->has_wanted;
		f->is_open = false;
	}
	return 0;
}

int form_find(struct form *form, slice html, slice name, struct arena *arena)
{
	struct finder f = {.form = form, .wanted = name, .arena = arena};
	const struct html_token *token;
	struct html_tokenizer t;
	bool is_found = false, is_fed = false;
	int rc = 0;

	html_init(&t, 0);
	html_feed(&t, html);
	while (rc == 0 && !is_found) {
		rc = html_next(&t, &token);
		if (rc == 0) {
			rc = on_token(&f, token, &is_found);
		} else if (rc == ERR_END && !is_fed) {
			is_fed = true;
			html_finish(&t);
			rc = 0;
		}
	}
	html_release(&t);
	if (rc == ERR_END) /* a form that nobody closed */
		return f.is_open && f.has_wanted ? 0 : ERR_NOTFOUND;
	return rc;
}

void form_release(struct form *form)
{
	form_fields_release(&form->fields);
}

int form_set(struct form *form, slice name, slice value)
{
	for (size_t i = 0; i < form->fields.len; i++) {
		if (slice_eq(form->fields.ptr[i].name, name)) {
			form->fields.ptr[i].value = value;
			return 0;
		}
	}
	return form_fields_push(&form->fields, (struct form_field){.name = name, .value = value});
}
