/*
 * Generated ids and classes: one name for another, one-to-one over the whole document, and the old
 * name is nowhere in the new document and conversely.
 */
#include "base/word.h"
#include "proof/names.h"
#include "proof/proof_judge.h"

enum { NAME_MAX = 256 };

/* Programs that make names, by how those begin; behind that comes what they draw. */
static const slice MAKERS[] = {SLICE_INIT("css-"), SLICE_INIT("jss"), SLICE_INIT("emotion-"),
	SLICE_INIT("svelte-"), SLICE_INIT("astro-"), SLICE_INIT("jsx-"), SLICE_INIT("sc-"),
	SLICE_INIT("phx-"), SLICE_INIT("data-v-"), SLICE_INIT("radix-")};

/* _xfUid-1-1794947376 of XenForo, yui_3_17_2_1_1794947376123_12 of YUI: numbers to the end. */
static bool is_counted_on(slice a, slice b, slice start)
{
	if (!slice_starts_with(a, start) || !slice_starts_with(b, start))
		return false;
	for (int side = 0; side < 2; side++) {
		slice s = side ? b : a;

		for (size_t i = start.len; i < s.len; i++)
			if (!word_is_digit(s.ptr[i]) && s.ptr[i] != '-' && s.ptr[i] != '_')
				return false;
	}
	return true;
}

static bool is_numbered(slice a, slice b)
{
	return is_known_name(a, b) || is_counted_on(a, b, SLICE("_xfUid-")) ||
	       is_counted_on(a, b, SLICE("yui_3_"));
}

/* A short draw: it has a digit, or a capital behind its first letter. */
static bool is_drawn(slice s)
{
	bool digit = false, capital = false, small = false;
	size_t word = s.len; /* what is left without the digits at its end: grid12 is no draw */

	while (word > 0 && word_is_digit(s.ptr[word - 1]))
		word--;

	for (size_t i = 0; i < s.len; i++) {
		if (!word_is_alnum(s.ptr[i]) && s.ptr[i] != '_' && s.ptr[i] != '-')
			return false;
		digit |= i < word && word_is_digit(s.ptr[i]);
		capital |= i > 0 && s.ptr[i] >= 'A' && s.ptr[i] <= 'Z';
		small |= s.ptr[i] >= 'a' && s.ptr[i] <= 'z';
	}
	return s.len >= 5 && s.len <= 24 && ((digit && small) || (capital && small));
}

static bool are_drawn(slice a, slice b)
{
	return is_drawn(a) && is_drawn(b) && value_is_fresh(a, b);
}

/* module__name--AbC12 of CSS modules: the last five characters. */
static bool is_of_module(slice a, slice b)
{
	size_t n = 5;
	slice head;

	if (a.len != b.len || a.len < n + 4)
		return false;
	head = slice_sub(a, 0, a.len - n);
	return slice_starts_with(b, head) &&
	       (head.ptr[head.len - 1] == '_' || head.ptr[head.len - 1] == '-') &&
	       memmem(head.ptr, head.len, "__", 2) &&
	       are_drawn(slice_sub(a, a.len - n, a.len), slice_sub(b, b.len - n, b.len));
}

/* _com_liferay_…Portlet_kmnd: four letters that Liferay draws. */
static bool is_of_liferay(slice a, slice b)
{
	size_t head = value_equal_start(a, b);
	slice x = slice_sub(a, head, head + 4), y = slice_sub(b, head, head + 4);
	slice rest = slice_sub(a, head + 4, a.len);

	if (!slice_starts_with(a, SLICE("_com_liferay_")) || x.len < 4 || y.len < 4 ||
		!slice_ends_with(slice_sub(a, 0, head), SLICE("Portlet_")) ||
		!slice_eq(rest, slice_sub(b, head + 4, b.len)) || (rest.len && rest.ptr[0] != '_'))
		return false;
	for (size_t i = 0; i < 4; i++)
		if (x.ptr[i] < 'a' || x.ptr[i] > 'z' || y.ptr[i] < 'a' || y.ptr[i] > 'z')
			return false;
	return true;
}

