#include "crawl/warcinfo.h"

#include <stdio.h>
#include <string.h>

static const size_t TEXT_MAX = 8 << 20;

static int add_info(struct warcinfo *w, const char *name, slice value)
{
	return value.ptr ? field_vec_push(&w->info, (struct field){slice_str(name), value}) : 0;
}

/* "stillpoint-delay: 2": the rules of the capture, one by one. */
static int add_setting(void *context, const char *name, slice value)
{
	struct warcinfo *w = context;
	char *full = arena_alloc(&w->text, sizeof "stillpoint-" + strlen(name), 1);
	const char *copy = arena_strdup(&w->text, value);

	if (!full || !copy)
		return ERR_NOMEM;
	(void)sprintf(full, "stillpoint-%s", name);
	for (char *at = full; *at; at++)
		if (*at == '_')
			*at = '-';
	return add_info(w, full, (slice){copy, value.len});
}

/* Seeds that a warcinfo record has room for; a capture's first record has them all. */
enum { INFO_SEEDS_MAX = 100 };

static int add_setting_but_seeds(void *context, const char *name, slice value)
{
	return strcmp(name, "seeds") == 0 ? 0 : add_setting(context, name, value);
}

/* Of several captures: what they have in common. */
static int add_common(void *context, const char *name, slice value)
{
	return crawl_setting_is_own(name) ? 0 : add_setting(context, name, value);
}

/* The fields of every warcinfo record: who made the file, how, and by which rules. */
static int describe(struct warcinfo *w, const struct warcinfo_params *p)
{
	static const struct catalog_capture NONE;
	const struct catalog_capture *only = p->only ? p->only : &NONE;
	const char *contact = p->settings->contact;
	bool seeds = p->settings->seeds.len <= INFO_SEEDS_MAX;
	crawl_on_setting *one = seeds ? add_setting : add_setting_but_seeds;
	const struct {
		const char *name;
		slice value; /* ptr NULL: left out */
	} fields[] = {
		{"software", SLICE("stillpoint/" STILLPOINT_VERSION)},
		{"format", SLICE("WARC File Format 1.1")},
		{"conformsTo", SLICE("https://iipc.github.io/warc-specifications/specifications/"
				     "warc-format/warc-1.1/")},
		{"isPartOf", only->uuid},
		{"description", only->site},
		{"stillpoint-strategy-used", only->strategy},
		{"robots", p->settings->ignore_robots ? SLICE("ignore") : SLICE("obey")},
		{"operator", contact ? slice_str(contact) : (slice){0}},
		{"http-header-user-agent", slice_str(p->user_agent)},
		{"stillpoint-evidence",
			p->settings->bytes_only ? SLICE("bytes") : SLICE("bytes, normalised")},
	};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof fields / sizeof fields[0]; i++)
		rc = add_info(w, fields[i].name, fields[i].value);
	return rc ? rc : crawl_settings_each(p->settings, p->only ? one : add_common, w);
}

/* Cookies and passwords are secret, and so is every field that may be a key. */
static int name_secrets(struct warcinfo *w, const struct crawl_secrets *secrets)
{
	static const slice NAMES[] = {SLICE_INIT("cookie"), SLICE_INIT("authorization"),
		SLICE_INIT("proxy-authorization")};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof NAMES / sizeof NAMES[0]; i++)
		rc = slice_vec_push(&w->secret, NAMES[i]);
	for (size_t i = 0; rc == 0 && secrets && i < secrets->headers.len; i++)
		rc = slice_vec_push(&w->secret, crawl_secrets_header_name(secrets->headers.ptr[i]));
	return rc;
}

int warcinfo_init(struct warcinfo *w, const struct warcinfo_params *p)
{
	int rc;

	*w = (struct warcinfo){0};
	arena_init(&w->text, TEXT_MAX);
	rc = describe(w, p);
	if (rc == 0 && !p->settings->keep_secrets)
		rc = name_secrets(w, p->secrets);
	if (rc)
		warcinfo_release(w);
	return rc;
}

void warcinfo_release(struct warcinfo *w)
{
	arena_release(&w->text);
	field_vec_release(&w->info);
	slice_vec_release(&w->secret);
	*w = (struct warcinfo){0};
}
