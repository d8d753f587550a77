/* Script and style sheet of the laboratory's pages, as those of report/assets.h. */
#ifndef PAGES_ASSETS_H
#define PAGES_ASSETS_H

#include "base/slice.h"

slice web_report_js(void);
slice web_report_css(void);

#endif
