//! /proc and /sys as data. Nothing here decides or prints.

pub mod capability;
pub mod cgroup;
pub mod clock;
pub mod counters;
pub mod environment;
pub mod interrupts;
pub mod limits;
pub mod lists;
pub mod load;
pub mod namespace;
pub mod quota;
pub mod settings;
pub mod signals;
pub mod tasks;
pub mod topology;
