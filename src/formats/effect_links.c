#include "formats/effect_links.h"

#include <string.h>

#include "base/word.h"

/* A part of a URL in the form in which words are compared; empty when it is too long. */
struct folded {
	char text[EFFECT_PART_MAX];
	size_t len;
};

/* Words as folded: lower case, without "-", "_", "." and blanks; with and without accents. */
static const struct {
	const char *word;
	enum effect effect;
} WORDS[] = {
	{"logout", EFFECT_LOGOUT},
	{"logoff", EFFECT_LOGOUT},
	{"signout", EFFECT_LOGOUT},
	{"signoff", EFFECT_LOGOUT},
	{"userlogout", EFFECT_LOGOUT},
	{"dologout", EFFECT_LOGOUT},
	{"abmelden", EFFECT_LOGOUT},
	{"ausloggen", EFFECT_LOGOUT},
	{"deconnexion", EFFECT_LOGOUT},
	{"déconnexion", EFFECT_LOGOUT},
	{"sedeconnecter", EFFECT_LOGOUT},
	{"sedéconnecter", EFFECT_LOGOUT},
	{"cerrarsesion", EFFECT_LOGOUT},
	{"cerrarsesión", EFFECT_LOGOUT},
	{"disconnetti", EFFECT_LOGOUT},
	{"terminarsessao", EFFECT_LOGOUT},
	{"terminarsessão", EFFECT_LOGOUT},
	{"uitloggen", EFFECT_LOGOUT},
	{"afmelden", EFFECT_LOGOUT},
	{"loggaut", EFFECT_LOGOUT},
	{"loggut", EFFECT_LOGOUT},
	{"logud", EFFECT_LOGOUT},
	{"kirjauduulos", EFFECT_LOGOUT},
	{"wyloguj", EFFECT_LOGOUT},
	{"odhlasit", EFFECT_LOGOUT},
	{"odhlásit", EFFECT_LOGOUT},
	{"kijelentkezes", EFFECT_LOGOUT},
	{"kijelentkezés", EFFECT_LOGOUT},
	{"cikisyap", EFFECT_LOGOUT},
	{"выйти", EFFECT_LOGOUT},
	{"ログアウト", EFFECT_LOGOUT},
	{"退出登录", EFFECT_LOGOUT},

	{"delete", EFFECT_DELETE},
	{"remove", EFFECT_DELETE},
	{"destroy", EFFECT_DELETE},
	{"dodelete", EFFECT_DELETE},
	{"del", EFFECT_DELETE},
	{"removeitem", EFFECT_DELETE},
	{"loeschen", EFFECT_DELETE},
	{"löschen", EFFECT_DELETE},
	{"supprimer", EFFECT_DELETE},
	{"eliminar", EFFECT_DELETE},
	{"borrar", EFFECT_DELETE},
	{"elimina", EFFECT_DELETE},
	{"cancella", EFFECT_DELETE},
	{"excluir", EFFECT_DELETE},
	{"verwijderen", EFFECT_DELETE},
	{"radera", EFFECT_DELETE},
	{"slett", EFFECT_DELETE},
	{"poista", EFFECT_DELETE},
	{"usun", EFFECT_DELETE},
	{"usuń", EFFECT_DELETE},
	{"smazat", EFFECT_DELETE},
	{"torles", EFFECT_DELETE},
	{"törlés", EFFECT_DELETE},
	{"удалить", EFFECT_DELETE},
	{"删除", EFFECT_DELETE},
	{"削除", EFFECT_DELETE},

	{"unsubscribe", EFFECT_UNSUBSCRIBE},
	{"optout", EFFECT_UNSUBSCRIBE},
	{"abbestellen", EFFECT_UNSUBSCRIBE},
	{"desabonner", EFFECT_UNSUBSCRIBE},
	{"désabonner", EFFECT_UNSUBSCRIBE},
	{"sedesabonner", EFFECT_UNSUBSCRIBE},
	{"sedésabonner", EFFECT_UNSUBSCRIBE},
	{"desinscription", EFFECT_UNSUBSCRIBE},
	{"désinscription", EFFECT_UNSUBSCRIBE},
	{"darsedebaja", EFFECT_UNSUBSCRIBE},
	{"cancelarsuscripcion", EFFECT_UNSUBSCRIBE},
	{"cancelarsuscripción", EFFECT_UNSUBSCRIBE},
	{"disiscriviti", EFFECT_UNSUBSCRIBE},
	{"disiscrizione", EFFECT_UNSUBSCRIBE},
	{"cancelarinscricao", EFFECT_UNSUBSCRIBE},
	{"cancelarinscrição", EFFECT_UNSUBSCRIBE},
	{"uitschrijven", EFFECT_UNSUBSCRIBE},
	{"avsluttabonnement", EFFECT_UNSUBSCRIBE},
	{"отписаться", EFFECT_UNSUBSCRIBE},
	{"配信停止", EFFECT_UNSUBSCRIBE},

	{"reboot", EFFECT_CHANGE},
	{"restart", EFFECT_CHANGE},
	{"shutdown", EFFECT_CHANGE},
	{"poweroff", EFFECT_CHANGE},
	{"poweron", EFFECT_CHANGE},
	{"halt", EFFECT_CHANGE},
	{"purge", EFFECT_CHANGE},
	{"purgecache", EFFECT_CHANGE},
	{"flush", EFFECT_CHANGE},
	{"flushcache", EFFECT_CHANGE},
	{"clearcache", EFFECT_CHANGE},
	{"emptycache", EFFECT_CHANGE},
	{"emptytrash", EFFECT_CHANGE},
	{"emptycart", EFFECT_CHANGE},
	{"wipe", EFFECT_CHANGE},
	{"factoryreset", EFFECT_CHANGE},
	{"truncate", EFFECT_CHANGE},
	{"uninstall", EFFECT_CHANGE},
	{"deactivate", EFFECT_CHANGE},
	{"revoke", EFFECT_CHANGE},
	{"addtocart", EFFECT_CHANGE},
	{"addtobasket", EFFECT_CHANGE},
	{"addtowishlist", EFFECT_CHANGE},
	{"addtocompare", EFFECT_CHANGE},
	{"removefromcart", EFFECT_CHANGE},
	{"markread", EFFECT_CHANGE},
	{"markasread", EFFECT_CHANGE},
	{"markallread", EFFECT_CHANGE},
	{"markallasread", EFFECT_CHANGE},
	{"closeaccount", EFFECT_CHANGE},
	{"deleteaccount", EFFECT_CHANGE},
	{"wpcron", EFFECT_CHANGE},
	{"upvote", EFFECT_CHANGE},
	{"downvote", EFFECT_CHANGE},
	{"unpublish", EFFECT_CHANGE},
	{"unfollow", EFFECT_CHANGE},
	{"unlike", EFFECT_CHANGE},
	{"neustart", EFFECT_CHANGE},
	{"neustarten", EFFECT_CHANGE},
	{"herunterfahren", EFFECT_CHANGE},
	{"redemarrer", EFFECT_CHANGE},
	{"redémarrer", EFFECT_CHANGE},
	{"reiniciar", EFFECT_CHANGE},
	{"apagar", EFFECT_CHANGE},
	{"riavvia", EFFECT_CHANGE},
	{"herstarten", EFFECT_CHANGE},
	{"перезагрузить", EFFECT_CHANGE},
	{"重启", EFFECT_CHANGE},
	{"再起動", EFFECT_CHANGE},
};

