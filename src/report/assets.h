/*
 * Scripts and style sheets of pages, built from web/ and linked into the program: a page needs
 * nothing from anywhere. tools/build-web makes the implementation; none of them can end the
 * <script> or <style> that it is put into.
 */
#ifndef REPORT_ASSETS_H
#define REPORT_ASSETS_H

#include "base/slice.h"

slice web_capture_js(void); /* of the report of a capture */
slice web_capture_css(void);
slice web_replay_js(void); /* the first script of replayed pages */
slice web_viewer_js(void); /* the page around them */
slice web_viewer_css(void);

#endif
