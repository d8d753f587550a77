/*
 * What it costs to normalise and compare a page, beside fetching it from loopback and compressing
 * it as the archive does (gzip, level 3, ISA-L) and as most tools do (zlib, level 6): processor
 * time of this process for each page, best of some rounds. The input is the files given as
 * arguments (packed with gzip or not), or pages made here.
 *
 *	view_bench [FILE…]
 */
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "archive/warc_compress.h"
#include "base/vec.h"
#include "bench.h"
#include "extract/page.h"
#include "net/address.h"
#include "net/net.h"
#include "quality/change.h"

enum { PAGE_MAX = 64 << 20, MADE_SIZE = 200 << 10, MADE_PAGES = 40, ROUNDS = 7, BLOCK = 64 << 10 };

VEC_DECLARE(page_vec, struct buf);

static void add_article(struct buf *in, unsigned n)
{
	(void)buf_printf(in,
		"\n<article class=\"teaser css-%x\" id=\"a%u\" data-track='{\"pos\":%u}'>\n"
		"  <a class=\"link\" href=\"/section/%u/story-%u.html?ref=home&amp;pos=%u\">\n"
		"    <img class=\"lazy\" src=\"/i/p.gif\" data-src=\"/img/%u-640.jpg?v=%u\"\n"
		"      srcset=\"/img/%u-320.jpg 320w, /img/%u-640.jpg 640w\" alt=\"A "
		"picture\"></a>\n"
		"  <h2>Something happened &mdash; again, says %u</h2>\n"
		"  <p>It was on a day like any other when the <em>thing</em> that nobody had\n"
		"  expected came about, and those who were there remember it well: &ldquo;We saw\n"
		"  it,&rdquo; they say, <b>and we would do it again</b> if anybody asked.</p>\n"
		"  <script>window.q=window.q||[];q.push({id:%u,a:1<2,t:1731801600123});</script>\n"
		"</article>",
		n * 2654435761U, n, n, n % 7, n, n, n, n, n, n, n, n);
}

static int make_page(struct page_vec *pages, unsigned seed)
{
	struct buf page;

	buf_init(&page, PAGE_MAX);
	(void)buf_add_str(&page, "<!DOCTYPE html><html><head><title>News</title></head><body>");
	for (unsigned n = seed * 1000; page.len < MADE_SIZE; n++)
		add_article(&page, n);
	return page_vec_push(pages, page);
}

static int read_page(struct page_vec *pages, const char *path)
{
	gzFile file = gzopen(path, "rb");
	struct buf page;
	int n;

	if (!file)
		return ERR_IO;
	buf_init(&page, PAGE_MAX);
	while (buf_reserve(&page, BLOCK) == 0 && (n = gzread(file, page.ptr + page.len, BLOCK)) > 0)
		buf_truncate(&page, page.len + (size_t)n);
	(void)gzclose_r(file);
	return page_vec_push(pages, page);
}

/* The page as items, and their digest: what a look costs. The memory is used again, as crawls do.
 */
static size_t run_digest(slice in, struct view *v)
{
	struct digest digest;

	view_reset(v, NOISE_DEFAULT);
	if (change_view(in, SLICE("text/html"), v) == 0 && view_digest(v, &digest) == 0)
		return v->items.len;
	return 0;
}

/* Reads the links, as every crawl does, and the view with them if it is wanted. */
static size_t read_links(slice in, struct view *v)
{
	static struct page page;
	struct links links;
	size_t count;

	links_init(&links);
	page_open(&page, &(struct page_params){
				 .content_type = SLICE("text/html"), .links = &links, .view = v});
	if (page_feed(&page, in) || page_finish(&page))
		(void)fputs("a page cannot be read\n", stderr);
	page_close(&page);
	count = links.list.len;
	links_release(&links);
	return count;
}

static size_t run_links(slice in, struct view *v)
{
	(void)v;
	return read_links(in, NULL);
}

static size_t run_both(slice in, struct view *v)
{
	struct digest digest;

	view_reset(v, NOISE_DEFAULT);
	return read_links(in, v) && view_digest(v, &digest) == 0 ? v->items.len : 0;
}

static int count_bytes(void *context, slice bytes, struct err *err)
{
	(void)err;
	*(size_t *)context += bytes.len;
	return 0;
}

static size_t run_archive_gzip(slice in, struct view *v)
{
	struct warc_compress *c = NULL;
	struct err err = {0};
	size_t bytes = 0;

	(void)v;
	if (warc_compress_open(WARC_CODING_GZIP, 0, &c, &err) ||
		warc_compress_begin(c, in.len, count_bytes, &bytes, &err) ||
		warc_compress_feed(c, in, &err) || warc_compress_end(c, &err))
		(void)fprintf(stderr, "%s\n", err.text);
	warc_compress_close(c);
	return bytes;
}

static size_t run_zlib(slice in, struct view *v)
{
	uLongf len = compressBound(in.len);
	Bytef *out = malloc(len);

	(void)v;
	if (!out || compress2(out, &len, (const Bytef *)in.ptr, in.len, 6) != Z_OK)
		len = 0;
	free(out);
	return len;
}

/* ---- fetching ---- */