/* Directories of documents. */
static const char *const DOCUMENTS[] = {"apidocs", "article", "articles", "blog", "blogs", "book",
	"category", "doc", "docs", "documentation", "faq", "glossary", "guide", "guides", "help",
	"howto", "kb", "man", "manual", "news", "package", "packages", "questions", "ref",
	"reference", "tag", "tags", "tutorial", "tutorials", "wiki"};

/* Names of fields whose value says what to do, and of those that name a page. */
static const char *const ACTIONS[] = {"a", "act", "action", "cmd", "command", "do", "event", "func",
	"function", "job", "method", "mode", "op", "operation", "submit", "task"};
/* What such a field may say, but a path may not: there the words are names of pages. */
static const char *const ORDERS[] = {"rm", "drop", "kill", "ban", "kick", "erase", "clear", "empty",
	"reset", "enable", "disable", "activate", "approve", "reject", "publish", "vote", "like",
	"follow", "subscribe", "buy", "add", "install", "upgrade", "update", "save", "move",
	"rename", "exec", "run", "stop", "start", "sync", "lock", "unlock", "trash", "untrash",
	"restore", "rollback", "revert", "undo", "merge", "close", "reopen", "archive", "send",
	"transfer", "accept", "bookmark", "cancel", "confirm", "decline", "favorite", "favourite",
	"flag", "mute", "pin", "unpin", "unwatch", "watch"};
