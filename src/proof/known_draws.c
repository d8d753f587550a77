/*
 * What known programs draw for each answer, one row each: the name of the field, key, parameter or
 * attribute, and the form of the value. A form is text in which %h32 stands for 32 hex digits and
 * %a8,20 for 8 to 20 letters and digits; a star at its start for what both values begin with, one
 * at its end for what both end in. What is drawn must be two draws: apart, and no two words.
 *
 *	d digits          l small letters, digits    a letters, digits
 *	h hex digits      u capitals, digits         w letters, digits, - _
 *	b all that tokens and encodings are made of
 *
 * A capital (%D, %A …) stands for what need not be drawn: counters, a part that one may share.
 */
#include "base/word.h"
#include "proof/proof_judge.h"

enum { DRAWN_MAX = 512, BESIDE_REACH = 48 };

#define UUID "%h8-%h4-%h4-%h4-%h12"

static const struct {
	const char *names; /* "|a|b|", or what they begin with */
	const char *form;
	const char *beside; /* the element, its id or class, another word of the script within
			     * reach, a part of the address; NULL: the name is no other program's */
} VALUES[] = {
	/* clang-format off */
	/* frameworks */
	{"|spinner|captcha_0|", "%h32,40", "input"}, /* invisible_captcha, Django Simple Captcha */
	{"|store-id|", "%h32", "djDebug"}, /* Django's debug toolbar */
	{"|loadToolbar|", "%h6", NULL}, /* Symfony */
	{"|tag|", "%h13", "yii-debug-toolbar"},
	{"|id|", "tracy-%h10", NULL}, /* Nette */
	{"|current-id|ids|", "%b16,2000", "mini-profiler"},
	{"|parentId|ai.operation.parentId|", "|%h32.%h16.", NULL}, /* Application Insights */
	{"|ai.operation.parentId|", "%h16", NULL},
	{"|_adf.ctrl-state|", "%l6,14_%D1,4", NULL}, /* Oracle ADF */
	{"|_afrLoop|", "%d13,20", NULL},
	{"|_afrWindowId|", "%l6,14", NULL},
	{"|javax.faces.ViewState|jakarta.faces.ViewState|", "!%l6,14", NULL},
	{"|javax.faces.ViewState|jakarta.faces.ViewState|", "!-%l6,14", NULL},
	{"|javax.faces.ClientWindow|jakarta.faces.ClientWindow|", "%b8,40", NULL}, /* MyFaces */
	{"|u|", "*%D1,6-%D1,4.*", "Wicket"},
	{"|ice.window|ice.view|", "%l8,14", NULL}, /* ICEfaces */
	{"|lift_page|", "F%d12,20%u4,8", NULL},
	{"|_s|_k|", "%w16", NULL}, /* Seaside */
	{"|p_instance|pInstance|", "%d10,17", NULL}, /* Oracle APEX */
	{"|p_page_submission_id|pPageSubmissionId|pSalt|", "%d12,40", NULL},
	{"|pPageItemsProtected|", "%w16,200", NULL},
	{"|p_context|", "*%d10,17", "wwv_flow.accept"},
	{"|p|", "*%d10,17*", "f?p="},
	{"|ajaxIdentifier|", "*%b20,400", NULL},
	{"|g_ck|", "%h64,160", NULL}, /* ServiceNow */
	{"|pzuiactionzzz|", "%b40,4000", NULL}, /* Pega */
	{"|CFID|", "%D4,12", NULL}, /* ColdFusion */
	{"|ICSID|", "%b40,60", NULL}, /* PeopleSoft */
	{"|ICStateNum|", "%D1,4", NULL},
	{"|sap-wd-secure-id|", "%h32", NULL}, /* SAP */
	{"|sap-contextid|", "*%b20,200*", NULL},
	{"|q:instance|", "%l8,14", NULL}, /* Qwik */
	{"|v-uiId|", "%D1,5", NULL}, /* Vaadin */
	{"|__unique_form_id__|", "%a20", NULL}, /* Grav */
	{"|ufprt|", "%b60,255", NULL}, /* Umbraco */
	/* content management */
	{"|ak_js|_wpcf7_ak_js|", "%D1,3", NULL}, /* Akismet, Contact Form 7 */
	{"|security|token|", "%h10", NULL}, /* WordPress */
	{"|_bbp_unfiltered_html_topic|_bbp_unfiltered_html_reply|", "%h10", NULL},
	{"frm_submit_entry_", "%h10", NULL}, /* Formidable */
	{"_wpcf7_captcha_challenge_", "%d4,12", NULL},
	{"|gform_currency|", "%b40,200", NULL}, /* Gravity Forms */
	{"|gform_unique_id|", "%h13", NULL},
	{"|hid|", "%h32", "wordfence_lh=1"},
	{"|captcha_sid|", "%D1,12", "input"}, /* Drupal */
	{"|captcha_id|captcha_key|", "%h32,40", "input"},
	{"|key|", "%w43", "antibot"},
	{"|freeform_payload|", "%b60,8000", NULL}, /* Craft */
	{"freeform_form_handle_", "%h9", NULL},
	{"|SecurityID|XID|", "%h40", NULL}, /* Silverstripe, ExpressionEngine */
	{"|cstok|", "%h40", NULL}, /* Jimdo */
	{"|jira.request.concurrents|", "%D1,3", NULL},
	{"|authToken|p_auth|", "%a8", NULL}, /* Liferay */
	/* shops */
	{"|form_key|", "%a16", NULL}, /* Magento */
	{"|stoken|", "%h8", NULL}, /* OXID */
	{"|ue_id|requestId|config.requestId|pf_rd_r|", "%u20", NULL}, /* Amazon */
	{"|ue_sid|session-id|", "%d3-%d7-%d7", NULL},
	{"|rid|", "%u20", "input"},
	{"|csa-c-id|", "%l6-%l6-%l6-%l6", NULL},
	{"|pd_rd_w|pd_rd_wg|", "%A5", "pd_rd_r="},
	{"|pd_rd_r|", UUID, NULL},
	{"|srt|", "%h80,200", NULL}, /* eBay */
	{"|rlogId|", "%b20,160", NULL},
	{"|page_guid|", "%h12.%h20.%D2", NULL}, /* Etsy */
	{"|request_uuid|", "%w20,40", NULL},
	{"|HostId|", "%b50,120", NULL}, /* Amazon S3 */
	/* captchas and firewalls */
	{"|cf-turnstile-response|", "%b60,4000", NULL},
	{"|cdata|", UUID, "cf-turnstile"},
	{"|cdata|", "%w20,64", "cf-turnstile"},
	{"|stoken|", "%b60,400", "g-recaptcha"},
	{"|rqdata|", "%b60,4000", "h-captcha"},
	{"|hcaptcha-widget-id|", "%l8,14", NULL},
	{"|fragment|", "frame=checkbox&id=%l8,14&*", "hcaptcha"},
	{"|fragment|", "frame=challenge&id=%l8,14&*", "hcaptcha"},
	{"|challenge|geetest_challenge|", "%h32,34", NULL},
	{"|lotNumber|lot_number|", "%h32", NULL},
	{"|challenge|signature|", "%h64", "salt"}, /* ALTCHA */
	{"|salt|", "%h16,64", "challenge"},
	{"|salt|", "%h16,64?expires=%D10", "challenge"},
	{"BDC_VCID_", "%h32", NULL}, /* BotDetect */
	{"BDC_Hs_", "%h40", NULL},
	{"BDC_SP_", "%d6,10", NULL},
	{"|wpCaptchaId|", "%d6,10", NULL}, /* MediaWiki */
	{"|confirm_id|imagehash|humanverify[hash]|mathguard_code|", "%h32", NULL}, /* phpBB, MyBB … */
	{"|hash|", "%h32", "type=hv"}, /* vBulletin */
	{"|action|", "*%h32", "verificationcode"}, /* SMF */
	{"|cid|cookie|e|", "%b20,400", "hsh"}, /* DataDome */
	{"|key|iv|context|", "%b16,4000", "gokuProps"}, /* AWS */
	{"|bobcmn|failureConfig|", "%h40,4000", NULL}, /* F5 */
	/* measuring and advertising */
	{"|ADRUM_BT|", "*" UUID "*", NULL}, /* AppDynamics */
	{"|requestGUID|", UUID, NULL},
	{"|setPageViewId|", "%a6", NULL}, /* Matomo */
	{"|clientId|", "%d6,10.%D10", NULL}, /* Google Analytics */
	{"|visitorId|", "oeu%D13r0.%d8,18", NULL}, /* Optimizely */
	{"|mcid|", "%d38", "visitor"}, /* Adobe */
	{"|ord|", "%d8,16", "adform.net"},
	{"|cacheBuster|", "%d8,13", NULL},
	{"|cb|", "%d8,12", "/delivery/"}, /* Revive */
	/* very large sites */
	{"|kEI|ei|", "%w20,30", NULL}, /* Google */
	{"|iflsig|", "%w40,80", NULL},
	{"|ved|", "%w20,80", NULL},
	{"|sca_esv|", "%h8,16", NULL},
	{"|FdrFJe|", "%b15,20", NULL},
	{"|SNlM0e|__wavt|", "%w20,60:%D13", NULL},
	{"|EVENT_ID|", "%w16,30", NULL},
	{"|VISITOR_DATA|visitorData|", "Cg%b20,160", NULL},
	{"|trackingParams|clickTrackingParams|", "%b12,300", NULL},
	{"|lsd|token|", "AV%w9,30", NULL}, /* Facebook */
	{"|jazoest|", "%D4,6", NULL},
	{"|hsi|gt|", "%d19", NULL},
	{"|lgnrnd|", "%d6_%a4", NULL},
	{"|treeID|", "%b20,30", NULL}, /* LinkedIn */
	{"|fkey|", "%h64", NULL}, /* Stack Exchange */
	{"|tid|", UUID, "fkey"},
	{"|requestUUID|", UUID, NULL}, /* Airbnb */
	{"|rid|requestId|", "%l13", "crumb"}, /* Yahoo */
	{"|crumb|", "%w11", NULL},
	{"|IG|EventID|", "%h32", "IG"}, /* Bing */
	{"|cvid|", "%h32", NULL},
	{"|vqd|", "4-%d30,45", NULL}, /* DuckDuckGo */
	/* forums, wikis, courses, libraries */
	{"|SESSIONURL|", "s=%h32*", NULL}, /* vBulletin */
	{"|smf_session_var|", "%l7,12", NULL},
	{"|action|", "logout;%l7,12=%h32", NULL},
	{"|TransientKey|", "%a12,16", NULL}, /* Vanilla */
	{"|plupload|", "%h32", NULL}, /* Invision */
	{"|cache-buster|", "v=%l8,14", NULL}, /* NodeBB */
	{"|formhash|", "%h8", NULL}, /* Discuz */
	{"|dle_login_hash|", "%h32,40", NULL}, /* DataLife Engine */
	{"|t|", "%h40", "input"}, /* WoltLab */
	{"|editingStatsId|", "%h20,32", NULL}, /* MediaWiki */
	{"|ticket|", "%b40,80", NULL}, /* MoinMoin, Tiki */
	{"|sesskey|", "%a10", NULL}, /* Moodle */
	{"|rtoken|", "%h32", NULL}, /* ILIAS */
	{"|page_view_update_url|", "/page_views/" UUID "?page_view_token=%B1,600", NULL}, /* Canvas */
	{"|xGerritAuth|", "%b20,60", NULL},
	/* mail, offices, logins */
	{"|smtoken|", "%a12", NULL}, /* SquirrelMail */
	{"|a_sClientId|", "%h32", NULL}, /* Outlook */
	{"|sFT|sCtx|canary|apiCanary|", "%b40,4000", NULL}, /* Microsoft */
	{"|FormID|", "%D10.%D5,8.%d6,8", NULL}, /* OTRS */
	{"|LEMpostKey|", "%d6,10", NULL}, /* LimeSurvey */
	{"|asynchronous_key|", UUID, NULL}, /* SuiteCRM */
	{"|qfKey|", "%b30,120", NULL}, /* CiviCRM */
	{"|session_code|tab_id|", "%w10,60", "session_code="}, /* Keycloak */
	{"|lt|", "LT-%D1,9-%b10,80", NULL}, /* CAS */
	{"|execution|", UUID "_%b20,60000", NULL},
	{"|flow|", UUID, "/self-service/"}, /* Ory */
	{"|state|code_challenge|", "%w20,300", "response_type="},
	{"|state|", "hKFo2SB%b20,400", NULL}, /* Auth0 */
	{"|SAMLRequest|", "%b100,6000", NULL},
	{"|RelayState|", "*%b20,400", "SAMLRequest="},
	{"|MessageID|", "urn:uuid:" UUID, NULL}, /* SOAP */
	{"|Message|", "*" UUID "\nTime:%B20,40", NULL}, /* Azure */
	/* what Laravel encrypts: base64 of {"iv":"…","value":…,"mac":…} */
	{"", "eyJpdiI6I%b100,8000", "input"},
	/* clang-format on */
};