static void require(bool ok)
{
	if (!ok) {
		(void)fputs("bench_view: failed\n", stderr);
		exit(1);
	}
}

static bool send_all(int fd, slice bytes)
{
	while (bytes.len) {
		ssize_t n = send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);

		if (n <= 0)
			return false;
		bytes = slice_sub(bytes, (size_t)n, bytes.len);
	}
	return true;
}

/* Answers each request of a connection with the next page; requests come in one piece each. */
static void serve(int listener, const struct page_vec *pages)
{
	for (;;) {
		int fd = accept(listener, NULL, NULL);
		char request[4096], head[128];
		size_t next = 0;

		while (recv(fd, request, sizeof request, 0) > 0) {
			slice page = buf_slice(&pages->ptr[next++ % pages->len]);
			int n = snprintf(head, sizeof head,
				"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
				"Content-Length: %zu\r\n\r\n",
				page.len);

			if (!send_all(fd, (slice){head, (size_t)n}) || !send_all(fd, page))
				break;
		}
		(void)close(fd);
	}
}

/* In a process of its own, which ends with this one. Returns its port. */
static unsigned start_server(const struct page_vec *pages, pid_t *ret_pid)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	require(bind(listener, (struct sockaddr *)&address, len) == 0 && listen(listener, 4) == 0);
	require(getsockname(listener, (struct sockaddr *)&address, &len) == 0);
	*ret_pid = fork();
	require(*ret_pid >= 0);
	if (*ret_pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(listener, pages);
	}
	(void)close(listener);
	return ntohs(address.sin_port);
}

/* Seconds for all pages, one after the other: the best of some rounds. */
static double measure_fetch(const struct page_vec *pages)
{
	struct net_params params = {.user_agent = "bench", .allowed = ADDRESS_ALL};
	struct net_request request = {0};
	double best = 0;
	struct net *net;
	char url[64];
	pid_t server;

	(void)snprintf(url, sizeof url, "http://127.0.0.1:%u/", start_server(pages, &server));
	request.url = slice_str(url);
	require(net_new(&params, &net, NULL) == 0);
	for (int i = 0; i < ROUNDS; i++) {
		double start = processor_time(), spent;

		for (size_t k = 0; k < pages->len; k++) {
			struct net_fetch *f;

			require(net_start(net, &request, NULL) == 0);
			while (!(f = net_next(net)))
				require(net_wait(net, 1, NULL) == 0);
			require(f->status == 200);
			net_fetch_free(f);
		}
		spent = processor_time() - start;
		best = best > 0 && best < spent ? best : spent;
	}
	net_free(net);
	(void)kill(server, SIGKILL);
	(void)waitpid(server, NULL, 0);
	printf("%-24s %8.1f us a page\n", "fetching", best * 1e6 / (double)pages->len);
	return best;
}

/* The best of some rounds, in microseconds for each page. */
static double measure(const char *name, const char *what, size_t (*run)(slice, struct view *),
	const struct page_vec *pages)
{
	double best = 0, bytes = 0;
	size_t count = 0;
	struct view v;

	view_init(&v, NOISE_DEFAULT);
	for (int i = 0; i < ROUNDS; i++) {
		double start = processor_time(), spent;

		count = 0;
		bytes = 0;
		for (size_t k = 0; k < pages->len; k++) {
			count += run(buf_slice(&pages->ptr[k]), &v);
			bytes += (double)pages->ptr[k].len;
		}
		spent = processor_time() - start;
		best = best > 0 && best < spent ? best : spent;
	}
	view_release(&v);
	printf("%-24s %8.1f us a page  %7.1f MB/s  %zu %s\n", name, best * 1e6 / (double)pages->len,
		bytes / 1e6 / best, count, what);
	return best;
}

int main(int argc, char **argv)
{
	struct page_vec pages = {0};
	double view, links, both, fetch, gzip, zlib;
	int rc = 0;

	for (int i = 1; i < argc && rc == 0; i++)
		rc = read_page(&pages, argv[i]);
	for (unsigned i = 0; argc < 2 && i < MADE_PAGES && rc == 0; i++)
		rc = make_page(&pages, i);
	if (rc) {
		(void)fputs("cannot read the input\n", stderr);
		return 1;
	}
	printf("%zu pages\n", pages.len);
	view = measure("view and digest", "items", run_digest, &pages);
	links = measure("links", "links", run_links, &pages);
	both = measure("links, view and digest", "items", run_both, &pages);
	fetch = measure_fetch(&pages);
	gzip = measure("gzip as archived", "bytes", run_archive_gzip, &pages);
	zlib = measure("zlib, level 6", "bytes", run_zlib, &pages);
	printf("normalising takes %.2f of the time of fetching and gzip as archived\n",
		view / (fetch + gzip));
	printf("that is %.2f of gzip as archived alone, %.2f of zlib\n", view / gzip, view / zlib);
	printf("where the links are read anyway, it adds %.2f of fetching and gzip as archived\n",
		(both - links) / (fetch + gzip));
	for (size_t i = 0; i < pages.len; i++)
		buf_release(&pages.ptr[i]);
	page_vec_release(&pages);
	return 0;
}
