# What people type; CMake does the work. `make help` lists the targets.
#
# Everything works on a fresh Debian with git and make: scripts/setup installs what is missing
# (SETUP=no: never).

BUILD   ?= build
PREFIX  ?= /usr/local
JOBS    ?= 2
SECONDS ?= 60
READERS ?=
PEERS   ?=
CMAKE_ARGS ?=
PYTHON  ?= $(firstword $(wildcard /usr/bin/python3) python3)

space = $(subst ,, )
configure = cmake -S . -G Ninja $(CMAKE_ARGS)
# the tests built in $(1), with options $(2), and at the end how many were skipped
ctest     = ctest --output-on-failure -j$(JOBS) --output-junit results.xml --test-dir $(1) $(2); \
            status=$$?; awk -f tests/skipped.awk $(1)/results.xml; exit $$status
export SETUP

.PHONY: all setup demo python test test-long mpi mpi-test asan tsan bench bench-large bench-peers measure papers pictures
.PHONY: coverage valgrind reproducible fuzz format site install deb deb-test container-test clean help
.DEFAULT_GOAL := all

all: $(BUILD)/build.ninja  ## build the library, the command, tests and examples into build/
	@cmake --build $(BUILD)

setup:
	@scripts/setup build
	@scripts/setup pages || echo "without Node.js, npm and libmicrohttpd the build goes on; report and serve say what is missing"

# CMake runs itself again when its own files change; this is only for the first time.
$(BUILD)/build.ninja: | setup
	@$(configure) -B $(BUILD)

demo: all  ## solve problems of several kinds, simulate a house of cards, a jack plane and a thrown ball, print what came out, make a page of it
	@$(BUILD)/stickslip-demo
	@echo
	@echo "$$ $(BUILD)/stickslip simulate house-of-cards -o $(BUILD)/demo/cards.h5"
	@mkdir -p $(BUILD)/demo
	@$(BUILD)/stickslip simulate house-of-cards --quiet --overwrite -o $(BUILD)/demo/cards.h5
	@echo
	@echo "$$ $(BUILD)/stickslip simulate jack-plane"
	@$(BUILD)/stickslip simulate jack-plane --quiet
	@echo
	@echo "$$ $(BUILD)/stickslip simulate thrown-ball --scheme events"
	@$(BUILD)/stickslip simulate thrown-ball --scheme events --quiet
	@echo
	@echo "$$ $(BUILD)/stickslip report $(BUILD)/demo/cards.h5 -o $(BUILD)/demo/cards.html"
	@$(BUILD)/stickslip report $(BUILD)/demo/cards.h5 -o $(BUILD)/demo/cards.html || true

