#include "archive/listing.h"

#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

#include "base/buf.h"
#include "tap.h"

#define SHA1_A "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
#define SHA1_B "B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A"

/* 2016-01-11T23:24:25Z and 2017-01-11T23:24:25Z, by date -u +%s */
static const int64_t FIRST = 1452554665, SECOND = 1484177065;

#define CDX_A(rest) \
	"org,example)/ 20160111232425 http://example.org/ text/html 200 " SHA1_A " " rest "\n"
#define CDX_B(rest) \
	"org,example)/ 20170111232425 http://example.org/ text/html 200 " SHA1_B " " rest "\n"
#define CDXJ(date, digest)                                                                \
	"org,example)/ " date " {\"url\":\"http://example.org/\",\"mime\":\"text/html\"," \
	"\"status\":\"200\",\"digest\":\"" digest "\",\"length\":\"12\"}\n"
#define WARC(date, digest)                                                               \
	"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.org/\r\n"    \
	"WARC-Date: " date                                                               \
	"\r\nWARC-Record-ID: <urn:uuid:9f1dc2a5-0000-4000-8000-00000000001>\r\n" digest  \
	"Content-Type: application/http; msgtype=response\r\nContent-Length: 24\r\n\r\n" \
	"HTTP/1.1 200 OK\r\n\r\nhello\r\n\r\n"

/* sha1sum of "hello" */
static const char HELLO[] = "sha1:aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d";

struct seen {
	size_t count;
	struct listed at[8];
	char urls[8][64];
};

static int note(void *context, const struct listed *o, struct err *err)
{
	struct seen *s = context;

	(void)err;
	if (s->count < ARRAY_LEN(s->at)) {
		s->at[s->count] = *o;
		(void)snprintf(
			s->urls[s->count], sizeof s->urls[0], "%.*s", (int)o->url.len, o->url.ptr);
	}
	s->count++;
	return 0;
}

static void write_plain(const char *path, const char *content)
{
	FILE *f = fopen(path, "wb");

	CHECK(f && fputs(content, f) >= 0);
	CHECK(f && fclose(f) == 0);
}

/* Each half a member of its own. */
static void write_gzip(const char *path, const char *content)
{
	size_t len = strlen(content), half = len / 2;
	gzFile f = gzopen(path, "wb");

	CHECK(f && gzwrite(f, content, (unsigned)half) == (int)half && gzclose(f) == Z_OK);
	f = gzopen(path, "ab");
	CHECK(f && gzwrite(f, content + half, (unsigned)(len - half)) == (int)(len - half));
	CHECK(f && gzclose(f) == Z_OK);
}

