// cli/outputs.h - the one rule for every file that a command writes. It is asked by cli_parse for the options that
// name outputs, before any work: an answer must not be lost to a misspelt name, nor an input to an answer.
#pragma once

#include "cli/session.h"

// A file that is read, or turned out to be. No output may be it, by whatever name, link or stream, said before or after.
// CLI_GO_ON or an exit status.
int cli_input(cli_session *s, const char *path);

// A file that is written, as `format` (SS_FORMAT_AUTO: as its ending says): it can be, it is no input and no other
// output. CLI_GO_ON or an exit status. "-" is standard output.
int cli_output(cli_session *s, const char *path, ss_format format);

// Of an option (by its name, for the message) that does not write to standard output: path may be NULL, not "-".
int cli_output_is_file(cli_session *s, const char *option, const char *path);

// The result of a long computation: what is there already is replaced only if asked to.
int cli_output_precious(cli_session *s, const char *path, bool overwrite);

void cli_files_release(cli_files *files);

// The format that an output file's ending asks for; SS_FORMAT_AUTO: none that we write.
ss_format cli_format_by_ending(const char *path);
bool cli_ends_with(const char *text, const char *ending);
bool cli_exists(const char *path);
bool cli_is_folder(const char *path);
bool cli_same_file(const char *a, const char *b);  // "-" is no file
