//! Against the running kernel, what holds for every family: whose rows, how they are counted, what is lost, who may look.

mod cgroups;
mod child;
mod identity;
