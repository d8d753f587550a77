/* WHATWG URL Standard, section 3.3 "IDNA"; Unicode Technical Standard #46 by ICU. */
#include "url/idna.h"

#include <stdlib.h>
#include <unicode/uidna.h>

#include "base/err.h"
#include "url/percent.h"

enum {
	/* Four letters of UTF-8 may become some 20 of an ASCII label; a guess that mostly holds. */
	FIRST_ROOM = 256,
	/* CheckHyphens and VerifyDnsLength are off: what they find is no failure. */
	IGNORED = UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG |
		  UIDNA_ERROR_DOMAIN_NAME_TOO_LONG | UIDNA_ERROR_LEADING_HYPHEN |
		  UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4,
};

static const char *explain(uint32_t errors)
{
	static const struct {
		uint32_t bits;
		const char *text;
	} rows[] = {
		{UIDNA_ERROR_DISALLOWED, "with a character that is not allowed"},
		{UIDNA_ERROR_PUNYCODE | UIDNA_ERROR_INVALID_ACE_LABEL, "with a broken xn-- label"},
		{UIDNA_ERROR_LEADING_COMBINING_MARK, "with a label that begins with a mark"},
		{UIDNA_ERROR_LABEL_HAS_DOT, "with a dot inside an xn-- label"},
		{UIDNA_ERROR_BIDI, "that mixes directions of writing"},
		{UIDNA_ERROR_CONTEXTJ, "with a misplaced joiner"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (errors & rows[i].bits)
			return rows[i].text;
	return "that is not valid";
}

static int check_errors(uint32_t errors, struct err *err)
{
	errors &= ~(uint32_t)IGNORED;
	if (errors == 0)
		return 0;
	return err_set(err, ERR_SYNTAX, "domain name %s", explain(errors));
}

/* One try with the room there is; *ret_need is the length of the whole result. */
static int convert(
	const UIDNA *idna, struct buf *out, slice domain, size_t *ret_need, struct err *err)
{
	UIDNAInfo info = UIDNA_INFO_INITIALIZER;
	UErrorCode code = U_ZERO_ERROR;
	size_t room = out->cap - out->len;
	int32_t need = uidna_nameToASCII_UTF8(idna, domain.ptr, (int32_t)domain.len,
		out->ptr + out->len, (int32_t)room, &info, &code);

	*ret_need = (size_t)need;
	if (code == U_BUFFER_OVERFLOW_ERROR)
		return 0;
	if (code == U_MEMORY_ALLOCATION_ERROR)
		return ERR_NOMEM;
	if (U_FAILURE(code))
		return err_set(err, ERR_SYNTAX, "domain name: %s", u_errorName(code));
	return check_errors(info.errors, err);
}

static int convert_with_room(const UIDNA *idna, struct buf *out, slice domain, struct err *err)
{
	size_t need = FIRST_ROOM;
	int rc;

	do {
		rc = buf_reserve(out, need);
		if (rc)
			return rc;
		rc = convert(idna, out, domain, &need, err);
	} while (rc == 0 && need >= out->cap - out->len);
	if (rc)
		return rc;
	out->len += need;
	out->ptr[out->len] = '\0';
	return 0;
}

/* Opening costs about as much as a malloc: ICU shares its tables between all that are open. */
static int unicode_to_ascii(struct buf *out, slice domain, struct err *err)
{
	UErrorCode code = U_ZERO_ERROR;
	UIDNA *idna = uidna_openUTS46(UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ |
					      UIDNA_NONTRANSITIONAL_TO_ASCII |
					      UIDNA_NONTRANSITIONAL_TO_UNICODE,
		&code);
	int rc;

	if (U_FAILURE(code))
		return ERR_NOMEM;
	rc = convert_with_room(idna, out, domain, err);
	uidna_close(idna);
	return rc;
}

/* All bits of url_byte[] that occur. */
static unsigned look_at(slice s)
{
	unsigned seen = 0;

	for (size_t i = 0; i < s.len; i++)
		seen |= url_byte[(unsigned char)s.ptr[i]];
	return seen;
}

int url_domain_to_ascii(struct buf *out, slice domain, struct err *err)
{
	unsigned seen = look_at(domain);
	size_t start = out->len;
	int rc;

	if (seen & URL_NOT_ASCII) {
		rc = unicode_to_ascii(out, domain, err);
		seen = rc ? 0 : look_at(slice_sub(buf_slice(out), start, out->len));
	} else {
		rc = url_add_lower(out, domain);
	}
	if (rc)
		return rc;
	if (out->len == start)
		return err_set(err, ERR_SYNTAX, "domain name that is empty");
	if (seen & URL_FORBIDDEN_DOMAIN)
		return err_set(err, ERR_SYNTAX, "host with a forbidden character");
	return 0;
}
