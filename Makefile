# `make check` must pass before a change is merged.

.PHONY: check format lint test docs licences samples bench

check: format lint test docs licences

format:
	cargo fmt --all --check
	for tool in train/english train/romanised train/rules; do cargo fmt --check --manifest-path $$tool/Cargo.toml || exit 1; done

lint:
	cargo clippy --workspace --all-targets --locked -- -D warnings
	for tool in train/english train/romanised train/rules; do cargo clippy --locked --all-targets --target-dir target/train \
	  --manifest-path $$tool/Cargo.toml -- -D warnings || exit 1; done
	cargo metadata --locked --format-version 1 --manifest-path fuzz/Cargo.toml >/dev/null # checks that its lock file is current
	python3 checks/english/check.py

test:
	cargo test --workspace --locked

# includes private items, because these pages are for developers of this code
docs:
	RUSTDOCFLAGS="-D warnings -A rustdoc::private-intra-doc-links" cargo doc --workspace --no-deps --locked --document-private-items

# needs cargo-deny (`cargo install --locked cargo-deny`); prints a message and continues without it
licences:
	@if command -v cargo-deny >/dev/null; then cargo deny --locked check licenses bans sources; \
	else echo "cargo-deny is not installed: licences were not checked"; fi

bench:
	cargo bench --workspace

# writes a WAV file for every voice in every language
SAMPLES ?= target/samples
samples:
	cargo build --release --locked -p shruti
	measure/voice/samples.sh "$${CARGO_TARGET_DIR:-target}/release/shruti" $(SAMPLES)
