#include "proof/rulebook.h"
#include "proof/noise_rules.h"

#include "base/word.h"

const struct rulebook *rulebook_default(void)
{
	static const struct rulebook DEFAULT = {0};

	return &DEFAULT;
}

void rulebook_init(struct rulebook *b)
{
	*b = (struct rulebook){0};
	ignore_init(&b->ignore);
	buf_init(&b->text, IGNORE_FILE_MAX);
}

void rulebook_release(struct rulebook *b)
{
	ignore_release(&b->ignore);
	buf_release(&b->text);
}

static bool is_named(slice name, const char *want)
{
	if (name.len != strlen(want))
		return false;
	for (size_t i = 0; i < name.len; i++)
		if (name.ptr[i] != want[i] && !(name.ptr[i] == '-' && want[i] == '_'))
			return false;
	return true;
}

int rulebook_add(struct rulebook *b, slice name, slice value)
{
	enum proof_rule_id rule;

	if (is_named(name, "ignore")) {
		(void)buf_add(&b->text, word_trim(value));
		(void)buf_add_char(&b->text, '\n');
	} else if (is_named(name, "without_rules") && proof_rule_find(value, &rule)) {
		b->off |= (proof_rule_set)1 << rule;
	}
	return b->text.error;
}

int rulebook_add_settings(struct rulebook *b, slice settings)
{
	while (settings.len) {
		slice value = slice_take(&settings, '\n'), name = slice_take(&value, ' ');

		TRY(rulebook_add(b, name, value));
	}
	return 0;
}

bool rulebook_next_line(slice *content, slice *ret_line)
{
	if (content->len == 0)
		return false;
	*ret_line = word_trim(slice_take(content, '\n'));
	return true;
}

int rulebook_add_info(struct rulebook *b, slice block)
{
	static const slice PREFIX = SLICE_INIT("stillpoint-");

	while (block.len) {
		slice value = slice_take(&block, '\n'), name = slice_take(&value, ':');

		if (slice_starts_with(name, PREFIX))
			TRY(rulebook_add(
				b, slice_sub(name, PREFIX.len, name.len), word_trim(value)));
	}
	return 0;
}

int rulebook_add_file(struct rulebook *b, slice content)
{
	slice line;

	while (rulebook_next_line(&content, &line))
		TRY(rulebook_add(b, SLICE("ignore"), line));
	return 0;
}

int rulebook_write(const struct rulebook *b, struct buf *out)
{
	slice left = buf_slice(&b->text), line;

	for (unsigned i = 0; i < RULE_COUNT; i++)
		if (b->off >> i & 1)
			(void)buf_printf(
				out, "without_rules %s\n", proof_rule_name((enum proof_rule_id)i));
	while (rulebook_next_line(&left, &line))
		(void)buf_printf(out, "ignore %.*s\n", (int)line.len, line.ptr);
	return out->error;
}

int rulebook_finish(struct rulebook *b, const char *file, struct err *err)
{
	int rc = ignore_parse(&b->ignore, buf_slice(&b->text), file, err);

	b->has_ignore = rc == 0 && b->ignore.rules.len > 0;
	return rc;
}
