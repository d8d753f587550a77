/* Scalars as YAML that yaml_parse reads as the same text; of what is no UTF-8 as U+FFFD. */
#ifndef CONFIG_YAML_WRITE_H
#define CONFIG_YAML_WRITE_H

#include <stdio.h>

#include "base/slice.h"

/* Writes the text, in quotes unless it is a plain word or number. Errors stay in the FILE. */
void yaml_write_text(FILE *file, slice text);

#endif
