/*
 * Session ids in URLs, by the patterns of the Internet Archive's tools (URLRegexTransformer in
 * webarchive-commons), without regular expressions and in linear time. Each pattern is taken out
 * once, where it stands last. Both work on b's content from the byte at from to its end, which is
 * in lower case; they cannot fail.
 */
#ifndef URL_SESSION_H
#define URL_SESSION_H

#include "base/buf.h"

/* "…/(24 letters or digits)/x.aspx" and "…/(s(24 letters or digits)…)/x.aspx" */
void url_strip_path_session(struct buf *b, size_t from);

/*
 * Fields that end in jsessionid=, phpsessid= or sid= and 32 letters or digits, in aspsessionid, 8
 * letters, = and 24 letters; or in cfid=… with cftoken=… next. A "&" before the last field stays,
 * as it does there.
 */
void url_strip_query_session(struct buf *b, size_t from);

#endif
