#include "cmd/report_next.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/report_words.h"
#include "cmd/text.h"

/* ---- the capture before ---- */

struct looking {
	const struct catalog_capture *now;
	uint32_t before; /* 0: none so far */
	int64_t started;
	uint64_t present, sharp; /* captured pages but for absent ones, and sharp ones */
};

static int on_capture(void *context, const struct catalog_capture *row)
{
	struct looking *l = context;

	if (row->id < l->now->id && row->state != CATALOG_RUNNING &&
		slice_eq(row->site, l->now->site)) {
		l->before = row->id;
		l->started = row->started;
	}
	return 0;
}

static int on_verdict(void *context, const struct catalog_verdict *v)
{
	struct looking *l = context;

	for (int i = 0; i < VERDICT_COUNT; i++)
		if (slice_eq(v->verdict, slice_str(verdict_name((enum verdict)i)))) {
			l->present += verdict_is_captured((enum verdict)i) && i != VERDICT_ABSENT;
			l->sharp += i == VERDICT_SHARP;
		}
	return 0;
}

static uint64_t present_of(const struct report *r)
{
	return r->captured - r->totals[VERDICT_ABSENT];
}

/* Pages that go between the captures are no loss of sharpness. */
static void print_moved(const struct report *r, const struct looking *l, FILE *file)
{
	char date[CLOCK_TEXT_SIZE];

	clock_format(l->started, CLOCK_ROUND_DOWN, date);
	(void)fprintf(file,
		"\nSharpness without absent pages: %.1f %%; in capture %" PRIu32
		" of this site (%s) it was %.1f %%.\n",
		report_percent(r->totals[VERDICT_SHARP], present_of(r)), l->before, date,
		report_percent(l->sharp, l->present));
}

int report_print_moved(const struct report *r, struct catalog *c, FILE *file, struct err *err)
{
	struct looking l = {.now = &r->capture};
	int rc = catalog_each_capture(c, on_capture, &l, err);

	if (rc == 0 && l.before)
		rc = catalog_each_verdict(c, l.before, on_verdict, &l, err);
	if (rc == 0 && l.present > 0 && present_of(r) > 0)
		print_moved(r, &l, file);
	return rc;
}

/* ---- what to do next ---- */

void report_print_next(const char *archive, FILE *file)
{
	static const struct {
		const char *command, *rest, *what;
	} STEPS[] = {
		{"report", " --why URL", "why a page is what it is"},
		{"diff", " URL", "what changed in a page"},
		{"serve", "", "browse the archive"},
		{"report", " --html FILE", "one page to file or send"},
		{"verify", "", "check every claim"},
	};
	enum { WIDTH = sizeof "report --html FILE" };

	(void)fputs("\nNext steps:\n\n", file);
	for (size_t i = 0; i < sizeof STEPS / sizeof STEPS[0]; i++) {
		(void)fprintf(file, "  stillpoint %s ", STEPS[i].command);
		text_name(file, slice_str(archive), 0);
		(void)fprintf(file, "%s%*s  %s\n", STEPS[i].rest,
			WIDTH - (int)(strlen(STEPS[i].command) + strlen(STEPS[i].rest)), "",
			STEPS[i].what);
	}
}
