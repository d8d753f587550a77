#include "formats/form_submit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/calendar.h"
#include "base/parse.h"
#include "base/word.h"
#include "formats/percent.h"

enum {
	STEM_MIN = 5,  /* letters of a word that may begin a longer one */
	PART_MAX = 64, /* bytes of a word */
};

/* Lower case; with and without accents. */
static const char *const EFFECTS[] = {"add", "agree", "anmelden", "apply", "approve", "assign",
	"ban", "basket", "bestel", "bestell", "book now", "buchen", "buy", "cancel", "cart",
	"checkout", "comment", "commenter", "commande", "compra", "comprar", "confirm", "contact",
	"create", "delete", "destroy", "donate", "edit", "einloggen", "eliminar", "enviar",
	"envoyer", "favorite", "feedback", "follow", "invia", "invite", "join", "kaufen", "kontakt",
	"like", "login", "logon", "logout", "löschen", "loeschen", "message", "moderate",
	"newsletter", "optin", "optout", "order", "panier", "password", "pay", "payment", "pedido",
	"poll", "publish", "purchase", "react", "register", "registr", "remove", "reply", "reserve",
	"reset password", "review", "save", "send", "senden", "share", "signin", "signout",
	"signup", "speichern", "spenden", "subscri", "abonn", "abbestell", "abstimm", "supprimer",
	"suscri", "transfer", "unsubscri", "update", "upload", "verwijder", "verzend", "vota",
	"vote", "voter", "votar", "warenkorb", "write", "zahlen", "bezahl", "аноним", "удалить",
	"отправить", "купить", "заказ", "подпис", "голосова", "送信", "削除", "購入", "注文",
	"登録", "投票", "提交订单", "删除", "发送", "购买", "订阅", "submit comment",
	"post comment", "sign up", "sign in", "log in", "log out"};
/* What no form that is sent may say in any hidden value, whatever its name. */
static const char *const ORDERS[] = {"reboot", "restart", "shutdown", "poweroff", "halt", "purge",
	"rm", "del", "drop", "kill", "wipe", "erase", "flush", "truncate", "empty", "trash",
	"reset", "enable", "disable", "activate", "deactivate", "install", "uninstall", "upgrade",
	"exec", "execute", "revoke", "grant", "unlock", "lock", "rename", "neustart", "neustarten",
	"leeren", "vider", "vaciar", "svuota", "reiniciar", "redémarrer", "перезагрузить", "重启",
	"再起動"};
/* What a button may say that sends a question: one of these, or a word of searching. */
static const char *const ASKS[] = {"go", "ok", "okay", "show", "display", "list", "view", "submit",
	"next", "select", "choose", "results", "los", "weiter", "anzeigen", "zeigen", "abfragen",
	"afficher", "voir", "valider", "mostrar", "ver", "mostra", "vedi", "vai", "ir", "toon",
	"visa", "vis", "näytä", "pokaż", "zobrazit", "göster", "показать", "表示", "显示"};
static const char *const SEARCHES[] = {"search", "query", "find", "finder", "lookup", "filter",
	"browse", "such", "suche", "suchen", "recherche", "rechercher", "chercher", "busca",
	"buscar", "búsqueda", "busqueda", "cerca", "ricerca", "pesquisa", "procurar", "zoek",
	"zoeken", "sök", "søg", "søk", "haku", "etsi", "szukaj", "wyszukaj", "hledat", "keres",
	"keresés", "ara", "поиск", "найти", "искать", "検索", "搜索", "搜尋", "查询", "검색", "بحث",
	"חיפוש"};
static const char *const MAILS[] = {"email", "mail", "emailaddress", "mailaddress", "courriel"};
static const char *const PAYMENTS[] = {"card", "cardnumber", "ccnumber", "creditcard", "cvv", "cvc",
	"iban", "bic", "kreditkarte", "cartedecredit", "expiry", "ccexp"};
static const char *const PASSWORDS[] = {
	"password", "passwd", "passwort", "kennwort", "passphrase", "pwd", "motdepasse"};
static const char *const PERSONS[] = {"firstname", "lastname", "surname", "phone", "telephone",
	"telefon", "street", "vorname", "nachname", "captcha"};
