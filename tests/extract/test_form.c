#include "extract/form.h"

#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "tap.h"

/* "POST action a=1 b=2*", with a star behind passwords. */
static void show(const struct form *form, struct buf *out)
{
	(void)buf_printf(out, "%s %.*s", form->is_post ? "POST" : "GET", (int)form->action.len,
		form->action.ptr);
	for (size_t i = 0; i < form->fields.len; i++) {
		const struct form_field *f = &form->fields.ptr[i];

		(void)buf_printf(out, " %.*s=%.*s%s", (int)f->name.len, f->name.ptr,
			(int)f->value.len, f->value.ptr, f->is_password ? "*" : "");
	}
}

static void test_rows(void)
{
	static const struct {
		const char *label, *html, *want; /* NULL: not found */
	} ROWS[] = {
		{"hidden fields",
			"<form method=post action=/in><input type=hidden name=t value='a&amp;b'>"
			"<input name=user><input type=password name=p></form>",
			"POST /in t=a&b user= p=*"},
		{"the right one of several",
			"<form><input name=q></form><form method=POST><input name=user></form>"
			"<form action=/x><input name=user></form>",
			"POST  user="},
		{"boxes",
			"<form><input name=user><input type=checkbox name=a checked>"
			"<input type=checkbox name=b><input type=radio name=c value=1 "
			"checked></form>",
			"GET  user= a=on c=1"},
		{"the first submit button",
			"<form><input name=user><input type=submit name=s value=1>"
			"<button name=t value=2>x</button></form>",
			"GET  user= s=1"},
		{"what is never sent",
			"<form><input name=user disabled><input name=user>"
			"<input type=file name=f><button type=button name=b></form>",
			"GET  user="},
		{"selects",
			"<form><select name=s><option value=1><option value=2 selected></select>"
			"<input name=user></form>",
			"GET  s=2 user="},
		{"nobody closed it", "<form><input name=user>", "GET  user="},
		{"outside of forms", "<input name=user><form><input name=q></form>", NULL},
		{"no form", "<p>hello", NULL},
		{"empty", "", NULL},
		{"in a comment", "<!--<form><input name=user></form>-->", NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct form form = {0};
		struct arena arena;
		struct buf out;

		tap_case("forms: %s", ROWS[i].label);
		arena_init(&arena, 1 << 20);
		buf_init(&out, 1 << 16);
		CHECK_INT(form_find(&form, slice_str(ROWS[i].html), SLICE("user"), &arena),
			ROWS[i].want ? 0 : ERR_NOTFOUND);
		if (ROWS[i].want)
			show(&form, &out);
		CHECK_STR(buf_str(&out), ROWS[i].want ? ROWS[i].want : "");
		buf_release(&out);
		form_release(&form);
		arena_release(&arena);
	}
}

static void test_set(void)
{
	struct form form = {0};

	CHECK_INT(form_set(&form, SLICE("a"), SLICE("1")), 0);
	CHECK_INT(form_set(&form, SLICE("a"), SLICE("2")), 0);
	CHECK_INT(form_set(&form, SLICE("b"), SLICE("3")), 0);
	CHECK_INT(form.fields.len, 2);
	CHECK_SLICE(form.fields.ptr[0].value, SLICE("2"));
	form_release(&form);
}

static void test_many_fields(void)
{
	struct form form = {0};
	struct arena arena;
	struct buf html;

	arena_init(&arena, 1 << 20);
	buf_init(&html, 1 << 20);
	(void)buf_add_str(&html, "<form>");
	for (int i = 0; i < 1000; i++)
		(void)buf_printf(&html, "<input name=f%d>", i);
	(void)buf_add_str(&html, "<input name=user></form>");
	CHECK_INT(form_find(&form, buf_slice(&html), SLICE("user"), &arena), 0);
	CHECK_INT(form.fields.len, FORM_FIELDS_MAX);
	buf_release(&html);
	form_release(&form);
	arena_release(&arena);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_rows();
	TAP_RUN(test_set);
	TAP_RUN(test_many_fields);
	return tap_done();
}