/* …--BBOeEwaTEGU: eleven characters that Drupal draws. */
static bool is_of_drupal(slice a, slice b)
{
	slice x = slice_sub(a, a.len > 11 ? a.len - 11 : 0, a.len);
	slice y = slice_sub(b, b.len > 11 ? b.len - 11 : 0, b.len);

	return a.len == b.len && a.len > 13 &&
	       slice_eq(slice_sub(a, 0, a.len - 11), slice_sub(b, 0, b.len - 11)) &&
	       a.ptr[a.len - 12] == '-' && a.ptr[a.len - 13] == '-' &&
	       (value_is_mixed(x) || value_is_mixed(y)) && value_are_drawn_apart(x, y);
}

static bool is_of_maker(slice a, slice b)
{
	if (is_of_liferay(a, b) || is_numbered(a, b) || is_of_drupal(a, b))
		return true;
	for (size_t i = 0; i < sizeof MAKERS / sizeof *MAKERS; i++)
		if (slice_starts_with(a, MAKERS[i]) && slice_starts_with(b, MAKERS[i]))
			return are_drawn(slice_sub(a, MAKERS[i].len, a.len),
				slice_sub(b, MAKERS[i].len, b.len));
	return is_of_module(a, b);
}

static slice next_part(slice *rest)
{
	size_t to = 0;
	slice part;
	bool is_word = rest->len && word_is_alnum(rest->ptr[0]);

	while (to < rest->len && word_is_alnum(rest->ptr[to]) == is_word)
		to++;
	part = slice_sub(*rest, 0, to);
	*rest = slice_sub(*rest, to, rest->len);
	return part;
}

/* Digits or hex digits at the end, behind letters: mcjs48213377. */
static bool has_other_tail(slice a, slice b)
{
	size_t i = 0;
	slice x, y;

	while (i < a.len && i < b.len && a.ptr[i] == b.ptr[i] && word_is_alpha(a.ptr[i]))
		i++;
	x = slice_sub(a, i, a.len);
	y = slice_sub(b, i, b.len);
	return i >= 2 && value_are_draws(x, y, 8);
}

/*
 * Six hex digits or more, drawn at random: some draws are digits or letters alone. No words:
 * "facade". Of six, three may agree by chance. In a class they may be a colour.
 */
static bool are_hex_draws(slice a, slice b)
{
	size_t agree = 0;

	if (a.len != b.len || a.len < 6 || !value_is_hex(a) || !value_is_hex(b) ||
		!(value_has_digit(a) || value_has_digit(b)))
		return false;
	for (size_t i = 0; i < a.len; i++)
		agree += a.ptr[i] == b.ptr[i];
	return agree * 2 <= a.len;
}

static bool has_letter(slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (word_is_alpha(s.ptr[i]))
			return true;
	return false;
}

/* edit-keys--wqkC-gRf4Xo: a draw of an alphabet with - and _ behind the name. */
static bool are_drawn_tails(slice a, slice b)
{
	size_t i = 0;
	slice x, y;

	while (i < a.len && i < b.len && a.ptr[i] == b.ptr[i])
		i++;
	while (i && word_is_alnum(a.ptr[i - 1]))
		i--;
	x = slice_sub(a, i, a.len);
	y = slice_sub(b, i, b.len);
	return has_letter(x) && has_letter(y) && value_are_draws(x, y, 10);
}

static bool is_isbn(slice s)
{
	return s.len == 13 &&
	       (slice_starts_with(s, SLICE("978")) || slice_starts_with(s, SLICE("979")));
}

/* A day or a time that people read: what the element is about. */
static bool is_date(slice s)
{
	struct value_time time;

	return value_time(s, &time) && !time.is_number;
}

/* Parts of a page that a theme numbers at random, so that its scripts find them. */
static bool is_widget(slice name, size_t digits)
{
	static const char LOADED[] = "|carousel|slider|slideshow|swiper|gallery|player|map|chart|"
				     "menu|tab|tabs|modal|popup|toggle|expander|lightbox|";
	static const char PLAIN[] = "|accordion|collapse|dropdown|tooltip|popover|";
	slice rest = name;

	while (rest.len) {
		slice part = next_part(&rest);

		while (part.len && word_is_digit(part.ptr[part.len - 1]))
			part.len--;
		if ((digits >= 8 && value_is_listed(part, LOADED)) ||
			(digits >= 4 && value_is_listed(part, PLAIN)))
			return true;
	}
	return false;
}