static const char *const CONSENTS[] = {"agree", "accept", "consent", "terms", "agb", "privacy"};
static const char *const CODES[] = {"zip", "zipcode", "plz", "postcode", "postalcode",
	"postleitzahl", "isbn", "issn", "code", "sku", "ean", "doi", "number", "nummer", "id"};
static const char *const YEARS[] = {"year", "jahr", "annee", "année", "ano", "año", "anno"};
/* Fields that change how results are shown, not which. */
static const char *const SHOWS[] = {"sort", "sortby", "order", "orderby", "dir", "direction",
	"limit", "perpage", "pagesize", "rows", "view", "display", "format", "lang", "language",
	"layout", "theme", "page", "offset", "start"};
static const char *const ACTIONS[] = {
	"action", "act", "cmd", "command", "do", "op", "operation", "task", "method", "mode"};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

const char *form_refusal_text(enum form_refusal refusal)
{
	static const char *const TEXTS[] = {
#define X(id, text) text,
		FORM_REFUSALS(X)
#undef X
	};

	return TEXTS[refusal];
}

const char *form_sense_name(enum form_sense sense)
{
	static const char *const NAMES[] = {
		"none", "words", "code", "year", "choice", "date", "month", "number"};

	return NAMES[sense];
}

/* ---- words ---- */

static bool is_part(char c)
{
	return word_is_alnum(c) || (unsigned char)c >= 0x80;
}

/* Takes the next word off the text, in lower case; camelCase is two words. 0 at the end. */
static size_t next_part(slice *text, char out[PART_MAX])
{
	size_t n = 0, len = 0;

	while (text->len && !is_part(text->ptr[0]))
		*text = slice_sub(*text, 1, text->len);
	for (; n < text->len && is_part(text->ptr[n]); n++) {
		char c = text->ptr[n];
		bool rises = n > 0 && c >= 'A' && c <= 'Z' && text->ptr[n - 1] >= 'a' &&
			     text->ptr[n - 1] <= 'z';

		if (rises)
			break;
		if (len < PART_MAX)
			out[len++] = word_lower(c);
	}
	*text = slice_sub(*text, n, text->len);
	return len;
}

/* Letters of ASCII count one each; others are longer, and mean more. */
static bool part_is(slice part, const char *word)
{
	size_t len = strlen(word);

	if (part.len == len)
		return memcmp(part.ptr, word, len) == 0;
	return len >= STEM_MIN && part.len > len && memcmp(part.ptr, word, len) == 0;
}

static bool part_is_among(slice part, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (part_is(part, list[i]))
			return true;
	return false;
}

/* Whether one of the words of the text, or two of them together, are in the list. */
static bool has_word(slice text, const char *const *list, size_t count)
{
	char part[PART_MAX], both[2 * PART_MAX + 1], last[PART_MAX];
	size_t len, before = 0;

	while ((len = next_part(&text, part)) > 0) {
		if (part_is_among((slice){part, len}, list, count))
			return true;
		memcpy(both, last, before);
		both[before] = ' ';
		memcpy(both + before + 1, part, len);
		if (before && part_is_among((slice){both, before + 1 + len}, list, count))
			return true;
		memmove(both + before, both + before + 1, len);
		if (before && part_is_among((slice){both, before + len}, list, count))
			return true;
		memcpy(last, part, len);
		before = len;
	}
	return false;
}

#define HAS_WORD(text, list) has_word((text), (list), COUNT(list))

/* The last words of a name: search[post_code], ctl00$txtYear. */
static bool is_named(const struct form_field *field, const char *const *list, size_t count)
{
	return has_word(field->name, list, count) || has_word(field->id, list, count) ||
	       has_word(field->hint, list, count);
}

#define IS_NAMED(field, list) is_named((field), (list), COUNT(list))

/* ---- fields ---- */

static bool is_text(enum form_input input)
{
	return input == FORM_INPUT_TEXT || input == FORM_INPUT_SEARCH;
}

