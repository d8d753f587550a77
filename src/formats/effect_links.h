/*
 * Links that do something when they are followed: log out, delete, unsubscribe. A crawler with a
 * user's cookies must never follow them. Pure; by words of the URL alone, in several languages.
 *
 *	log out		a segment of the path that is such a word (/logout, /sign-out.php,
 *			/abmelden), a field named so (?logout, ?logout=1), an action (?do=logout) or
 *			a page (?page=logout) of that name
 *	delete		the word beside what it is about: /items/5/delete, /delete/5,
 *			/delete.php?id=5; a field (?delete=5); an action (?action=delete)
 *	unsubscribe	as log out
 *	change		what is done to an object: /posts/5/like, /like/5, /like/post/5, /vote?id=5,
 *			/vote/5/up, ?like=5; to a user's collection: /cart/add/7, /cart/7/remove; to
 *			a machine: /reboot, /cache/purge; an action (?do=approve)
 *
 * Words are whole: /blog/how-to-log-out, /api/delete-user and /vote-results are articles and stay,
 * and so do /vote and /vote/2024, which name no object: a year is none. So do paths
 * through a directory of documents (/docs/…, /help/…, /wiki/…, /blog/…, /tag/…), unless the query
 * says otherwise, or it is a wiki's own page (Special:UserLogout). `remove` alone as a field is the
 * remove-filter of shops and stays; as an action it counts. Neither case nor "-", "_" and blanks
 * matter.
 */
#ifndef FORMATS_EFFECT_LINKS_H
#define FORMATS_EFFECT_LINKS_H

#include "formats/url.h"

enum { EFFECT_PART_MAX = 64 }; /* bytes of a segment, name or value; longer ones are no words */

enum effect {
	EFFECT_NONE,
	EFFECT_LOGOUT,
	EFFECT_DELETE,
	EFFECT_UNSUBSCRIBE,
	EFFECT_CHANGE, /* of a state: reboot, purge, approve … */
};

/* "", "logout", "delete", "unsubscribe", "change"; constant. */
const char *effect_name(enum effect effect);

/* What following a link to the URL would do, as far as its words tell. */
enum effect effect_of_link(const struct url *url);

#endif
