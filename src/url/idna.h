/*
 * The domain parser of the WHATWG URL Standard, section 3.3, without beStrict: UTS #46 ToASCII with
 * CheckBidi and CheckJoiners, nontransitional, without CheckHyphens, UseSTD3ASCIIRules and
 * VerifyDnsLength. A name that is ASCII is only put in lower case, whatever its "xn--" labels hold:
 * so the standard has it since June 2026 (whatwg/url#914), and so ICU is needed for few names.
 */
#ifndef URL_IDNA_H
#define URL_IDNA_H

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

/*
 * Appends the ASCII form of a domain, which is UTF-8 with all escapes decoded (broken UTF-8 is
 * refused, as U+FFFD is). 0, ERR_SYNTAX when it is no domain, ERR_LIMIT, ERR_NOMEM; what was
 * appended is undefined on failure.
 */
int url_domain_to_ascii(struct buf *out, slice domain, struct err *err) SP_MUST_CHECK;

#endif