static enum form_sense sense_of_text(const struct form_field *field)
{
	if (field->input == FORM_INPUT_SEARCH || HAS_WORD(field->name, SEARCHES))
		return FORM_SENSE_WORDS;
	if (IS_NAMED(field, YEARS) || HAS_WORD(field->label, YEARS))
		return FORM_SENSE_YEAR;
	return IS_NAMED(field, CODES) ? FORM_SENSE_CODE : FORM_SENSE_WORDS;
}

enum form_sense form_sense_of(const struct forms *f, const struct form_field *field)
{
	(void)f;
	if (!field->name.len || field->disabled)
		return FORM_SENSE_NONE;
	switch (field->input) {
	case FORM_INPUT_TEXT:
	case FORM_INPUT_SEARCH:
		return IS_NAMED(field, SHOWS) ? FORM_SENSE_NONE : sense_of_text(field);
	case FORM_INPUT_SELECT:
	case FORM_INPUT_RADIO:
		return HAS_WORD(field->name, SHOWS) ? FORM_SENSE_NONE : FORM_SENSE_CHOICE;
	case FORM_INPUT_DATE:
		return FORM_SENSE_DATE;
	case FORM_INPUT_MONTH:
		return FORM_SENSE_MONTH;
	case FORM_INPUT_NUMBER:
		if (IS_NAMED(field, YEARS))
			return FORM_SENSE_YEAR;
		return field->min.len && field->max.len && !IS_NAMED(field, SHOWS)
			       ? FORM_SENSE_NUMBER
			       : FORM_SENSE_NONE;
	default:
		return FORM_SENSE_NONE;
	}
}

/* Without letters: "", "»", a magnifying glass. */
static bool is_wordless(slice text)
{
	for (size_t i = 0; i < text.len; i++)
		if (word_is_alnum(text.ptr[i]))
			return false;
	return true;
}

/*
 * Whether a button sends a question, by what it says: a word of searching or showing, or none at
 * all. Any other word may be an order, in whatever language.
 */
static bool asks(const struct form_field *field)
{
	slice said = is_wordless(field->label) ? field->value : field->label;

	if (field->has_action || HAS_WORD(field->label, EFFECTS) ||
		HAS_WORD(field->value, EFFECTS) || HAS_WORD(field->name, EFFECTS) ||
		HAS_WORD(field->id, EFFECTS) || HAS_WORD(said, ORDERS))
		return false;
	return is_wordless(said) || HAS_WORD(said, SEARCHES) || HAS_WORD(said, ASKS);
}

/* Whether a hidden field tells the server to do something; one that names an action must ask. */
static bool orders(const struct form_field *field)
{
	static const char *const NAMES[] = {
		"action", "act", "cmd", "command", "do", "op", "operation", "task"};

	if (HAS_WORD(field->value, ORDERS))
		return true;
	if (HAS_WORD(field->name, NAMES) && field->value.len > 0)
		return HAS_WORD(field->value, EFFECTS) ||
		       !(HAS_WORD(field->value, SEARCHES) || HAS_WORD(field->value, ASKS));
	return HAS_WORD(field->name, ACTIONS) && HAS_WORD(field->value, EFFECTS);
}

static enum form_refusal refuse_field(const struct form_field *field)
{
	bool takes_text = is_text(field->input) || field->input == FORM_INPUT_TEXTAREA;

	if (field->input == FORM_INPUT_PASSWORD || (takes_text && IS_NAMED(field, PASSWORDS)))
		return FORM_REFUSED_PASSWORD;
	if (field->input == FORM_INPUT_EMAIL || (takes_text && IS_NAMED(field, MAILS)))
		return FORM_REFUSED_MAIL;
	if (field->input == FORM_INPUT_FILE)
		return FORM_REFUSED_FILE;
	if (slice_starts_with(field->hint, SLICE("cc-")) ||
		(takes_text && IS_NAMED(field, PAYMENTS)))
		return FORM_REFUSED_PAYMENT;
	if (field->input == FORM_INPUT_TEL || (takes_text && IS_NAMED(field, PERSONS)) ||
		(field->input == FORM_INPUT_CHECKBOX && IS_NAMED(field, CONSENTS)))
		return FORM_REFUSED_PERSONAL;
	if (field->input == FORM_INPUT_SUBMIT && !asks(field))
		return FORM_REFUSED_EFFECT;
	if (field->input == FORM_INPUT_HIDDEN && orders(field))
		return FORM_REFUSED_EFFECT;
	/* Our own names in the index (warc/warc_request.h). */
	return slice_starts_with(field->name, SLICE("__wb_")) ? FORM_REFUSED_SCRIPT
							      : FORM_REFUSED_NONE;
}