static slice without_letters(slice s)
{
	size_t i = 0;

	while (i < s.len && word_is_alpha(s.ptr[i]))
		i++;
	return slice_sub(s, i, s.len);
}

/* map_1794947393: the time of the look. slider-1810170436: a number drawn for a part of a page. */
static bool are_numbers_of_program(const struct judge *j, slice name, slice p, slice q)
{
	slice x = without_letters(p), y = without_letters(q);

	if (p.len - x.len != q.len - y.len || memcmp(p.ptr, q.ptr, p.len - x.len) != 0)
		return false;
	return value_are_counts_of_now(&j->looks, x, y) ||
	       value_are_counts_of_now(&j->looks, p, q) ||
	       (value_is_digits(x) && value_is_digits(y) && value_are_apart(x, y) &&
		       is_widget(name, x.len < y.len ? x.len : y.len));
}

/* Whether they differ in a number that is not the time of the look. */
static bool has_number(const struct judge *j, slice a, slice b)
{
	size_t start = value_equal_start(a, b);
	slice x = slice_sub(a, start, a.len), y = slice_sub(b, start, b.len);
	slice p = without_letters(next_part(&x)), q = without_letters(next_part(&y));

	return value_is_digits(p) && value_is_digits(q) &&
	       !value_are_counts_of_now(&j->looks, p, q);
}

/* form1a, link3f_hf_0: Wicket counts its components in hex digits. */
static bool is_of_wicket(struct judge *j, slice a, slice b)
{
	slice part[2] = {a, b};
	size_t head = 0;

	if (!is_wicket_page(j))
		return false;
	while (head < a.len && head < b.len && a.ptr[head] == b.ptr[head] &&
		(word_is_alpha(a.ptr[head]) || a.ptr[head] == '_'))
		head++;
	while (head > 2 && word_hex(a.ptr[head - 1]) >= 0)
		head--; /* a digit that both begin with, perhaps */
	for (int i = 0; i < 2; i++) {
		size_t digits = 0;

		part[i] = slice_sub(part[i], head, part[i].len);
		while (digits < part[i].len && word_hex(part[i].ptr[digits]) >= 0)
			digits++;
		part[i] = slice_sub(part[i], digits, part[i].len);
		if (digits > 6 || (part[i].len && part[i].ptr[0] != '_'))
			return false;
	}
	return head >= 2 && slice_eq(part[0], part[1]);
}

bool is_generated_name(struct judge *j, slice a, slice b, bool is_class)
{
	slice x = a, y = b;
	bool is_content = name_is_content(a) || name_is_content(b);

	if (a.len > NAME_MAX || b.len > NAME_MAX || !a.len || !b.len)
		return false;
	if (is_of_maker(a, b) || (!is_class && is_of_wicket(j, a, b)))
		return true;
	if (is_date(a) || is_date(b))
		return false;
	if (is_content) /* another post is another one, however it is numbered */
		return false;
	if (are_drawn_tails(a, b))
		return true;
	while (x.len || y.len) {
		slice p = next_part(&x), q = next_part(&y);

		if (slice_eq(p, q))
			continue;
		if (are_numbers_of_program(j, a, p, q))
			continue;
		if (value_is_digits(p) && value_is_digits(q) &&
			(p.len < 13 || is_isbn(p))) /* of a record */
			return false;
		if (!(are_hex_draws(p, q) && !is_class) && !value_are_draws(p, q, 7) &&
			!has_other_tail(p, q))
			return false;
	}
	return true;
}

/* Drupal names each view by a draw, whether or not a script of the page needs it. */
static bool is_drawn_for_all(slice a, slice b)
{
	static const slice HEADS[] = {SLICE_INIT("js-view-dom-id-"), SLICE_INIT("view-dom-id-")};

	for (size_t i = 0; i < sizeof HEADS / sizeof *HEADS; i++)
		if (slice_starts_with(a, HEADS[i]) && slice_starts_with(b, HEADS[i]))
			return value_are_draws(slice_sub(a, HEADS[i].len, a.len),
				slice_sub(b, HEADS[i].len, b.len), 16);
	return false;
}

