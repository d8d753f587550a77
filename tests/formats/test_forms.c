/* Forms: what is read of them, which may be sent, what their fields take, and what they send. */
#include "formats/page.h"

#include <stdio.h>

#include "formats/form_submit.h"
#include "tap.h"

static void read_forms(const char *html, struct forms *f)
{
	struct page *page = malloc(sizeof *page);

	forms_init(f);
	page_open(page, &(struct page_params){
				.content_type = SLICE("text/html; charset=utf-8"), .forms = f});
	CHECK_INT(page_feed(page, slice_str(html)), 0);
	CHECK_INT(page_finish(page), 0);
	page_close(page);
	free(page);
}

static const struct {
	const char *html;
	enum form_refusal want; /* of the first form */
} judged[] = {
	{"<form action=/s><input name=q></form>", FORM_REFUSED_NONE},
	{"<form><input name=terms></form>", FORM_REFUSED_NONE},
	{"<form><select name=c><option>a</select></form>", FORM_REFUSED_NONE},
	{"<form method=post action=/search><input name=x></form>", FORM_REFUSED_NONE},
	{"<form method=post><input name=x><button>Suchen</button></form>", FORM_REFUSED_NONE},
	{"<form method=post role=search><input name=x></form>", FORM_REFUSED_NONE},
	{"<search><form method=post><input name=x></form></search>", FORM_REFUSED_NONE},
	{"<form action=/s><input name=q><select name=order><option>up</select></form>",
		FORM_REFUSED_NONE},
	{"<form action=/s><input name=q><button>Go</button></form>", FORM_REFUSED_NONE},
	{"<form action=/s><input name=q><button>\xf0\x9f\x94\x8d</button></form>",
		FORM_REFUSED_NONE},
	{"<form action=/s><input name=q><input type=submit value='Show results'></form>",
		FORM_REFUSED_NONE},
	{"<form action=/wiki><input type=hidden name=do value=search><input name=q></form>",
		FORM_REFUSED_NONE},
	{"<form action=/git><input type=hidden name=a value=search><input name=s></form>",
		FORM_REFUSED_NONE},
	{"<form action=/admin><input name=host><button>Reboot</button></form>",
		FORM_REFUSED_EFFECT},
	{"<form action=/mail><input name=q><button>Empty trash</button></form>",
		FORM_REFUSED_EFFECT},
	{"<form action=/x><input name=q><button>Feuer frei</button></form>", FORM_REFUSED_EFFECT},
	{"<form action=/f><input type=hidden name=do value=rm><input name=q></form>",
		FORM_REFUSED_EFFECT},
	{"<form action=/f><input type=hidden name=do value=something><input name=q></form>",
		FORM_REFUSED_EFFECT},
	{"<form method=post action=/search><input type=hidden name=x value=purge>"
	 "<input name=q></form>",
		FORM_REFUSED_EFFECT},
	{"<form action=/admin/reboot><input name=q></form>", FORM_REFUSED_EFFECT},
	{"<form action=/x id=purge-form><input name=q></form>", FORM_REFUSED_EFFECT},
	{"<form method=post><input name=x></form>", FORM_REFUSED_POST},
	{"<form method=post action=/search><textarea name=x></textarea><input name=q></form>",
		FORM_REFUSED_POST},
	{"<form rel='external NoFollow'><input name=q></form>", FORM_REFUSED_NOFOLLOW},
	{"<form method=dialog><input name=q></form>", FORM_REFUSED_METHOD},
	{"<form action=' JavaScript:x()'><input name=q></form>", FORM_REFUSED_SCRIPT},
	{"<form action=mailto:a@b><input name=q></form>", FORM_REFUSED_SCRIPT},
	{"<form method=post enctype=multipart/form-data action=/search><input name=q></form>",
		FORM_REFUSED_CODING},
	{"<form><input name=q><input type=password></form>", FORM_REFUSED_PASSWORD},
	{"<form><input name=user_passwd></form>", FORM_REFUSED_PASSWORD},
	{"<form><input name=q><input type=email name=m></form>", FORM_REFUSED_MAIL},
	{"<form><input name=your-email></form>", FORM_REFUSED_MAIL},
	{"<form><input name=q autocomplete=cc-number></form>", FORM_REFUSED_PAYMENT},
	{"<form><input name=cardNumber></form>", FORM_REFUSED_PAYMENT},
	{"<form><input name=q><input type=file name=f></form>", FORM_REFUSED_FILE},
	{"<form><input name=q><input type=tel name=t></form>", FORM_REFUSED_PERSONAL},
	{"<form action=/orders><input name=q></form>", FORM_REFUSED_EFFECT},
	{"<form action=/a id=unsubscribe-me><input name=q></form>", FORM_REFUSED_EFFECT},
	{"<form name=voteForm><input name=q></form>", FORM_REFUSED_EFFECT},
	{"<form><input name=q><button><b>Delete</b> all</button></form>", FORM_REFUSED_EFFECT},
	{"<form><input name=q><input type=submit value='Abonnieren'></form>", FORM_REFUSED_EFFECT},
	{"<form><input name=q><button>Log in</button></form>", FORM_REFUSED_EFFECT},
	{"<form><input name=q><input type=hidden name=do value=remove></form>",
		FORM_REFUSED_EFFECT},
	{"<form><input name=q><button formaction=/x>Go</button></form>", FORM_REFUSED_EFFECT},
	{"<form><input type=hidden name=x><button>Go</button></form>", FORM_REFUSED_EMPTY},
	{"<form><input type=search></form>", FORM_REFUSED_EMPTY},
	{"<form id=a><input name=q></form><input type=password form=a>", FORM_REFUSED_PASSWORD},
	{"<form><input name=q><form action=/in></form><input type=password></form>",
		FORM_REFUSED_NONE}, /* the inner end tag ends the outer form, as in browsers */
	{"<form><form><input name=q><input type=password></form>", FORM_REFUSED_PASSWORD},
	{"<form><input name=__wb_method value=POST><input name=q></form>", FORM_REFUSED_SCRIPT},
};

