#include "formats/stand_in.h"

#include <stdio.h>

#include "base/word.h"
#include "formats/media_type.h"
#include "formats/url.h"

/* Bytes of visible text that are kept: more than any page has that stands in another's place. */
enum { TEXT_KEPT = 2048 };

_Static_assert((int)TEXT_KEPT > BLOCKED_TEXT_MAX && (int)TEXT_KEPT > BLOCKED_LOGIN_TEXT_MAX,
	"a text that is cut must be too long for all");

void stand_in_init(struct stand_in *s)
{
	page_signs_init(&s->signs);
	page_text_init(&s->text);
	buf_init(&s->text.text, TEXT_KEPT);
	s->is_page = false;
}

void stand_in_release(struct stand_in *s)
{
	page_signs_release(&s->signs);
	page_text_release(&s->text);
}

void stand_in_reset(struct stand_in *s)
{
	page_signs_reset(&s->signs);
	page_text_reset(&s->text);
	s->is_page = false;
}

bool stand_in_is_html(slice content_type)
{
	slice type = media_type_parse(content_type).essence;

	return media_type_is_unknown(content_type) || word_is(type, SLICE("text/html")) ||
	       word_is(type, SLICE("application/xhtml+xml"));
}

bool stand_in_applies(const struct fields *head)
{
	return stand_in_is_html(media_type_of_head(head));
}

void stand_in_token(struct stand_in *s, const struct html_token *token)
{
	if (s->is_page && shell_is_over(&s->signs.shell))
		return;
	page_signs_token(&s->signs, token);
	if (!s->is_page)
		page_text_token(&s->text, token);
	s->is_page = s->text.cut || s->text.links > BLOCKED_LOGIN_LINKS_MAX;
}

struct blocked_body stand_in_body(const struct stand_in *s)
{
	if (s->is_page)
		return (struct blocked_body){.is_shell = shell_is(&s->signs.shell)};
	return blocked_read(&s->signs, &s->text);
}

/* A target that is no URL leads nowhere. */
static bool find_target(const struct stand_in_facts *f, const struct url *asked, struct url *ret)
{
	slice location = fields_get(f->head, SLICE("Location"));

	return f->status >= 300 && f->status < 400 && location.ptr &&
	       url_parse_location(ret, location, asked, NULL) == 0;
}

/* Only for redirects and pages with a password field it matters what was asked for. */
static bool asks_for_url(const struct stand_in_facts *f)
{
	return (f->status >= 300 && f->status < 400) ||
	       (f->body && (f->body->password_form || f->body->login_box));
}

int stand_in_judge(const struct stand_in_facts *f, char ret_text[STAND_IN_SIZE])
{
	struct url asked, target;
	struct blocked b;
	bool leads;
	int rc = 0;

	url_init(&asked);
	url_init(&target);
	if (asks_for_url(f))
		rc = url_parse(&asked, f->url, NULL, NULL);
	ret_text[0] = '\0';
	if (rc == 0) {
		leads = find_target(f, &asked, &target);
		b = blocked_judge(&(struct blocked_facts){
			.status = f->status,
			.fields = f->head,
			.asked = &asked,
			.target = leads ? &target : NULL,
			.body = f->body,
		});
		if (b.kind != BLOCKED_NOT)
			(void)snprintf(ret_text, STAND_IN_SIZE, "%s: %s", blocked_kind_name(b.kind),
				b.reason);
	}
	if (f->missing.len && f->status >= 200 && f->status < 300 &&
		!stand_in_blocks(slice_str(ret_text)))
		(void)snprintf(ret_text, STAND_IN_SIZE, "required: no element for %.*s",
			slice_shown(f->missing, STAND_IN_SIZE / 2), f->missing.ptr);
	url_release(&target);
	url_release(&asked);
	return rc == ERR_NOMEM ? rc : 0;
}

bool stand_in_is_shell(slice text)
{
	return slice_starts_with(text, SLICE("shell:"));
}

bool stand_in_is_doubt(slice text)
{
	return slice_starts_with(text, SLICE("doubt:"));
}

bool stand_in_blocks(slice text)
{
	return text.len && !stand_in_is_shell(text) && !stand_in_is_doubt(text);
}