/* ---- forms ---- */

bool form_action_has_effect(slice action)
{
	return HAS_WORD(action, EFFECTS) || HAS_WORD(action, ORDERS);
}

/* Whether it searches: by its role, its words, or a search field. */
static bool form_is_search(const struct forms *f, uint32_t number)
{
	const struct form *form = &f->list.ptr[number];
	bool found = form->in_search || HAS_WORD(form->role, SEARCHES) ||
		     HAS_WORD(form->action, SEARCHES) || HAS_WORD(form->name, SEARCHES) ||
		     HAS_WORD(form->id, SEARCHES) || HAS_WORD(form->classes, SEARCHES);

	for (size_t i = 0; i < f->fields.len; i++) {
		const struct form_field *field = &f->fields.ptr[i];

		if (field->form != number)
			continue;
		if (field->input == FORM_INPUT_TEXTAREA)
			return false;
		found = found || field->input == FORM_INPUT_SEARCH ||
			(field->input == FORM_INPUT_SUBMIT &&
				(HAS_WORD(field->label, SEARCHES) ||
					HAS_WORD(field->value, SEARCHES))) ||
			(is_text(field->input) && (slice_eq(field->name, SLICE("q")) ||
							  HAS_WORD(field->name, SEARCHES)));
	}
	return found;
}

/* Relative references are fine; of other schemes only http and https are. */
static bool is_script(slice action)
{
	size_t n = 0;

	action = word_trim(action);
	while (n < action.len && (word_is_alnum(action.ptr[n]) || strchr("+-.", action.ptr[n])))
		n++;
	if (n == 0 || n == action.len || action.ptr[n] != ':')
		return false;
	return !word_is(slice_sub(action, 0, n), SLICE("http")) &&
	       !word_is(slice_sub(action, 0, n), SLICE("https"));
}

static enum form_refusal refuse_frame(const struct form *form)
{
	slice rel = form->rel, word;

	while (word_next(&rel, ' ', &word))
		if (word_is(word, SLICE("nofollow")))
			return FORM_REFUSED_NOFOLLOW;
	if (form->is_other)
		return FORM_REFUSED_METHOD;
	if (is_script(form->action))
		return FORM_REFUSED_SCRIPT;
	if (form->is_post && form->is_multipart)
		return FORM_REFUSED_CODING;
	if (form_action_has_effect(form->action) || form_action_has_effect(form->name) ||
		form_action_has_effect(form->id))
		return FORM_REFUSED_EFFECT;
	return form->cut ? FORM_REFUSED_CUT : FORM_REFUSED_NONE;
}

enum form_refusal form_refuse(const struct forms *f, uint32_t number)
{
	const struct form *form = &f->list.ptr[number];
	enum form_refusal refusal = refuse_frame(form);
	bool is_empty = true;

	for (size_t i = 0; !refusal && i < f->fields.len; i++) {
		const struct form_field *field = &f->fields.ptr[i];

		if (field->form != number)
			continue;
		refusal = refuse_field(field);
		is_empty = is_empty && form_sense_of(f, field) == FORM_SENSE_NONE;
	}
	if (refusal)
		return refusal;
	if (is_empty)
		return FORM_REFUSED_EMPTY;
	return form->is_post && !form_is_search(f, number) ? FORM_REFUSED_POST : FORM_REFUSED_NONE;
}

enum { MONTH_DAYS = 30, DAY_SECONDS = 86400 };

/* ---- sending ---- */

static int add_encoded(struct buf *out, slice text)
{
	return url_form_encode(out, text, "*-._");
}

static int add_pair(struct buf *out, size_t start, slice name, slice value)
{
	TRY(out->len > start ? buf_add_char(out, '&') : 0);
	TRY(add_encoded(out, name));
	TRY(buf_add_char(out, '='));
	return add_encoded(out, value);
}