/* Ids and classes; behind the form both go on alike, after a sign. */
static const char *const NAMES[] = {
	/* clang-format off */
	"ember%D1,9", "mat-input-%D1,6", "mat-hint-%D1,6", "mat-form-field-label-%D1,6",
	"mat-select-%D1,6", "mat-tab-label-%D1,6", "mat-expansion-panel-header-%D1,6",
	"cdk-accordion-child-%D1,6", "ngb-nav-%D1,6",
	"expander-%d6,10", "expander-control-%d6,10", "expander-content-%d6,10", /* Confluence */
	"formAcym%D5", "acym_module_formAcym%D5", /* AcyMailing */
	"required_field_%H4", /* GitHub */
	"sfwdt%h6", "sfToolbarMainContent-%h6", /* Symfony */
	"TOKEN%d6,10X%D10", /* ProcessWire */
	"__sveltekit_%L4,8", "react-aria-%D6,12-%D1,5", "react-aria%d6,12",
	"headlessui-menu-button-%D1,6", "headlessui-menu-items-%D1,6",
	"headlessui-disclosure-button-%D1,6", "headlessui-disclosure-panel-%D1,6",
	"headlessui-tabs-tab-%D1,6", "headlessui-tabs-panel-%D1,6",
	"headlessui-listbox-button-%D1,6", "headlessui-listbox-options-%D1,6",
	"headlessui-dialog-%D1,6", "radix-%D1,6", "mui-%D3,6", "mui-p-%D3,6", "downshift-%D1,6", "tabs-%D1,6--tab-%D1,2", "tabs-%D1,6--tabpanel-%D1,2",
	"react-select-%D1,6", "react-tabs-%D1,6", "menu-list-%D4,6", "menu-button-%D4,6",
	"Dropdown%D3,6", "id__%D2,6", "__BVID__%D1,6", "input-v-%D1,6", "v-menu-%D1,6",
	"el-id-%D4", "el-collapse-head-%D4", "el-collapse-content-%D4",
	"pv_id_%D1,6", "pr_id_%D1,6", "pn_id_%D1,6", "rc-tabs-%D1,6", "rc_select_%D1,6",
	"gwt-uid-%D1,6", "ext-gen%D3,6", "ext-comp-%D3,6", "ui-id-%D1,6",
	"cf-chl-widget-%L5", "h-captcha-response-%l8,14",
	"u_0_%D1,3_%W2", /* Facebook */
	"loginform_L%A4", "username_L%A4", "password3_L%A4", "loginfield_L%A4", /* Discuz */
	"UQ0_%D1,5", "F%d12,20%u4,8", /* Phabricator */
	"bpr-guid-%d5,9", "datalet-bpr-guid-%d5,9", /* LinkedIn */
	/* clang-format on */
};

