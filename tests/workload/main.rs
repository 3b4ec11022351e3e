//! Small programs whose scheduling is known: each says at its end what the kernel counted for each of its threads, so
//! that a test can hold a result of schedq against it.
//!
//! With `--wait` a test sees three moments: `ready` (all threads asleep; attach now), the line of JSON (all work done, all
//! threads asleep again or about to be; read `/proc/PID/task/*/status`, detach), and the end. The counters that the threads
//! report are those of the phase between; the same counters read from outside at `ready` and after the JSON also hold
//! what the handshake itself took, and are exact for a window that lies between those two moments.

mod crew;
mod crowd;
mod family;
mod gate;
mod options;
mod states;
mod steady;
mod sys;
mod truth;

use std::process::ExitCode;

use options::{Options, USAGE};

fn main() -> ExitCode {
    let result = Options::parse(std::env::args_os().skip(1)).and_then(|o| {
        // For a job that moves between CPUs the list says where to, not where to stay.
        if let Some(cpus) = o.cpus.as_ref().filter(|_| o.job != "migrate") {
            crew::pin(cpus).map_err(|e| format!("--cpu: {e}"))?;
        }
        run(&o)
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("workload: {message}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn run(o: &Options) -> Result<(), String> {
    match o.job.as_str() {
        "sleeper" => steady::sleeper(o),
        "spinner" => steady::spinner(o),
        "duty" => steady::duty(o),
        "yielder" => steady::yielder(o),
        "migrate" => steady::migrate(o),
        "rename" => steady::rename(o),
        "alarm" => steady::alarm(o),
        "pingpong" => crowd::pingpong(o),
        "churn" => crowd::churn(o),
        "burst" => crowd::burst(o),
        "pi" => crowd::pi(o),
        "exec-midway" => family::exec_midway(o),
        "forks" => family::forks(o),
        "fork-node" => family::fork_node(o),
        "reuse" => family::reuse(o),
        "hold" => family::hold(o),
        "traced" => states::traced(o),
        "vforks" => states::vforks(o),
        "kernel" => states::kernel(o),
        job => Err(format!("no job {job}")),
    }
}