static const struct {
	const char *label, *content;
	enum listing_format format;
	bool digests; /* or times only */
	uint64_t bad;
} ROWS[] = {
	{"CDX, 11 fields",
		" CDX N b a m s k r M S V g\n" CDX_A("- - 9 8 a.gz") CDX_B("- - 9 8 a.gz"),
		LISTING_CDX, true, 0},
	{"CDX, 9 fields", " CDX N b a m s k r V g\n" CDX_A("- 8 a.gz") CDX_B("- 8 a.gz"),
		LISTING_CDX, true, 0},
	{"CDX, no header, 11 fields", CDX_A("- - 9 8 a.gz") CDX_B("- - 9 8 a.gz"), LISTING_CDX,
		true, 0},
	{"CDX, no header, 9 fields", CDX_A("- 8 a.gz") CDX_B("- 8 a.gz"), LISTING_CDX, true, 0},
	{"CDX, as a server sends it", CDX_A("99") CDX_B("99"), LISTING_CDX, true, 0},
	{"CDX, another order",
		" CDX k a b s\n" SHA1_A " http://example.org/ 20160111232425 200\r\n" SHA1_B
		" http://example.org/ 20170111232425 200\r\n",
		LISTING_CDX, true, 0},
	{"CDX without digests",
		" CDX a b s\nhttp://example.org/ 20160111232425 200\n"
		"http://example.org/ 20170111232425 200\n",
		LISTING_CDX, false, 0},
	{"CDX, lines that cannot be read",
		CDX_A("99") "org,example)/ 20161311232425 http://example.org/ text/html 200 -\n"
			    "short line\n" CDX_B("99"),
		LISTING_CDX, true, 2},
	{"CDXJ", CDXJ("20160111232425", SHA1_A) CDXJ("20170111232425", "sha1:" SHA1_B),
		LISTING_CDXJ, true, 0},
	{"CDXJ, the last line cut",
		CDXJ("20160111232425", SHA1_A) CDXJ("20170111232425",
			SHA1_B) "org,example)/ 20180111232425 {\"url\":\"http://exa",
		LISTING_CDXJ, true, 1},
	{"TimeMap in link format",
		"<http://example.org/>;rel=\"original\",\n"
		"<http://a/timemap/x>; rel=\"self\"; type=\"application/link-format\"\n"
		" ; from=\"Mon, 11 Jan 2016 23:24:25 GMT\",\n"
		"<http://a/1>; rel=\"first memento\"; datetime=\"Mon, 11 Jan 2016 23:24:25 GMT\",\n"
		"<http://a/2>; rel=memento; datetime=\"Wed, 11 Jan 2017 23:24:25 GMT\",\n"
		"<http://a/3>; rel=memento; datetime=\"soon\"\n",
		LISTING_TIMEMAP, false, 1},
	{"TimeMap in JSON",
		"{\"original_uri\":\"http://example.org/\",\"mementos\":{\"list\":[\n"
		"{\"datetime\":\"2016-01-11T23:24:25Z\",\"uri\":\"http://a/1\"},\n"
		"{\"datetime\":\"2017-01-11T23:24:25Z\",\"uri\":\"http://a/2\"}]}}",
		LISTING_TIMEMAP, false, 0},
	{"a table of a CDX server",
		"[[\"urlkey\",\"timestamp\",\"original\",\"statuscode\",\"digest\"],\n"
		"[\"x\",\"20160111232425\",\"http://example.org/\",\"200\",\"" SHA1_A "\"],\n"
		"[\"x\",\"20170111232425\",\"http:\\/\\/example.org\\u002f\",200,\"" SHA1_B "\"]]",
		LISTING_TIMEMAP, true, 0},
	{"objects in JSON",
		"{\"timestamp\":\"20160111232425\",\"url\":\"http://example.org/\",\"digest\":"
		"\"" SHA1_A "\",\"status\":\"200\",\"more\":[1,{\"x\":null}]}\n"
		"{\"timestamp\":\"20170111232425\",\"url\":\"http://example.org/\",\"digest\":"
		"\"" SHA1_B "\",\"status\":\"200\"}\n",
		LISTING_TIMEMAP, true, 0},
	{"WARC",
		WARC("2016-01-11T23:24:25Z", "WARC-Payload-Digest: sha1:" SHA1_A "\r\n")
			WARC("2017-01-11T23:24:25Z", "WARC-Payload-Digest: sha1:" SHA1_B "\r\n"),
		LISTING_WARC, true, 0},
};

static void check_row(size_t i, const char *path)
{
	struct listed_pair {
		listed_digest a, b;
	} want = {listed_digest_parse(SLICE(SHA1_A)), listed_digest_parse(SLICE(SHA1_B))};
	struct listing_counts counts;
	struct seen seen = {0};
	struct err err = {0};

	CHECK_INT(listing_read(path, note, &seen, &counts, &err), 0);
	CHECK_STR(err.text, "");
	CHECK_INT(counts.format, ROWS[i].format);
	CHECK_INT((int64_t)counts.bad, (int64_t)ROWS[i].bad);
	if (!CHECK_INT((int64_t)seen.count, 2))
		return;
	CHECK_STR(seen.urls[0], "http://example.org/");
	CHECK_STR(seen.urls[1], "http://example.org/");
	CHECK_INT(seen.at[0].time, FIRST * 1000000000);
	CHECK_INT(seen.at[1].time, SECOND * 1000000000);
	CHECK(seen.at[0].digest == (ROWS[i].digests ? want.a : LISTED_NO_DIGEST));
	CHECK(seen.at[1].digest == (ROWS[i].digests ? want.b : LISTED_NO_DIGEST));
}

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct buf path;

		buf_init(&path, 4096);
		CHECK(buf_printf(&path, "%s/list", tap_tempdir()) == 0);
		tap_case("%s", ROWS[i].label);
		write_plain(buf_str(&path), ROWS[i].content);
		check_row(i, buf_str(&path));
		tap_case("%s, gzip of two members", ROWS[i].label);
		if (ROWS[i].format == LISTING_WARC) {
			tap_skip("members of a WARC file are whole records");
		} else {
			write_gzip(buf_str(&path), ROWS[i].content);
			check_row(i, buf_str(&path));
		}
		buf_release(&path);
	}
}