static bool is_of_class(char class, char c)
{
	switch (class) {
	case 'd':
		return word_is_digit(c);
	case 'h':
		return word_hex(c) >= 0;
	case 'l':
		return word_is_digit(c) || (c >= 'a' && c <= 'z');
	case 'u':
		return word_is_digit(c) || (c >= 'A' && c <= 'Z');
	case 'w':
		return word_is_alnum(c) || c == '-' || c == '_';
	case 'b':
		return word_is_alnum(c) || (c && strchr("+/-_=.:~%*!,|@", c));
	default:
		return word_is_alnum(c);
	}
}

struct draws {
	char text[DRAWN_MAX];
	size_t len;
	slice rest; /* behind the form */
};

static size_t read_count(const char **form)
{
	size_t n = 0;

	for (; word_is_digit(**form); ++*form)
		n = n * 10 + (size_t)(**form - '0');
	return n;
}

static bool read_form(const char *form, slice s, struct draws *out)
{
	size_t at = 0;

	out->len = 0;
	for (; *form && *form != '*'; form++) {
		size_t min, max, from = at;
		char class;

		if (*form != '%') {
			if (at == s.len || s.ptr[at++] != *form)
				return false;
			continue;
		}
		class = *++form;
		form++;
		min = max = read_count(&form);
		if (*form == ',') {
			form++;
			max = read_count(&form);
		}
		form--;
		while (at < s.len && at - from < max && is_of_class(word_lower(class), s.ptr[at])) {
			if (class >= 'a' && out->len < sizeof out->text)
				out->text[out->len++] = s.ptr[at];
			at++;
		}
		if (at - from < min)
			return false;
	}
	out->rest = slice_sub(s, at, s.len);
	return true;
}

