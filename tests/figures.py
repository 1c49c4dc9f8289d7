"""scripts/figures counts what a person would: functions of a text with all that looks like one, and folders of src/."""
import importlib.machinery, importlib.util, pathlib, subprocess, sys

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "scripts" / "figures"
loader = importlib.machinery.SourceFileLoader("figures", str(SCRIPT))
figures = importlib.util.module_from_spec(importlib.util.spec_from_loader("figures", loader))
sys.dont_write_bytecode = True
loader.exec_module(figures)

TEXT = r'''
// int in_a_comment(void) { return 0; }
#define MACRO(x)   \\
  do {             \\
  } while (0)
typedef struct pair {
  int (*call)(int a, int b);
} pair;
static const char *const brace = "{ in a text (";
static const pair table[] = {{0}};
int declared(int a);
static inline int one_line(void) { return '{'; }

static int over_two_lines(const double *x, int (*each)(void *user, int k),
                          void *user) {  // three
  if (x) {
    each(user, 1);
  }
  return 0;
}
struct pair *gives_a_struct(int a) {
  return 0;
}
'''.replace("\\\\", "\\")

found = list(figures.functions(TEXT))
assert found == [(1, 0), (7, 3), (3, 1)], found
assert figures.spread([4, 1, 3, 2, 9, 5, 6, 7, 8, 10]) == "5 / 9 / 10", figures.spread(range(1, 11))
assert figures.comment_lines(TEXT) == 2, figures.comment_lines(TEXT)

table = figures.table(".")
folders = [row for name, row in table.items() if name != "src"]
assert len(folders) > 10 and table["src"][0] == sum(row[0] for row in folders), table
bad = subprocess.run([sys.executable, SCRIPT, "no-such-revision"], capture_output=True, text=True)
assert bad.returncode == 1 and "revisions or . for" in bad.stderr, bad
