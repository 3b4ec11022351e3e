//! Each family against what the kernel counted itself: a folder for every family, by its name.

mod runq;
mod switch;
