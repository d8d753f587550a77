/*
 * `stillpoint inspect WHAT …`: how we read what comes from outside, one JSON object for each line
 * of output. argv[0] is WHAT. All return the exit code: 0 when the input could be read.
 */
#ifndef CMD_INSPECT_H
#define CMD_INSPECT_H

int inspect_allocate(int argc, char **argv);
int inspect_change(int argc, char **argv);
int inspect_distance(int argc, char **argv);
int inspect_pagerank(int argc, char **argv);
int inspect_rate(int argc, char **argv);
int inspect_robots(int argc, char **argv);
int inspect_sitemap(int argc, char **argv);
int inspect_links(int argc, char **argv);
int inspect_text(int argc, char **argv);
int inspect_url(int argc, char **argv);
int inspect_warc(int argc, char **argv);

#endif
