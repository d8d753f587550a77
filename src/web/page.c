#include "web/page.h"

#include "web/html.h"

static void put(FILE *file, slice bytes)
{
	(void)fwrite(bytes.ptr, 1, bytes.len, file);
}

void web_page_begin(FILE *file, slice style, slice title, const char *lead)
{
	(void)fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		    "<title>",
		file);
	html_text(file, title);
	(void)fputs("</title>\n<style>", file);
	put(file, style);
	(void)fputs("</style>\n</head>\n<body>\n<header><h1>", file);
	html_text(file, title);
	(void)fputs("</h1>\n<p class=\"lead\">", file);
	html_text(file, slice_str(lead));
	(void)fputs("</p></header>\n<main>\n", file);
}

void web_page_section(FILE *file, const char *heading)
{
	(void)fputs("<h2>", file);
	html_text(file, slice_str(heading));
	(void)fputs("</h2>\n", file);
}

void web_page_end(FILE *file, slice script)
{
	(void)fputs("</main>\n<script>", file);
	put(file, script);
	(void)fputs("</script>\n</body>\n</html>\n", file);
}
