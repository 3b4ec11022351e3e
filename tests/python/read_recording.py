#!/usr/bin/env python3
"""Prints the same figures of a recording as polars, pyarrow, pandas and DuckDB read it.

usage: read_recording.py TRACE.parquet
"""

import collections
import sys

import duckdb
import pandas
import polars
import pyarrow.parquet

COLUMNS = ["at_ns", "event", "comm", "state", "next_comm", "target_cpu", "on_cpu", "lost"]


def main():
    path = sys.argv[1]
    readers = {
        "polars": lambda: polars.read_parquet(path).select(COLUMNS).to_dicts(),
        "pyarrow": lambda: pyarrow.parquet.read_table(path, columns=COLUMNS, page_checksum_verification=True).to_pylist(),
        "pandas": lambda: pandas.read_parquet(path, columns=COLUMNS).to_dict("records"),
        "duckdb": lambda: [
            dict(zip(COLUMNS, row)) for row in duckdb.sql(f"select {', '.join(COLUMNS)} from '{path}'").fetchall()
        ],
    }
    for reader, read in readers.items():
        print(f"{reader}: {figures(read())}")


def figures(rows):
    rows = [{name: None if pandas.isna(value) else value for name, value in row.items()} for row in rows]
    for row in rows:
        if not isinstance(row["event"], str):
            sys.exit(f"an event is no text: {row['event']!r}")
    switches = [row for row in rows if row["event"] == "switch"]
    counts = collections.Counter(str(row["comm"]) for row in switches)
    nexts = collections.Counter(str(row["next_comm"]) for row in switches)
    woken = [row for row in rows if row["event"] == "wakeup"]
    running = sum(row["state"] == "running" for row in switches)
    lost = sum(row["lost"] for row in rows if row["event"] == "loss")
    times = [row["at_ns"] for row in rows]
    return (
        f"rows {len(rows)}; switches {' '.join(f'{comm}:{counts[comm]}' for comm in sorted(counts))}; running {running}; "
        f"next seven:{nexts['seven']}; woken {' '.join(f'''{int(row['target_cpu'])}{' on cpu' if row['on_cpu'] else ''}''' for row in woken)}; "
        f"lost {int(lost)}; first {min(times)} last {max(times)}"
    )


main()