/* A record that states no digest gets one of its payload. */
static void test_warc_computed(void)
{
	struct listing_counts counts;
	struct seen seen = {0};
	struct err err = {0};
	struct buf path;

	buf_init(&path, 4096);
	CHECK(buf_printf(&path, "%s/x.warc", tap_tempdir()) == 0);
	write_plain(buf_str(&path),
		WARC("2016-01-11T23:24:25Z", "") WARC("2017-01-11T23:24:25Z",
			"WARC-Truncated: length\r\nWARC-Payload-Digest: sha1:" SHA1_A "\r\n"));
	CHECK_INT(listing_read(buf_str(&path), note, &seen, &counts, &err), 0);
	CHECK_INT((int64_t)seen.count, 2);
	CHECK(seen.at[0].digest == listed_digest_parse(slice_str(HELLO)));
	CHECK_INT(seen.at[0].status, 200);
	CHECK(seen.at[1].digest == LISTED_NO_DIGEST);
	buf_release(&path);
}

/* The index of blocks leads to the file beside it, and nowhere else. */
static void test_zipnum(void)
{
	static const struct {
		const char *label, *index;
		int rc;
	} INDEXES[] = {
		{"JSON",
			"!meta 0 {\"format\":\"cdxj-gzip-1.0\",\"filename\":\"blocks.cdx.gz\"}\n"
			"org,example)/ 20160111232425 {\"offset\":0,\"length\":9}\n",
			0},
		{"tabs", "org,example)/ 20160111232425\tblocks.cdx.gz\t0\t9\t1\n", 0},
		{"tabs, no ending", "org,example)/ 20160111232425\tblocks\t0\t9\t1\n", 0},
		{"a file that is not there", "x 20160111232425\tnone\t0\t9\t1\n", ERR_IO},
		{"another directory", "x 20160111232425\t../blocks.cdx.gz\t0\t9\t1\n", ERR_SYNTAX},
		{"an absolute path", "x 20160111232425\t/etc/passwd\t0\t9\t1\n", ERR_SYNTAX},
	};
	const char *dir = tap_tempdir();
	struct buf blocks, index;

	buf_init(&blocks, 4096);
	buf_init(&index, 4096);
	CHECK(buf_printf(&blocks, "%s/blocks.cdx.gz", dir) == 0);
	CHECK(buf_printf(&index, "%s/cluster.idx", dir) == 0);
	write_gzip(buf_str(&blocks), CDXJ("20160111232425", SHA1_A) CDXJ("20170111232425", SHA1_B));
	for (size_t i = 0; i < ARRAY_LEN(INDEXES); i++) {
		struct listing_counts counts;
		struct seen seen = {0};
		struct err err = {0};

		tap_case("ZipNum: %s", INDEXES[i].label);
		write_plain(buf_str(&index), INDEXES[i].index);
		CHECK_INT(listing_read(buf_str(&index), note, &seen, &counts, &err), INDEXES[i].rc);
		CHECK_INT((int64_t)seen.count, INDEXES[i].rc ? 0 : 2);
		CHECK_INT(counts.format, LISTING_ZIPNUM);
	}
	buf_release(&blocks);
	buf_release(&index);
}