static void test_judging(void)
{
	for (size_t i = 0; i < ARRAY_LEN(judged); i++) {
		struct forms f;

		read_forms(judged[i].html, &f);
		tap_case("%s", judged[i].html);
		CHECK(f.list.len >= 1);
		CHECK_STR(form_refusal_text(form_refuse(&f, 0)), form_refusal_text(judged[i].want));
		forms_release(&f);
	}
}

static const struct {
	const char *html; /* of a field */
	const char *want;
	uint32_t values;
	const char *last; /* of them */
} fields[] = {
	{"<input name=q>", "words", 0, NULL},
	{"<input name=plz>", "code", 0, NULL},
	{"<label for=a>Jahr</label><input id=a name=x>", "year", 0, NULL},
	{"<input name=sort>", "none", 0, NULL},
	{"<input>", "none", 0, NULL},
	{"<input name=q disabled>", "none", 0, NULL},
	{"<select name=c><option value=1>a<option>b</select>", "choice", 2, "b"},
	{"<input type=radio name=r value=x><input type=radio name=r value=y>", "choice", 2, "y"},
	{"<input type=number name=n min=1 max=5>", "number", 5, "5"},
	{"<input type=range name=n min=0 max=1000>", "number", 32, "1000"},
	{"<input type=number name=n>", "none", 0, NULL},
	{"<input type=date name=d min=2020-01-01 max=2020-12-31>", "date", 32, "2020-12-31"},
	{"<input type=month name=d>", "month", 32, "2024-10"},
};

