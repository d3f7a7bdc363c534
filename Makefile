# burnturn: `make run` starts the table on simulated hardware, `make test` runs every test.
PYTHON ?= python3
JOBS ?= 2
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: setup run test test-kernel test-arm64 lint format bench coverage pictures wheel clean \
	avr-tools flash test-firmware fuzz-firmware figures-firmware model bench-vision

setup: $(STAMP)

$(STAMP): pyproject.toml
	@command -v $(PYTHON) >/dev/null || \
	  { echo "burnturn needs Python 3.11 or newer, and there is no $(PYTHON). Try: sudo apt-get install python3 python3-venv"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "burnturn needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version). Try: make PYTHON=python3.11 setup"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { \
	  package=$$($(PYTHON) -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'); \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "installing $$package"; apt-get update -q && apt-get install -y -q $$package; \
	  else echo "Python's venv module is missing. Install it with: sudo apt-get install $$package"; exit 1; fi; }
	@echo "setting up $(VENV); this takes a minute or two and needs the network"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,camera-headless,calibration]'
	@touch $@

run: setup
	$(BIN)/burnturn run

# Tests of GPIO and SPI run on device files that umockdev emulates, under Debian's own Python.
UMOCKDEV := umockdev gir1.2-umockdev-1.0 python3-gi

.PHONY: emulation
emulation:
	@umockdev-wrapper true 2>/dev/null && \
	  /usr/bin/python3 -c "import gi; gi.require_version('UMockdev', '1.0')" 2>/dev/null || \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "installing $(UMOCKDEV)"; \
	    apt-get update -q && apt-get install -y -q --no-install-recommends $(UMOCKDEV) || \
	    echo "that failed: GPIO and SPI are not tested"; \
	  else \
	    echo "no tests of GPIO and SPI; for them: sudo apt-get install $(UMOCKDEV)"; fi

test: setup emulation desk
	$(BIN)/python -m pytest -n $(JOBS)

# Tests of desktop NFC readers run on the real PC/SC service with a virtual reader.
PCSC := pcscd vsmartcard-vpcd swig libpcsclite-dev gcc

.PHONY: desk
desk: setup
	@command -v pcscd >/dev/null && test -e /etc/reader.conf.d/vpcd && $(BIN)/python -c "import smartcard" 2>/dev/null || \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "installing $(PCSC) and pyscard"; \
	    apt-get update -q && apt-get install -y -q --no-install-recommends $(PCSC) && \
	    $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[pcsc]' || \
	    echo "that failed: desktop NFC readers are not tested"; \
	  else \
	    echo "no tests of desktop NFC readers; for them: sudo apt-get install $(PCSC); $(BIN)/pip install -e '.[pcsc]'"; fi

# On a Debian kernel with GPIO, SPI, I2C and USB devices, in an emulator. TESTS="tests/drivers -k usb" for some of them.
test-kernel: setup
	$(BIN)/python -m tests.machines.kernel $(TESTS)

# On an arm64 Debian tree, as on a Raspberry Pi, in an emulator. TESTS as above.
test-arm64: setup
	$(BIN)/python -m tests.machines.arm64 $(TESTS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup
	$(BIN)/python -m tests.bench

# How well cards are read: own renders, and photographs with a labels.csv if you have some.
bench-vision: setup
	PHOTOS="$(PHOTOS)" LABELS="$(LABELS)" MISSES=1 $(BIN)/python -m tests.bench vision

# Trains the network that reads cards, anew: fonts and one CC0 deck by npm, everything else is drawn.
model: setup
	@command -v npm >/dev/null || \
	  { echo "there is no npm, by which fonts and card art come. Try: sudo apt-get install npm"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[model]'
	$(BIN)/python -m controller.vision.training

FIRMWARE := firmware-interface/firmware
AVR_PACKAGES := gcc gcc-avr avr-libc binutils-avr libsimavr-dev libelf-dev cppcheck clang libclang-rt-14-dev
SECONDS ?= 60
PORT ?= /dev/ttyACM0

# What the firmware's tests need beyond a C compiler; installed where that is possible, else named.
avr-tools:
	@missing=; for tool in cc avr-gcc cppcheck clang; do command -v $$tool >/dev/null || missing="$$missing $$tool"; done; \
	[ -f /usr/include/simavr/sim_avr.h ] || missing="$$missing libsimavr"; \
	[ -z "$$missing" ] && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing the firmware's tools, for there is no$$missing"; \
	  apt-get update -q && apt-get install -y -q --no-install-recommends $(AVR_PACKAGES) || \
	    apt-get install -y -q --no-install-recommends $(filter-out libclang-rt-%,$(AVR_PACKAGES)); \
	else echo "there is no$$missing. Install them with: sudo apt-get install $(AVR_PACKAGES)"; exit 1; fi

# Both builds, every test of them, cppcheck, a short fuzz.
test-firmware: setup avr-tools
	$(MAKE) -C $(FIRMWARE) linux avr simavr check test
	$(BIN)/python -m pytest -n $(JOBS) tests/firmware
	$(MAKE) -s -C $(FIRMWARE) fuzz SECONDS=10

fuzz-firmware: avr-tools
	$(MAKE) -s -C $(FIRMWARE) fuzz SECONDS=$(SECONDS)

# The firmware onto a real Arduino Mega: make flash PORT=/dev/ttyACM0
flash:
	@test -n "$(PORT)" || { echo "say where the board is: make flash PORT=/dev/ttyACM0 (burnturn devices lists ports)"; exit 1; }
	@for tool in avr-gcc avrdude; do command -v $$tool >/dev/null || \
	  { echo "there is no $$tool. Install it with: sudo apt-get install gcc-avr avr-libc binutils-avr avrdude"; exit 1; }; done
	$(MAKE) -C $(FIRMWARE) flash PORT=$(PORT)

figures-firmware: setup avr-tools
	$(BIN)/python -m tests.bench firmware

# Which scenarios and tests show which clause; shipped with the package.
coverage: setup
	$(BIN)/python -m controller.rules.sheet --write-coverage

pictures: setup
	$(BIN)/python docs/draw.py

# Builds the package, installs it where nothing else is, and tries it there.
wheel: setup
	@set -e; rm -f dist/burnturn-*.whl; there=$$(mktemp -d); trap 'rm -rf "$$there"' EXIT; \
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .; \
	$(PYTHON) -m venv "$$there/venv"; \
	"$$there/venv/bin/python" -m pip install --quiet --disable-pip-version-check dist/burnturn-*.whl; \
	here=$$PWD; cd "$$there"; PATH="$$there/venv/bin:$$PATH"; \
	burnturn --version; tablelink --help >/dev/null; \
	burnturn profile list >/dev/null; \
	burnturn profile sheet nj-tournament --json >/dev/null; \
	burnturn config sample > table.toml; burnturn config check table.toml; \
	burnturn scenario run "$$here/tests/scenarios/burn/tda-missing-flop.deal"

clean:
	rm -rf $(VENV) dist firmware-interface/firmware/build