static void test_refused(void)
{
	static const struct {
		const char *label, *content;
		int rc;
	} BAD[] = {
		{"nothing", "", 0},
		{"prose", "This is a letter.\nIt has lines.\n", ERR_SYNTAX},
		{"JSON that is cut", "{\"original_uri\":\"http://e", ERR_SYNTAX},
		{"links that are cut", "<http://example.org/>; rel=\"orig", ERR_SYNTAX},
		{"JSON that is too deep", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
			ERR_LIMIT},
	};

	for (size_t i = 0; i < ARRAY_LEN(BAD); i++) {
		struct listing_counts counts;
		struct seen seen = {0};
		struct err err = {0};
		struct buf path;

		tap_case("refused: %s", BAD[i].label);
		buf_init(&path, 4096);
		CHECK(buf_printf(&path, "%s/bad", tap_tempdir()) == 0);
		write_plain(buf_str(&path), BAD[i].content);
		CHECK_INT(listing_read(buf_str(&path), note, &seen, &counts, &err), BAD[i].rc);
		CHECK(BAD[i].rc == 0 || slice_starts_with(slice_str(err.text), buf_slice(&path)));
		buf_release(&path);
	}
}

/* A file that ends within its compressed data is not taken for a short one. */
static void test_cut_gzip(void)
{
	struct listing_counts counts;
	struct seen seen = {0};
	struct err err = {0};
	struct buf path;

	buf_init(&path, 4096);
	CHECK(buf_printf(&path, "%s/cut.gz", tap_tempdir()) == 0);
	write_gzip(buf_str(&path), CDX_A("99") CDX_B("99"));
	CHECK_INT(truncate(buf_str(&path), 150), 0);
	CHECK_INT(listing_read(buf_str(&path), note, &seen, &counts, &err), ERR_SYNTAX);
	CHECK(strstr(err.text, "gzip") != NULL);
	buf_release(&path);
}

static void test_digests(void)
{
	static const struct {
		const char *label, *a, *b;
		bool same, comparable;
	} PAIRS[] = {
		{"with and without its algorithm", SHA1_A, "sha1:" SHA1_A, true, true},
		{"base32 and hexadecimal", "VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N", HELLO, true, true},
		{"two of an algorithm", SHA1_A, SHA1_B, false, true},
		{"that differ at the end only", "sha1:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB",
			"sha1:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBC", false, true},
		{"base32 whose digits are all hexadecimal", "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB",
			"GGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGG", false, true},
		{"two of MD5", "d41d8cd98f00b204e9800998ecf8427e",
			"d41d8cd98f00b204e9800998ecf8427f", false, true},
		{"of different algorithms", "md5:d41d8cd98f00b204e9800998ecf8427e", SHA1_A, false,
			false},
		{"of an algorithm that we do not know", "blake3:abc", "blake3:abc", true, true},
		{"two of those", "blake3:abc", "blake3:abcd", false, true},
		{"of two that we do not know", "blake3:abc", "blake2:abc", false, false},
		{"mere names", "v9", "v10", false, true},
	};

	for (size_t i = 0; i < ARRAY_LEN(PAIRS); i++) {
		listed_digest a = listed_digest_parse(slice_str(PAIRS[i].a));
		listed_digest b = listed_digest_parse(slice_str(PAIRS[i].b));

		tap_case("digests: %s", PAIRS[i].label);
		CHECK((a == b) == PAIRS[i].same);
		CHECK((((a ^ b) & LISTED_ALGORITHM) == 0) == PAIRS[i].comparable);
	}
	tap_case("no digest");
	CHECK(listed_digest_parse(SLICE("-")) == LISTED_NO_DIGEST);
	CHECK(listed_digest_parse(SLICE("")) == LISTED_NO_DIGEST);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_rows();
	TAP_RUN(test_warc_computed);
	test_zipnum();
	test_refused();
	TAP_RUN(test_cut_gzip);
	test_digests();
	return tap_done();
}
