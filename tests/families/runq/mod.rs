//! Waits for a CPU: as long as the kernel says, begun by what began them.

mod causes;
mod columns;
mod throttle;
mod waits;