python: setup  ## the Python package: build/python to try (PYTHONPATH=build/python), a wheel in build/wheel to install
	@scripts/setup python
	@$(configure) -B $(BUILD)
	@cmake --build $(BUILD) --target stickslip_python
	@STICKSLIP_BUILD=$(BUILD) $(PYTHON) -m pip -q wheel --no-build-isolation --no-deps -w $(BUILD)/wheel .
	@ls $(BUILD)/wheel/*.whl

test: setup  ## build with warnings as errors and run the tests
	@scripts/setup python || echo "without Python's packages the tests of the Python package are skipped"
	@scripts/setup browser || echo "without Chromium the tests of pages are skipped"
	@scripts/setup manual || echo "without man, zsh and fish some tests of manual pages and completions are skipped"
	@scripts/setup emulator || echo "without qemu-user no processor without AVX2 is tried"
	@scripts/setup mpi || echo "without PETSc and Open MPI the tests of several processes are skipped"
	@$(configure) -B $(BUILD) -DSTICKSLIP_WERROR=ON
	@cmake --build $(BUILD)
	@$(call ctest,$(BUILD),-LE long)

test-long: setup  ## the tests, and those that take minutes
	@$(configure) -B $(BUILD) -DSTICKSLIP_WERROR=ON
	@cmake --build $(BUILD)
	@$(call ctest,$(BUILD))

mpi: setup  ## stickslip-mpi, one problem on several processes, into build-mpi/ (installs PETSc and Open MPI, 240 MB)
	@scripts/setup mpi
	@$(configure) -B $(BUILD)-mpi -DSTICKSLIP_MPI=ON
	@cmake --build $(BUILD)-mpi --target stickslip_mpi stickslip_cli

mpi-test: mpi  ## its tests on 1, 2 and 4 ranks, which `make test` runs too
	@$(PYTHON) -B tests/mpi.py $(BUILD)-mpi/stickslip-mpi $(BUILD)-mpi/stickslip
	@$(PYTHON) -B tests/mpi_simulate.py $(BUILD)-mpi/stickslip-mpi $(BUILD)-mpi/stickslip

asan: setup  ## the tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(configure) -B $(BUILD)-asan -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-g -O1" \
	  -DSTICKSLIP_SANITIZE=ON -DSTICKSLIP_WERROR=ON
	@cmake --build $(BUILD)-asan
	@$(call ctest,$(BUILD)-asan,-LE long)

# What works with threads. clang, since gcc's OpenMP hides its synchronisation from the sanitizer; Archer tells it of that.
THREADED = threads atlas atlas_blocks gmp_memory cli_solve_threads cli_simulate_threads cli_atlas
tsan: setup  ## what works with threads, under ThreadSanitizer
	@scripts/setup tsan
	@$(configure) -B $(BUILD)-tsan -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug \
	  "-DCMAKE_C_FLAGS_DEBUG=-g -O1" -DSTICKSLIP_SANITIZE_THREADS=ON
	@cmake --build $(BUILD)-tsan --target $(patsubst %,test_%,$(filter-out cli_%,$(THREADED))) stickslip_cli
	@export TSAN_OPTIONS="ignore_noninstrumented_modules=1 exitcode=66" \
	  OMP_TOOL_LIBRARIES=$$(realpath $$(clang -print-resource-dir)/../../libarcher.so); \
	  [ -e "$$OMP_TOOL_LIBRARIES" ] || { echo "make tsan: found no libarcher.so beside clang's libraries" >&2; exit 1; }; \
	  $(call ctest,$(BUILD)-tsan,-R '^($(subst $(space),|,$(THREADED)))$$')

# Tests that let writes or memory fail would hit the counters too. One ends the process from a signal's handler, where
# writing the counts takes memory and waits for the malloc that was interrupted; one needs the benchmarks.
coverage: setup  ## lines of src/ that the tests run, by folder; into build-coverage/ (twice the time of make test)
	@$(configure) -B $(BUILD)-coverage -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1 -DSTICKSLIP_COVERAGE=ON \
	  -DSTICKSLIP_BENCH=OFF
	@cmake --build $(BUILD)-coverage
	@find $(BUILD)-coverage -name '*.gcda' -delete
	@status=0; ( $(call ctest,$(BUILD)-coverage,-LE "long|browser" -E "full_disk|output_lost|failing_memory|cli_convert_interrupt|papers_book") ) || status=$$?; \
	  scripts/coverage $(BUILD)-coverage && exit $$status

valgrind: all  ## every command under valgrind's memcheck (PART=WORD: only those with that word)
	@scripts/setup valgrind
	@$(PYTHON) -EsB tests/memory/valgrind.py $(BUILD)/stickslip $(BUILD)/valgrind $(PART)

reproducible: setup  ## the Debian packages built twice, in different folders: the same bytes?
	@scripts/setup deb
	@BUILD=$(BUILD) JOBS=$(JOBS) scripts/reproducible

bench: all  ## measure: sweep bandwidth, scaling, times
	@for bench in $(BUILD)/bench/bench_*; do [ ! -x $$bench ] || $$bench || exit 1; done

measure: all  ## run the benchmarks (MEASURE="NAME...", or all) and write their tables into docs/
	@bench/measure.py --build $(BUILD) $(MEASURE)

bench-large: all  ## hopper with 10,000 beads, drum and vibrating plane with 5,000, to TOL (1e-3): 10 min; fails on a bad step
	@$(BUILD)/bench/bench_simulate --large --tol $(or $(TOL),1e-3)

bench-peers: setup  ## other rigid body engines (ODE, MuJoCo, Bullet) beside ours, on the same scenes
	@scripts/setup peers
	@$(configure) -B $(BUILD)-peers -DSTICKSLIP_PEERS=ON -DSTICKSLIP_TESTS=OFF -DSTICKSLIP_EXAMPLES=OFF
	@cmake --build $(BUILD)-peers
	@$(BUILD)-peers/bench/peers/bench_peers $(PEERS)

papers: all  ## every table and figure of the five papers beside ours, as one page: build/papers/index.html (six minutes of processor time; a second time only what changed)
	@python3 -EsB scripts/papers --build $(BUILD) --jobs $(JOBS)

pictures: all  ## the pictures of the README, docs/pictures/
	@BUILD=$(BUILD) scripts/pictures

fuzz: setup  ## fuzz each reader for SECONDS (60), or only READERS
	@scripts/setup fuzz
	@BUILD=$(BUILD) JOBS=$(JOBS) scripts/fuzz $(SECONDS) $(READERS)

site:  ## the documentation as a site: build/site/html/index.html
	@scripts/setup site
	@python3 -EsB scripts/site --out $(BUILD)/site

format:  ## clang-format every C file
	@scripts/setup format
	@git ls-files '*.c' '*.h' | xargs clang-format -i

install: all  ## install into PREFIX (/usr/local): command, library, headers, manual, documents; DESTDIR is respected
	@cmake --install $(BUILD) --prefix $(PREFIX)

deb: setup  ## Debian packages: stickslip and libstickslip-dev, in build-deb/; stickslip-mpi where PETSc and Open MPI are installed
	@scripts/setup deb
	@$(configure) -B $(BUILD)-deb -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_SKIP_INSTALL_RPATH=ON \
	  -DSTICKSLIP_TESTS=OFF -DSTICKSLIP_BENCH=OFF -DSTICKSLIP_EXAMPLES=OFF -DSTICKSLIP_PYTHON_PACKAGE=OFF
	@cmake --build $(BUILD)-deb
	@rm -f $(BUILD)-deb/*.deb
	@cd $(BUILD)-deb && cpack -G DEB >cpack.log || { cat cpack.log; exit 1; }
	@ls $(BUILD)-deb/*.deb

deb-test: deb  ## install, use and remove the packages in a clean Debian (debootstrap; needs root, minutes and network)
	@scripts/setup clean-root
	@tests/install/clean_root $(BUILD)-deb/*.deb

container-test:  ## what the Containerfile says, in bare Debian folders (debootstrap; needs root, network and ten minutes)
	@scripts/setup clean-root
	@tests/install/containerfile

clean:  ## remove what the other targets built
	@rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-fuzz $(BUILD)-peers $(BUILD)-deb $(BUILD)-mpi $(BUILD)-coverage $(BUILD)-reproducible

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*##  *\(.*\)/  make \1\t\2/p' Makefile | expand -t 20