/* What a path does with the object before it: "/comments/12/approve". */
static const char *const DEEDS[] = {"accept", "cancel", "close", "decline", "flag", "join", "kick",
	"leave", "lock", "pin", "reopen", "restore", "revert", "rollback", "trash", "unlock"};
/* And also with that behind it, "/like/5", where those above may be names: "/flag/5". */
static const char *const VERBS[] = {"activate", "approve", "ban", "bookmark", "disable", "dislike",
	"enable", "favorite", "favourite", "follow", "like", "mute", "publish", "recommend",
	"reject", "subscribe", "vote"};
/* What a deed is about, before its number, and what a vote may say. */
static const char *const KINDS[] = {"answer", "article", "comment", "entry", "file", "image",
	"item", "message", "node", "page", "photo", "post", "product", "question", "reply",
	"review", "thread", "topic", "user", "video"};
static const char *const WAYS[] = {"down", "minus", "no", "off", "on", "plus", "true", "up", "yes"};
/* Fields that say what a deed is about: "/vote?id=3". */
static const char *const SUBJECTS[] = {"answer", "article", "choice", "cid", "comment", "commentid",
	"dir", "direction", "down", "for", "how", "id", "item", "itemid", "key", "messageid",
	"msgid", "option", "pid", "post", "postid", "product", "productid", "score", "thread",
	"threadid", "tid", "token", "topic", "topicid", "u", "uid", "up", "user", "userid",
	"value"};
/* Collections of a user, and what is done to them: "/cart/add", "/cart/7/remove". */
static const char *const COLLECTIONS[] = {"bag", "basket", "bookmarks", "cart", "compare",
	"favorites", "favourites", "friends", "wishlist"};
static const char *const COLLECTING[] = {"add", "clear", "empty", "remove", "update"};
/* Two segments in a row. */
static const char *const PAIRS[][2] = {
	{"trash", "empty"}, {"cache", "clear"}, {"account", "close"}, {"account", "delete"}};
static const char *const PAGES[] = {"p", "page", "r", "route", "section", "view"};

const char *effect_name(enum effect effect)
{
	static const char *const NAMES[] = {
		[EFFECT_NONE] = "",
		[EFFECT_LOGOUT] = "logout",
		[EFFECT_DELETE] = "delete",
		[EFFECT_UNSUBSCRIBE] = "unsubscribe",
		[EFFECT_CHANGE] = "change",
	};

	return NAMES[effect];
}

/* Takes one byte, decoded, off the front. */
static char next_byte(slice *s)
{
	char c = s->ptr[0];
	size_t used = 1;

	if (c == '%' && s->len >= 3 && word_hex(s->ptr[1]) >= 0 && word_hex(s->ptr[2]) >= 0) {
		c = (char)(word_hex(s->ptr[1]) * 16 + word_hex(s->ptr[2]));
		used = 3;
	}
	*s = slice_sub(*s, used, s->len);
	return c;
}

static void fold(struct folded *f, slice s)
{
	f->len = 0;
	f->text[0] = '\0';
	while (s.len) {
		char c = word_lower(next_byte(&s));

		if (c == '-' || c == '_' || c == '.' || c == '+' || c == ' ')
			continue;
		if (f->len == sizeof f->text) {
			f->len = 0;
			return;
		}
		f->text[f->len++] = c;
	}
}

static inline bool folded_is(const struct folded *f, const char *word)
{
	/* Most differ in their first letter. */
	return f->text[0] == word[0] && slice_eq((slice){f->text, f->len}, slice_str(word));
}

static bool is_among(const struct folded *f, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (folded_is(f, list[i]))
			return true;
	return false;
}

#define IS_AMONG(f, list) is_among((f), (list), sizeof(list) / sizeof((list)[0]))

static enum effect effect_of(const struct folded *f)
{
	for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++)
		if (folded_is(f, WORDS[i].word))
			return WORDS[i].effect;
	return EFFECT_NONE;
}