/*
 * Whether a name means something beyond the page: a class may be one of a style sheet elsewhere,
 * and links of other pages lead to headings and articles.
 */
static bool is_told(const struct place *p)
{
	slice element = p->tokens && p->element != NO_TOKEN
				? p->tokens->elements.ptr[p->element].name
				: SLICE("");

	if (slice_eq(p->attr, SLICE("class")))
		return true;
	if (slice_eq(p->attr, SLICE("name")))
		return slice_eq(element, SLICE("a"));
	return slice_eq(p->attr, SLICE("id")) &&
	       value_is_listed(element, "|h1|h2|h3|h4|h5|h6|dt|a|article|p|li|tr|td|blockquote|");
}

/* Ids are names in HTML and SVG; in other XML they are data. */
static bool has_names(const struct judge *j)
{
	const struct proof_tokens *t = j->top[0];

	if (!t || (t->format != FORMAT_HTML && t->format != FORMAT_XML))
		return false;
	return t->format == FORMAT_HTML ||
	       (t->elements.len && value_is_listed(t->elements.ptr[0].name, "|html|svg|svg:svg|"));
}

static int remember(struct judge *j, slice a, slice b, const struct place *p)
{
	uint32_t at = (uint32_t)j->renames.len;
	struct rename *r;
	struct buf key;
	int rc;

	buf_init(&key, 2 * NAME_MAX + 2);
	rc = buf_add(&key, a);
	if (rc == 0)
		rc = buf_add_char(&key, '\0');
	if (rc == 0)
		rc = buf_add(&key, b);
	if (rc == 0)
		rc = strmap_put(&j->renamed, buf_slice(&key), at);
	if (rc == 0) {
		char *x = arena_strdup(&j->arena, a), *y = arena_strdup(&j->arena, b);

		rc = x && y ? rename_vec_push(&j->renames, (struct rename){.a = {x, a.len},
								   .b = {y, b.len},
								   .where = place_text(j, p)})
			    : ERR_NOMEM;
	} else if (rc == ERR_EXISTS) {
		rc = strmap_get(&j->renamed, buf_slice(&key), &at) ? 0 : ERR_NOMEM;
	}
	buf_release(&key);
	if (rc)
		return rc;
	r = &j->renames.ptr[at];
	r->is_told |= is_told(p) && !is_drawn_for_all(a, b);
	r->is_weak |= is_widget(a, 8) && has_number(j, a, b) && !is_known_name(a, b);
	r->is_referred |= !value_is_listed(p->attr, "|id|class|name|");
	r->is_bound |= !is_told(p) && !slice_eq(p->attr, SLICE("href"));
	return 0;
}

bool compare_names(struct judge *j, slice a, slice b, const struct place *p)
{
	int rc;

	if (slice_eq(a, b))
		return true;
	/* Whether pages name it likewise is not known in a file of styles or a script. */
	if (!has_names(j) || !is_generated_name(j, a, b, slice_eq(p->attr, SLICE("class"))) ||
		!explain(j, RULE_RENAME, p, a, b))
		return unexplained(j, p, a, b);
	rc = remember(j, a, b, p);
	failed(j, rc);
	return rc == 0;
}

bool compare_reference(struct judge *j, slice a, slice b, const struct place *p)
{
	return slice_eq(a, b) ||
	       (are_page_names(j, a, b) || is_known_name(a, b) ? compare_names(j, a, b, p)
							       : unexplained(j, p, a, b));
}

static int add_names(struct strmap *names, const struct proof_tokens *t)
{
	static const slice ATTRS[] = {SLICE_INIT("id"), SLICE_INIT("class"), SLICE_INIT("name"),
		SLICE_INIT("data-view-breakpoint-pointer")};
	int rc = 0;

	for (size_t i = 0; t && i < t->elements.len; i++)
		for (size_t n = 0; n < sizeof ATTRS / sizeof *ATTRS; n++) {
			slice list = proof_attr(&t->elements.ptr[i], ATTRS[n]), word;

			while ((rc == 0 || rc == ERR_EXISTS) && word_next(&list, ' ', &word))
				rc = strmap_put(names, word, 0);
		}
	return rc == ERR_EXISTS ? 0 : rc;
}

