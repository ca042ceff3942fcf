#include "cconsole.h"

static const unsigned char page[] = {
#embed "Page/console.html"
};

static const unsigned char style[] = {
#embed "Page/console.css"
};

static const unsigned char script[] = {
#embed "Page/console.js"
};

static const unsigned char icon[] = {
#embed "Page/icon.svg"
};

struct cc_file cc_page(void) { return (struct cc_file){page, sizeof page}; }
struct cc_file cc_style(void) { return (struct cc_file){style, sizeof style}; }
struct cc_file cc_script(void) { return (struct cc_file){script, sizeof script}; }
struct cc_file cc_icon(void) { return (struct cc_file){icon, sizeof icon}; }
