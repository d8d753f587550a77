/* Links that do something when followed, and those that only look so. */
#include "formats/effect_links.h"

#include "tap.h"

static const struct {
	const char *url; /* behind https://example.org */
	const char *want;
} rows[] = {
	{"/logout", "logout"},
	{"/Logout/", "logout"},
	{"/log-out", "logout"},
	{"/user/logout.php", "logout"},
	{"/account/sign_out", "logout"},
	{"/session/logout?next=/", "logout"},
	{"/logout/3f2a", "logout"},
	{"/wp-login.php?action=logout&_wpnonce=1", "logout"},
	{"/index.php?page=logout", "logout"},
	{"/?logout", "logout"},
	{"/?a=b&logout=1", "logout"},
	{"/index.php?option=x;task=logout", "logout"},
	{"/wiki/Special:UserLogout", "logout"},
	{"/wiki/Spezial:Abmelden", "logout"},
	{"/forum/logout", "logout"},
	{"/api/v1/logout", "logout"},
	{"/abmelden", "logout"},
	{"/d%C3%A9connexion", "logout"},
	{"/cerrar-sesion", "logout"},
	{"/wyloguj", "logout"},
	{"/%E3%83%AD%E3%82%B0%E3%82%A2%E3%82%A6%E3%83%88", "logout"},
	{"/items/5/delete", "delete"},
	{"/delete/5", "delete"},
	{"/delete.php?id=5", "delete"},
	{"/post/9f8e-77/remove", "delete"},
	{"/posts?delete=5", "delete"},
	{"/posts?action=delete&id=5", "delete"},
	{"/cart?do=remove&item=4", "delete"},
	{"/beitrag/12/l%C3%B6schen", "delete"},
	{"/admin.php?cmd=supprimer", "delete"},
	{"/unsubscribe", "unsubscribe"},
	{"/newsletter/unsubscribe/abc123", "unsubscribe"},
	{"/newsletter?unsubscribe=abc", "unsubscribe"},
	{"/newsletter/abbestellen", "unsubscribe"},
	{"/opt-out", "unsubscribe"},
	{"/docs/a?action=delete", "delete"},
	{"/admin/reboot", "change"},
	{"/admin/reboot.cgi", "change"},
	{"/system/shut-down", "change"},
	{"/cgi-bin/luci/admin/system/reboot", "change"},
	{"/cache/purge", "change"},
	{"/purge/7", "change"},
	{"/mail/empty_trash", "change"},
	{"/?do=rm&f=a.txt", "change"},
	{"/?x=purge", ""},
	{"/?action=purge&title=A", "change"},
	{"/index.php?cmd=reset", "change"},
	{"/?purge=1", "change"},
	{"/posts/5?op=approve", "change"},
	{"/shop?action=add-to-cart&id=5", "change"},
	{"/?task=publish", "change"},
	{"/shop/?add-to-cart=123", "change"},
	{"/shirt?add_to_wishlist=5", "change"},
	{"/cart/add/5", "change"},
	{"/checkout/cart/add/product/5", "change"},
	{"/basket/empty", "change"},
	{"/mail/trash/empty", "change"},
	{"/account/close", "change"},
	{"/forum/mark-all-read", "change"},
	{"/comments/12/approve", "change"},
	{"/posts/5/like", "change"},
	{"/posts/5/like/", "change"},
	{"/issues/77/close.php", "change"},
	{"/polls/3/vote", "change"},
	{"/users/9f8e-77/ban", "change"},
	{"/item?id=5&upvote=1", "change"},
	{"/wp-cron.php?doing_wp_cron=1", "change"},

	{"/", ""},
	{"/login", ""},
	{"/like/5", ""},
	{"/vote/2024", ""},
	{"/votes/123", ""},
	{"/2024/05/vote", ""},
	{"/2024/05/12/close/", ""},
	{"/2024/like", ""},
	{"/news/5/close", ""},
	{"/approve", ""},
	{"/cart", ""},
	{"/cart/add-ons", ""},
	{"/account/closet", ""},
	{"/trash", ""},
	{"/blog/how-to-log-out", ""},
	{"/logout-design-patterns", ""},
	{"/docs/logout", ""},
	{"/help/account/logout.html", ""},
	{"/wiki/Logout", ""},
	{"/logout/2024/05/why-we-removed-it", ""},
	{"/api/delete-user", ""},
	{"/sql/delete", ""},
	{"/docs/methods/delete/5", ""},
	{"/reference/array/remove?id=2", ""},
	{"/delete", ""},
	{"/hair-removal", ""},
	{"/shop?remove=filter-red", ""},
	{"/search?q=logout", ""},
	{"/search?q=delete", ""},
	{"/tag/unsubscribe", ""},
	{"/article?page=delete", ""},
	{"/article?tag=unsubscribe", ""},
	{"/article?action=view", ""},
	{"/log", ""},
	{"/signs", ""},
	{"/%6c%6f%67", ""},
	{"/blog/reboot", ""},
	{"/docs/shutdown", ""},
	{"/wiki/Reboot", ""},
	{"/reboot-of-a-series", ""},
	{"/news/2024/the-restart", ""},
	{"/archive", ""},
	{"/start", ""},
	{"/update", ""},
	{"/updates/5", ""},
	{"/restart/of/the/season", ""},
	{"/?mode=archive", ""},
	{"/?action=edit", ""},
	{"/?q=reboot", ""},
	{"/?do=search&id=reboot", ""},
	{"/?a=log;h=HEAD", ""},
	{"/logout%", "" /* a broken escape is part of the word */},
};

int main(int argc, char **argv)
{
	struct url base, url;

	tap_init(argc, argv);
	url_init(&base);
	url_init(&url);
	tap_case("base");
	CHECK_INT(url_parse(&base, SLICE("https://example.org/"), NULL, NULL), 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("link: %s", rows[i].url);
		CHECK_INT(url_parse(&url, slice_str(rows[i].url), &base, NULL), 0);
		CHECK_STR(effect_name(effect_of_link(&url)), rows[i].want);
	}
	tap_case("link: no page");
	CHECK_INT(url_parse(&url, SLICE("mailto:logout"), NULL, NULL), 0);
	CHECK_INT(effect_of_link(&url), EFFECT_NONE);
	url_release(&url);
	url_release(&base);
	return tap_done();
}