static slice first_nonce(const struct proof_tokens *t)
{
	slice nonce = SLICE("");

	for (size_t i = 0; t && i < t->elements.len && !nonce.len; i++)
		nonce = proof_attr(&t->elements.ptr[i], SLICE("nonce"));
	return nonce;
}

static bool is_wicket(slice text)
{
	return text.len && (memmem(text.ptr, text.len, "wicket/resource/", 16) ||
				   memmem(text.ptr, text.len, "Wicket.Event", 12) ||
				   memmem(text.ptr, text.len, "Wicket.Ajax", 11));
}

static void read_names(struct judge *j)
{
	if (!j->has_names) {
		j->has_names = true;
		j->is_wicket = is_wicket(j->text[0]) && is_wicket(j->text[1]);
		j->nonce[0] = first_nonce(j->top[0]);
		j->nonce[1] = first_nonce(j->top[1]);
		failed(j, add_names(&j->names[0], j->top[0]));
		failed(j, add_names(&j->names[1], j->top[1]));
	}
}

bool is_wicket_page(struct judge *j)
{
	read_names(j);
	return j->is_wicket;
}

bool are_page_names(struct judge *j, slice a, slice b)
{
	read_names(j);
	return strmap_get(&j->names[0], a, NULL) && strmap_get(&j->names[1], b, NULL);
}

bool have_page_nonces(struct judge *j, slice a, slice b)
{
	slice x, y;

	read_names(j);
	x = j->nonce[0];
	y = j->nonce[1];
	if (x.len < 16 || y.len < 16 || !value_are_secrets(x, y))
		return false;
	while (a.len && b.len) {
		bool has_nonce = slice_starts_with(a, x) && slice_starts_with(b, y);

		if (!has_nonce && a.ptr[0] != b.ptr[0])
			return false;
		a = slice_sub(a, has_nonce ? x.len : 1, a.len);
		b = slice_sub(b, has_nonce ? y.len : 1, b.len);
	}
	return a.len == b.len;
}

static bool is_name_byte(char c)
{
	return word_is_alnum(c) || c == '_' || c == '-' || c == '$';
}

/* Whether the text has one of the names as a word of its own. */
static bool leaves_trace(slice text, const struct strmap *names, slice *ret)
{
	for (size_t i = 0; i < text.len;) {
		size_t to = i;
		slice word;

		while (to < text.len && is_name_byte(text.ptr[to]))
			to++;
		word = slice_sub(text, i, to);
		if (word.len >= 5 && strmap_get(names, word, NULL)) {
			*ret = word;
			return true;
		}
		i = to + 1;
	}
	return false;
}

void check_renames(struct judge *j)
{
	struct strmap to, from;
	struct place p = {.step = "renamed", .element = NO_TOKEN, .in = PROOF_IN_ATTRIBUTES};
	slice word;
	int rc = 0;

	if (!j->renames.len || j->is_done)
		return;
	strmap_init(&to, j->renamed.key, NULL);
	strmap_init(&from, j->renamed.key, NULL);
	for (size_t i = 0; i < j->renames.len && (rc == 0 || rc == ERR_EXISTS); i++) {
		const struct rename *r = &j->renames.ptr[i];
		int once = strmap_put(&to, r->a, (uint32_t)i);

		rc = strmap_put(&from, r->b, (uint32_t)i);
		if (once == ERR_EXISTS || rc == ERR_EXISTS || (r->is_told && !r->is_bound) ||
			(r->is_weak && !r->is_referred))
			(void)unexplained(
				j, &p, r->a, r->b); /* not one-to-one, or not the page's own */
		else if (rc == 0)
			rc = once;
	}
	if (leaves_trace(j->text[1], &to, &word) || leaves_trace(j->text[0], &from, &word))
		(void)unexplained(j, &p, word, word);
	failed(j, rc == ERR_EXISTS ? 0 : rc);
	strmap_release(&to);
	strmap_release(&from);
}