/* The options that are selected; of a select for one of them the first, if none is. */
static int add_options(
	const struct forms *f, const struct form_field *field, size_t start, struct buf *out)
{
	uint32_t chosen = field->option;
	bool any = false;
	int rc = 0;

	for (uint32_t i = field->option; i < field->option_end; i++)
		if (f->options.ptr[i].selected) {
			any = true;
			chosen = i;
			if (field->multiple && rc == 0)
				rc = add_pair(out, start, field->name, f->options.ptr[i].value);
		}
	if (field->multiple || (!any && field->option == field->option_end))
		return rc;
	return add_pair(out, start, field->name, f->options.ptr[chosen].value);
}

/* As it stands. */
static int add_field(const struct forms *f, const struct form_field *field, bool *pressed,
	size_t start, struct buf *out)
{
	switch (field->input) {
	case FORM_INPUT_SELECT:
		return add_options(f, field, start, out);
	case FORM_INPUT_CHECKBOX:
	case FORM_INPUT_RADIO:
		if (!field->checked)
			return 0;
		return add_pair(
			out, start, field->name, field->value.ptr ? field->value : SLICE("on"));
	case FORM_INPUT_SUBMIT:
		if (*pressed)
			return 0;
		*pressed = true;
		return add_pair(out, start, field->name, field->value);
	case FORM_INPUT_RESET:
	case FORM_INPUT_FILE:
		return 0;
	default:
		return add_pair(out, start, field->name, field->value);
	}
}

/* The binding of a field: of a radio button, that of its group. */
static const struct form_binding *find_binding(
	const struct forms *f, uint32_t number, const struct form_binding *bindings, size_t count)
{
	const struct form_field *field = &f->fields.ptr[number];

	for (size_t i = 0; i < count; i++) {
		const struct form_field *bound = &f->fields.ptr[bindings[i].field];

		if (bindings[i].field == number ||
			(field->input == FORM_INPUT_RADIO && bound->input == FORM_INPUT_RADIO &&
				slice_eq(field->name, bound->name)))
			return &bindings[i];
	}
	return NULL;
}

int form_submit(const struct forms *f, uint32_t form, const struct form_binding *bindings,
	size_t count, struct buf *out)
{
	size_t start = out->len;
	bool pressed = false;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < f->fields.len; i++) {
		const struct form_field *field = &f->fields.ptr[i];
		const struct form_binding *b;

		if (field->form != form || !field->name.len || field->disabled)
			continue;
		b = find_binding(f, i, bindings, count);
		if (!b)
			rc = add_field(f, field, &pressed, start, out);
		else if (b->field == i)
			rc = add_pair(out, start, field->name, b->value);
	}
	return rc;
}

/* ---- values ---- */

/* The first field of a group of radio buttons stands for all. */
static uint32_t count_radios(const struct forms *f, const struct form_field *field)
{
	uint32_t count = 0;

	for (size_t i = 0; i < f->fields.len; i++) {
		const struct form_field *other = &f->fields.ptr[i];

		if (other->input != FORM_INPUT_RADIO || other->form != field->form ||
			!slice_eq(other->name, field->name))
			continue;
		if (count == 0 && other != field)
			return 0;
		count++;
	}
	return count;
}

static slice radio_value(const struct forms *f, const struct form_field *field, uint32_t number)
{
	for (size_t i = 0; i < f->fields.len; i++) {
		const struct form_field *other = &f->fields.ptr[i];

		if (other->input == FORM_INPUT_RADIO && other->form == field->form &&
			slice_eq(other->name, field->name) && number-- == 0)
			return other->value.ptr ? other->value : SLICE("on");
	}
	return SLICE("");
}