/* Whether both are of the form, and what is drawn in them is two draws. */
static bool are_of_form(const char *form, slice a, slice b, bool is_name)
{
	size_t start = *form == '*' ? value_equal_start(a, b) : 0;
	struct draws x, y;
	bool is_open = form[1] && form[strlen(form) - 1] == '*';

	form += *form == '*';
	if (!read_form(form, slice_sub(a, start, a.len), &x) ||
		!read_form(form, slice_sub(b, start, b.len), &y) || !slice_eq(x.rest, y.rest) ||
		(is_name ? x.rest.len && word_is_alnum(x.rest.ptr[0]) : x.rest.len && !is_open))
		return false;
	return !x.len || value_are_drawn_apart((slice){x.text, x.len}, (slice){y.text, y.len});
}

static bool has_beside(const struct place *p, slice word)
{
	for (; p; p = p->outer) {
		const struct proof_element *e = p->tokens && p->element != NO_TOKEN
							? &p->tokens->elements.ptr[p->element]
							: NULL;
		slice class = e ? proof_attr(e, SLICE("class")) : SLICE(""), each;

		if (p->address.len && memmem(p->address.ptr, p->address.len, word.ptr, word.len))
			return true;
		if (e && (slice_eq(e->name, word) || slice_eq(proof_attr(e, SLICE("id")), word)))
			return true;
		while (word_next(&class, ' ', &each))
			if (slice_eq(each, word))
				return true;
		for (size_t i = p->at > BESIDE_REACH ? p->at - BESIDE_REACH : 0;
			p->script && i < p->script->list.len && i < p->at + BESIDE_REACH; i++)
			if (slice_eq(p->script->list.ptr[i].text, word))
				return true;
	}
	return false;
}

bool are_known_draws(slice name, slice a, slice b, const struct place *p)
{
	for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES; i++) {
		const char *names = VALUES[i].names;

		if ((*names == '|' ? value_is_listed(name, names)
				   : slice_starts_with(name, slice_str(names))) &&
			are_of_form(VALUES[i].form, a, b, false) &&
			(!VALUES[i].beside || has_beside(p, slice_str(VALUES[i].beside))))
			return true;
	}
	return false;
}

bool is_known_name(slice a, slice b)
{
	for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
		if (are_of_form(NAMES[i], a, b, true))
			return true;
	return false;
}