/* A segment without the extension of a program, or a wiki's namespace. */
static slice word_of_segment(slice segment, bool *ret_wiki)
{
	static const char *const ENDS[] = {".php", ".html", ".htm", ".aspx", ".asp", ".jsp", ".do",
		".action", ".cgi", ".cfm", ".pl"};
	const char *colon = segment.len ? memrchr(segment.ptr, ':', segment.len) : NULL;

	*ret_wiki = colon != NULL;
	if (colon)
		segment = slice_sub(segment, (size_t)(colon - segment.ptr) + 1, segment.len);
	for (size_t i = 0; i < sizeof ENDS / sizeof ENDS[0]; i++)
		if (slice_ends_with(segment, slice_str(ENDS[i])))
			return slice_sub(segment, 0, segment.len - strlen(ENDS[i]));
	return segment;
}

/* What a deletion is about: a number, or an id of letters and digits. */
static bool is_object(slice segment)
{
	bool digit = false;

	for (size_t i = 0; i < segment.len; i++) {
		if (!word_is_alnum(segment.ptr[i]) && segment.ptr[i] != '-')
			return false;
		digit = digit || word_is_digit(segment.ptr[i]);
	}
	return digit;
}

/* Takes the next segment off the front of a path; false at its end. */
static bool next_segment(slice *path, slice *ret)
{
	size_t end = 0;

	while (path->len && path->ptr[0] == '/')
		*path = slice_sub(*path, 1, path->len);
	while (end < path->len && path->ptr[end] != '/')
		end++;
	*ret = slice_sub(*path, 0, end);
	*path = slice_sub(*path, end, path->len);
	return end > 0;
}

/* Where a word stands: the segments before it, all behind it, and the query. */
struct place {
	slice earlier, before, rest, query;
};

static bool is_year(slice segment)
{
	return segment.len == 4 && (segment.ptr[0] == '1' || segment.ptr[0] == '2') &&
	       is_object(segment);
}

/* The end of "2024", "2024/05" or "2024/05/12": behind a date there is the name of an article. */
static bool is_date(slice earlier, slice before)
{
	return (before.len <= 2 && earlier.len <= 2 && is_object(earlier)) ||
	       is_year(before.len == 4 ? before : earlier);
}

/* A number that is no year, or an id of many digits: "part-2" and "2024" are names. */
static bool is_number(slice segment)
{
	bool is_hex = segment.len >= 8, is_decimal = true;

	for (size_t i = 0; i < segment.len; i++) {
		is_decimal = is_decimal && word_is_digit(segment.ptr[i]);
		is_hex = is_hex && (segment.ptr[i] == '-' || word_hex(segment.ptr[i]) >= 0);
	}
	return is_object(segment) && (is_decimal ? !is_year(segment) : is_hex);
}

/* Takes the next field off the front of a query; false at its end. */
static bool next_field(slice *query, slice *ret_name, slice *ret_value)
{
	size_t end = 0, equals;

	if (!query->len)
		return false;
	while (end < query->len && query->ptr[end] != '&' && query->ptr[end] != ';')
		end++;
	for (equals = 0; equals < end && query->ptr[equals] != '='; equals++)
		;
	*ret_name = slice_sub(*query, 0, equals);
	*ret_value = slice_sub(*query, equals + (equals < end), end);
	*query = slice_sub(*query, end + 1, query->len);
	return true;
}

static bool is_segment_among(slice segment, const char *const *list, size_t count)
{
	struct folded f;

	fold(&f, segment);
	return is_among(&f, list, count);
}

#define IS_SEGMENT_AMONG(s, list) is_segment_among((s), (list), sizeof(list) / sizeof((list)[0]))

/* Whether a query says what a deed is about: "id=3". */
static bool names_subject(slice query)
{
	slice name, value;

	while (next_field(&query, &name, &value))
		if (value.len > 0 && IS_SEGMENT_AMONG(name, SUBJECTS))
			return true;
	return false;
}

/* "5", "post/5", "5/up", "up/5": all that is behind a verb. */
static bool is_object_of(slice rest)
{
	slice first, second, third;

	if (!next_segment(&rest, &first))
		return false;
	if (!next_segment(&rest, &second))
		return is_number(first);
	if (next_segment(&rest, &third))
		return false;
	if (is_number(first))
		return IS_SEGMENT_AMONG(second, WAYS);
	return is_number(second) &&
	       (IS_SEGMENT_AMONG(first, KINDS) || IS_SEGMENT_AMONG(first, WAYS));
}

