//! The one integration-test binary: every binary more would link polars once more.

#[cfg(feature = "live")]
mod bpf;
mod docs;
mod families;
mod frame;
mod hardening;
mod known;
mod lang;
mod live;
mod output;
mod pages;
mod plan;
mod plans;
mod python;
mod recording;
mod repl;
// A toolbox: not every tool is in use under every set of features.
#[allow(dead_code, unused_imports)]
mod support;
mod walls;
