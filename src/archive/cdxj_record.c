#include "archive/cdxj_record.h"

#include "base/err.h"
#include "url/surt.h"

int cdxj_key(struct buf *out, slice text)
{
	struct url url;
	int rc;

	url_init(&url);
	buf_reset(out);
	rc = url_parse(&url, text, NULL, NULL);
	if (rc == 0)
		rc = url_surt(out, &url);
	url_release(&url);
	return rc;
}

int cdxj_record_line(
	struct buf *out, struct buf *key, const struct warc_record *record, slice filename)
{
	struct cdxj line;
	int rc;

	buf_reset(out);
	if (!cdxj_from_record(record, filename, &line) || slice_eq(line.mime, SLICE("text/dns")))
		return ERR_NOTFOUND;
	rc = cdxj_key(key, line.url);
	line.key = buf_slice(key);
	if (rc == 0)
		rc = cdxj_write(out, &line);
	if (rc)
		return rc == ERR_NOMEM ? rc : ERR_NOTFOUND;
	buf_truncate(out, out->len - 1);
	return 0;
}
