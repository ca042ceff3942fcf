// The page for operators, as its files in `Page` were when the program was built. The Swift compiler takes seconds for an array of
// as many bytes.
#pragma once
#include <stddef.h>

/// Bytes that stay where they are for as long as the program runs.
struct cc_file {
  const unsigned char *bytes;
  size_t count;
};

struct cc_file cc_page(void);
struct cc_file cc_style(void);
struct cc_file cc_script(void);
struct cc_file cc_icon(void);
