//! The few system calls that a workload needs and that have no safe wrapper. All `unsafe` of the workload is here.
#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::io;
use std::mem;
use std::ptr;
use std::sync::atomic::AtomicU32;

use nix::libc;
use nix::unistd::Pid;

fn check(result: libc::c_long) -> io::Result<libc::c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Sleeps while `word` holds `expected`. Returns early on a signal or when the word differs: callers loop.
pub fn futex_wait(word: &AtomicU32, expected: u32) {
    // SAFETY: the address is that of a live atomic, and no timeout is given.
    unsafe {
        libc::syscall(
            libc::SYS_futex,
            word.as_ptr(),
            libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
            expected,
            ptr::null::<libc::timespec>(),
        );
    }
}

/// Wakes every thread that sleeps on `word`.
pub fn futex_wake_all(word: &AtomicU32) {
    // SAFETY: the address is that of a live atomic.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, i32::MAX);
    }
}

/// Puts the calling thread into SCHED_FIFO.
pub fn set_fifo(priority: i32) -> io::Result<()> {
    // SAFETY: an all-zero sched_param is valid.
    let mut param: libc::sched_param = unsafe { mem::zeroed() };
    param.sched_priority = priority;
    // SAFETY: `param` outlives the call; 0 is the calling thread.
    check(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &param) }.into()).map(drop)
}

/// Sets the nice value of the calling thread (on Linux PRIO_PROCESS with 0 is the thread).
pub fn set_nice(nice: i32) -> io::Result<()> {
    // SAFETY: no pointers are passed.
    check(unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, nice) }.into()).map(drop)
}

extern "C" fn ignore(_signal: libc::c_int) {}

/// Sends this process a SIGALRM every `micros`, to a handler that does nothing and does not restart calls; 0 ends it.
pub fn alarm_every(micros: i64) -> io::Result<()> {
    let time = libc::timeval { tv_sec: micros / 1_000_000, tv_usec: micros % 1_000_000 };
    let timer = libc::itimerval { it_interval: time, it_value: time };
    // SAFETY: the handler touches nothing, and all structures outlive the calls.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = ignore as *const () as usize;
        check(libc::sigaction(libc::SIGALRM, &action, ptr::null_mut()).into())?;
        check(libc::setitimer(libc::ITIMER_REAL, &timer, ptr::null_mut()).into())?;
    }
    Ok(())
}

/// Forks a child that gets the process number `tid`, or any when that is `None`; the child sees `None`.
/// Only for a process with a single thread.
pub fn fork_as(tid: Option<Pid>) -> io::Result<Option<Pid>> {
    clone3(tid, 0)
}

/// Forks a child and waits uninterruptibly until it ends, as vfork does, but with a memory of its own for the child.
/// Only for a process with a single thread.
pub fn fork_and_wait_for_it() -> io::Result<Option<Pid>> {
    clone3(None, libc::CLONE_VFORK as u64)
}

fn clone3(tid: Option<Pid>, flags: u64) -> io::Result<Option<Pid>> {
    let wanted = tid.map_or(0, Pid::as_raw);
    // SAFETY: an all-zero clone_args is valid; without CLONE_VM the child gets a copy of the address space, as by fork.
    let result = unsafe {
        let mut args: libc::clone_args = mem::zeroed();
        args.flags = flags;
        args.exit_signal = libc::SIGCHLD as u64;
        if tid.is_some() {
            args.set_tid = &raw const wanted as u64;
            args.set_tid_size = 1;
        }
        check(libc::syscall(libc::SYS_clone3, &raw const args, mem::size_of::<libc::clone_args>()))?
    };
    Ok((result != 0).then(|| Pid::from_raw(result as i32)))
}

/// The parent will be told of this process' signals, and stop it at each.
pub fn trace_me() -> io::Result<()> {
    // SAFETY: no pointers are read for this request.
    check(unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, ptr::null_mut::<u8>(), ptr::null_mut::<u8>()) }).map(drop)
}

/// Lets a traced child go on without its signal.
pub fn trace_go_on(child: Pid) -> io::Result<()> {
    // SAFETY: the address is not used and the data is no signal.
    let done = unsafe { libc::ptrace(libc::PTRACE_CONT, child.as_raw(), ptr::null_mut::<u8>(), ptr::null_mut::<u8>()) };
    check(done).map(drop)
}

/// Ends a forked child without running what its parent registered for its own exit.
pub fn exit_now() -> ! {
    // SAFETY: always sound.
    unsafe { libc::_exit(0) }
}

/// A mutex with priority inheritance.
pub struct PiMutex(Box<UnsafeCell<libc::pthread_mutex_t>>);

// SAFETY: a pthread mutex is made to be shared between threads, and the box keeps it at one address.
unsafe impl Sync for PiMutex {}
// SAFETY: as above.
unsafe impl Send for PiMutex {}

impl PiMutex {
    pub fn new() -> io::Result<PiMutex> {
        // SAFETY: an all-zero mutex and attribute are valid storage for the init functions.
        unsafe {
            let mutex = Box::new(UnsafeCell::new(mem::zeroed()));
            let mut attr: libc::pthread_mutexattr_t = mem::zeroed();
            let results = [
                libc::pthread_mutexattr_init(&mut attr),
                libc::pthread_mutexattr_setprotocol(&mut attr, libc::PTHREAD_PRIO_INHERIT),
                libc::pthread_mutex_init(mutex.get(), &attr),
                libc::pthread_mutexattr_destroy(&mut attr),
            ];
            match results.into_iter().find(|&r| r != 0) {
                Some(error) => Err(io::Error::from_raw_os_error(error)),
                None => Ok(PiMutex(mutex)),
            }
        }
    }

    /// Runs `inside` while holding the mutex.
    pub fn hold(&self, inside: impl FnOnce()) {
        // SAFETY: the mutex is initialised, and unlocked by the thread that locked it.
        unsafe {
            assert_eq!(libc::pthread_mutex_lock(self.0.get()), 0);
            inside();
            assert_eq!(libc::pthread_mutex_unlock(self.0.get()), 0);
        }
    }
}