/* Nothing, or a way. */
static bool is_end(slice rest)
{
	slice first, second;

	return !next_segment(&rest, &first) ||
	       (!next_segment(&rest, &second) && IS_SEGMENT_AMONG(first, WAYS));
}

/* "/posts/5/like", "/like/5", "/like?id=5" */
static bool is_deed(const struct folded *f, const struct place *p)
{
	bool is_verb = IS_AMONG(f, VERBS);
	slice rest = p->rest, none;

	if (!is_verb && !IS_AMONG(f, DEEDS))
		return false;
	if (is_object(p->before) && !is_date(p->earlier, p->before) && is_end(p->rest))
		return true;
	return is_verb &&
	       (is_object_of(p->rest) || (!next_segment(&rest, &none) && names_subject(p->query)));
}

/* "/cart/add", "/cart/7/add", "/trash/empty" */
static bool is_pair(const struct folded *f, const struct place *p)
{
	slice owner = is_object(p->before) ? p->earlier : p->before;
	struct folded of;

	if (IS_AMONG(f, COLLECTING) && IS_SEGMENT_AMONG(owner, COLLECTIONS))
		return true;
	fold(&of, p->before);
	for (size_t i = 0; i < sizeof PAIRS / sizeof PAIRS[0]; i++)
		if (folded_is(&of, PAIRS[i][0]) && folded_is(f, PAIRS[i][1]))
			return true;
	return false;
}

/* What the word of a segment means there. Behind it is at most what it is about: a token, an id. */
static enum effect effect_of_place(const struct folded *f, const struct place *p)
{
	enum effect effect = effect_of(f);
	slice rest = p->rest, after, more;
	bool has_after = next_segment(&rest, &after);

	if (is_pair(f, p) || is_deed(f, p))
		return EFFECT_CHANGE;
	if (effect == EFFECT_DELETE && is_object_of(p->rest))
		return effect;
	if (effect == EFFECT_DELETE && !is_object(p->before) && !is_object(after) &&
		(has_after || !p->query.len))
		return EFFECT_NONE;
	return next_segment(&rest, &more) ? EFFECT_NONE : effect;
}

static enum effect effect_of_path(slice path, slice query)
{
	struct place p = {.query = query};
	slice segment;

	while (next_segment(&path, &segment)) {
		enum effect effect;
		struct folded f;
		bool wiki;

		p.rest = path;
		fold(&f, word_of_segment(segment, &wiki));
		effect = effect_of_place(&f, &p);
		if (effect)
			return effect;
		if (!wiki && IS_AMONG(&f, DOCUMENTS)) {
			while (next_segment(&path, &segment))
				p.before = segment;
			fold(&f, word_of_segment(p.before, &wiki));
			return wiki && effect_of(&f) == EFFECT_LOGOUT ? EFFECT_LOGOUT : EFFECT_NONE;
		}
		p.earlier = p.before;
		p.before = segment;
	}
	return EFFECT_NONE;
}

static enum effect effect_of_field(slice name, slice value)
{
	struct folded n, v;
	enum effect by_name, by_value;

	fold(&n, name);
	fold(&v, value);
	by_name = effect_of(&n);
	if (by_name && !folded_is(&n, "remove"))
		return by_name;
	if (IS_AMONG(&n, VERBS) && (is_number(value) || IS_AMONG(&v, WAYS)))
		return EFFECT_CHANGE;
	by_value = effect_of(&v);
	if (IS_AMONG(&n, ACTIONS))
		return !by_value && IS_AMONG(&v, ORDERS) && !folded_is(&n, "mode") ? EFFECT_CHANGE
										   : by_value;
	return by_value == EFFECT_LOGOUT && IS_AMONG(&n, PAGES) ? by_value : EFFECT_NONE;
}

static enum effect effect_of_query(slice query)
{
	enum effect effect = EFFECT_NONE;
	slice name, value;

	while (!effect && next_field(&query, &name, &value))
		effect = effect_of_field(name, value);
	return effect;
}

enum effect effect_of_link(const struct url *url)
{
	slice query = url_part(url, url->query);
	enum effect effect;

	if (!url_is_http(url))
		return EFFECT_NONE;
	effect = effect_of_path(url_part(url, url->path), query);
	return effect ? effect : effect_of_query(query);
}
