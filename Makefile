.PHONY: try test bench

# Build, and look at the machine for five seconds.
try:
	scripts/try

# Every test.
test:
	scripts/test

# What probes cost, against other tools; needs root.
bench:
	scripts/setup --bench --python
	cargo build --locked --release
	scripts/bench
	scripts/bench-recording