static void test_fields(void)
{
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		char html[512], text[FORM_VALUE_SIZE];
		const struct form_field *field;
		struct forms f;

		(void)snprintf(html, sizeof html, "<form>%s</form>", fields[i].html);
		read_forms(html, &f);
		tap_case("%s", fields[i].html);
		field = &f.fields.ptr[0];
		CHECK_STR(form_sense_name(form_sense_of(&f, field)), fields[i].want);
		CHECK_INT(form_value_count(&f, field), fields[i].values);
		if (fields[i].last) /* 20,000 days: 2024-10-04 */
			CHECK_SLICE(form_value(&f, field, fields[i].values - 1, 20000, text),
				slice_str(fields[i].last));
		forms_release(&f);
	}
}

static void test_sending(void)
{
	struct form_binding bindings[] = {{0, SLICE("\xc3\xbc"
						    "b er&1")},
		{5, SLICE("b")}};
	struct forms f, kept;
	struct buf out;

	read_forms("<form><input name=q value=x><input type=hidden name=h value='1 2'>"
		   "<input type=checkbox name=off><input type=checkbox name=on checked>"
		   "<select name=s><option>1<option selected>2</select>"
		   "<input type=radio name=r value=a checked><input type=radio name=r value=b>"
		   "<button name=go value=y>Go</button><button name=no>No</button>"
		   "<input name=d disabled></form><form><input name=z></form>",
		&f);
	forms_init(&kept);
	buf_init(&out, FORM_SENT_MAX);
	CHECK_INT(form_submit(&f, 0, NULL, 0, &out), 0);
	CHECK_STR(buf_str(&out), "q=x&h=1+2&on=on&s=2&r=a&go=y");
	buf_reset(&out);
	CHECK_INT(form_submit(&f, 0, bindings, 2, &out), 0);
	CHECK_STR(buf_str(&out), "q=%C3%BCb+er%261&h=1+2&on=on&s=2&r=b&go=y");
	buf_reset(&out);
	CHECK_INT(forms_keep(&kept, &f, 1), 0);
	CHECK_INT(forms_keep(&kept, &f, 0), 0);
	CHECK_INT(form_submit(&kept, 1, NULL, 0, &out), 0);
	CHECK_STR(buf_str(&out), "q=x&h=1+2&on=on&s=2&r=a&go=y");
	buf_release(&out);
	forms_release(&kept);
	forms_release(&f);
}

/* More than the limits: cut, and not sent if a field may be missing. */
static void test_limits(void)
{
	struct buf html;
	struct forms f;

	buf_init(&html, 8 << 20);
	for (int i = 0; i < 1000; i++)
		CHECK_INT(buf_add_str(&html, "<form><input name=q></form>"), 0);
	CHECK_INT(buf_add_str(&html, "<form><select name=s>"), 0);
	for (int i = 0; i < 10000; i++)
		CHECK_INT(buf_printf(&html, "<option>%d", i), 0);
	read_forms(buf_str(&html), &f);
	CHECK_INT(f.list.len, FORMS_MAX);
	CHECK(f.cut);
	forms_release(&f);

	buf_reset(&html);
	CHECK_INT(buf_add_str(&html, "<form><select name=s>"), 0);
	for (int i = 0; i < 10000; i++)
		CHECK_INT(buf_printf(&html, "<option>%d", i), 0);
	CHECK_INT(buf_add_str(&html, "</select><input name=q>"), 0);
	read_forms(buf_str(&html), &f);
	CHECK_INT(form_value_count(&f, &f.fields.ptr[0]), 10000);
	CHECK_INT(form_refuse(&f, 0), FORM_REFUSED_NONE);
	forms_release(&f);

	for (int i = 0; i < FORM_FIELDS_MAX; i++)
		CHECK_INT(buf_add_str(&html, "<input name=q>"), 0);
	CHECK_INT(buf_add_str(&html, "<input type=password>"), 0);
	read_forms(buf_str(&html), &f);
	CHECK_INT(f.fields.len, FORM_FIELDS_MAX);
	CHECK_INT(form_refuse(&f, 0), FORM_REFUSED_CUT);
	forms_release(&f);
	buf_release(&html);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_judging();
	test_fields();
	TAP_RUN(test_sending);
	TAP_RUN(test_limits);
	return tap_done();
}
