#!/usr/bin/env python3
"""What the benchmarks share: the workload, files of the kernel, the machine."""

import os
import platform
import re
import subprocess
import sys


def enter_tracefs():
    """bpftrace needs tracefs; where it is not mounted, mount it for this process and its children only."""
    if os.path.exists("/sys/kernel/tracing/events"):
        return
    if "SCHEDQ_BENCH_MOUNTS" not in os.environ:
        os.environ["SCHEDQ_BENCH_MOUNTS"] = "own"
        os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv])
    for kind, where in [("debugfs", "/sys/kernel/debug"), ("tracefs", "/sys/kernel/debug/tracing"), ("tracefs", "/sys/kernel/tracing")]:
        subprocess.run(["mount", "-t", kind, kind, where], stderr=subprocess.DEVNULL)


def wait_quiet():
    load = os.getloadavg()[0]
    if load > 0.5:
        print(f"bench: something else is running here (load {load}): figures will be rough", file=sys.stderr)


def pipe(work_cpu, operations):
    """One run of the workload; an operation is two context switches."""
    command = ["taskset", "-c", str(work_cpu), "perf", "bench", "sched", "pipe", "-T", "-l", str(operations)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    text = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = status
    wall = re.search(r"([\d.]+) usecs/op", text)
    if status != 0 or not wall:
        sys.exit(f"bench: {' '.join(command)}: {text}")
    cpu = (usage.ru_utime + usage.ru_stime) * 1e9 / operations / 2
    return cpu, float(wall.group(1)) * 1000 / 2


def cpu_model():
    found = re.search(r"model name\s*: (.*)", read("/proc/cpuinfo"))
    return found.group(1) if found else platform.machine()


def read(path, default=None):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        if default is None:
            raise
        return default


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