/* Days since 1970 of YYYY-MM or YYYY-MM-DD. */
static bool read_date(slice text, int64_t *ret)
{
	uint64_t year, month, day = 1;
	int64_t seconds;

	if (text.len != strlen("YYYY-MM") && text.len != strlen("YYYY-MM-DD"))
		return false;
	if (parse_u64(slice_sub(text, 0, 4), &year) || parse_u64(slice_sub(text, 5, 7), &month) ||
		(text.len > 7 && parse_u64(slice_sub(text, 8, 10), &day)) ||
		calendar_seconds(&(struct calendar_time){.year = (unsigned)year,
					 .month = (unsigned)month,
					 .day = (unsigned)day},
			&seconds))
		return false;
	*ret = seconds / DAY_SECONDS;
	return true;
}

/* The range of a date or number; false when it has none. */
static bool find_range(
	const struct form_field *field, enum form_sense sense, int64_t *ret_min, int64_t *ret_max)
{
	if (sense == FORM_SENSE_NUMBER)
		return parse_i64(field->min, ret_min) == 0 && parse_i64(field->max, ret_max) == 0 &&
		       *ret_max >= *ret_min && *ret_max / 2 - *ret_min / 2 < INT64_MAX / 4;
	return read_date(field->min, ret_min) && read_date(field->max, ret_max) &&
	       *ret_max >= *ret_min;
}

uint32_t form_value_count(const struct forms *f, const struct form_field *field)
{
	enum form_sense sense = form_sense_of(f, field);
	int64_t min, max;

	switch (sense) {
	case FORM_SENSE_CHOICE:
		return field->input == FORM_INPUT_RADIO ? count_radios(f, field)
							: field->option_end - field->option;
	case FORM_SENSE_NUMBER:
		if (!find_range(field, sense, &min, &max))
			return 0;
		return max - min < FORM_STEPS_MAX ? (uint32_t)(max - min + 1) : FORM_STEPS_MAX;
	case FORM_SENSE_DATE:
	case FORM_SENSE_MONTH:
		return FORM_STEPS_MAX;
	default:
		return 0;
	}
}

static slice date_text(int64_t days, bool with_day, char text[FORM_VALUE_SIZE])
{
	time_t seconds = (time_t)(days * DAY_SECONDS);
	struct tm date;

	if (!gmtime_r(&seconds, &date))
		return SLICE("");
	return (slice){
		text, strftime(text, FORM_VALUE_SIZE, with_day ? "%Y-%m-%d" : "%Y-%m", &date)};
}

slice form_value(const struct forms *f, const struct form_field *field, uint32_t number,
	int64_t today, char text[FORM_VALUE_SIZE])
{
	enum form_sense sense = form_sense_of(f, field);
	int64_t min, max, at;
	uint32_t steps = form_value_count(f, field);

	if (sense == FORM_SENSE_CHOICE && field->input == FORM_INPUT_RADIO)
		return radio_value(f, field, number);
	if (sense == FORM_SENSE_CHOICE)
		return f->options.ptr[field->option + number].value;
	if (!find_range(field, sense, &min, &max)) {
		min = today - (int64_t)FORM_STEPS_MAX * MONTH_DAYS;
		max = today;
	}
	at = steps > 1 ? min + (max - min) / (steps - 1) * number : min;
	if (steps > 1 && number == steps - 1)
		at = max;
	if (sense == FORM_SENSE_NUMBER) {
		(void)snprintf(text, FORM_VALUE_SIZE, "%" PRId64, at);
		return slice_str(text);
	}
	return date_text(at, sense == FORM_SENSE_DATE, text);
}

static bool ends_in(slice name, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (word_ends(name, slice_str(words[i])))
			return true;
	return false;
}

uint32_t form_range_end(const struct forms *f, uint32_t number)
{
	static const char *const FROM[] = {
		"from", "min", "start", "after", "since", "von", "desde"};
	static const char *const TO[] = {"to", "max", "end", "before", "until", "bis", "hasta"};
	const struct form_field *field = &f->fields.ptr[number];

	if (!ends_in(field->name, FROM, sizeof FROM / sizeof FROM[0]))
		return FORM_NONE;
	for (uint32_t i = number + 1; i < f->fields.len; i++) {
		const struct form_field *other = &f->fields.ptr[i];

		if (other->form == field->form && other->input == field->input &&
			ends_in(other->name, TO, sizeof TO / sizeof TO[0]))
			return i;
	}
	return FORM_NONE;
}
