#!/usr/bin/env python3
"""Checks that polars, pyarrow, pandas and DuckDB read the same values from schedq's parquet as schedq's JSON states.

usage: read_parquet.py RESULT.parquet RESULT.json
"""

import json
import math
import sys

import duckdb
import pandas
import polars
import pyarrow.parquet


def main():
    parquet, document = sys.argv[1:]
    with open(document, encoding="utf-8") as file:
        result = json.load(file)
    rows = result["rows"]
    names = [column["name"] for column in result["meta"]["columns"]]
    if not rows or not names:
        sys.exit("nothing to compare: the JSON has no rows or no columns")
    readers = {
        "polars": lambda: polars.read_parquet(parquet).to_dicts(),
        "pyarrow": lambda: pyarrow.parquet.read_table(parquet).to_pylist(),
        "pandas": lambda: pandas.read_parquet(parquet, dtype_backend="pyarrow").to_dict("records"),
        "duckdb": lambda: duckdb.sql(f"from read_parquet('{parquet}')").fetchall(),
    }
    for reader, read in readers.items():
        found = read()
        if reader == "duckdb":
            found = [dict(zip(duckdb.sql(f"from read_parquet('{parquet}')").columns, row)) for row in found]
        compare(reader, names, rows, found)
        print(f"{reader}: {len(rows)} rows of {len(names)} columns are equal ({', '.join(names)})")


def compare(reader, names, rows, found):
    if len(found) != len(rows):
        sys.exit(f"{reader}: {len(found)} rows, but the JSON has {len(rows)}")
    for number, (expected, row) in enumerate(zip(rows, found)):
        if list(row) != names:
            sys.exit(f"{reader}: columns {list(row)}, but the JSON has {names}")
        for name in names:
            # A key that the JSON leaves out is a missing value.
            want, have = expected.get(name), plain(row[name])
            if not equal(want, have):
                sys.exit(f"{reader}: row {number}, column {name}: {have!r}, but the JSON has {want!r}")


def plain(value):
    """A reader's value as JSON would hold it."""
    if value is None or value is pandas.NA:
        return None
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple, polars.Series)):
        return [plain(inner) for inner in value]
    if isinstance(value, (bool, int, float, str)):
        return value
    sys.exit(f"a value of a type that JSON does not hold: {value!r} ({type(value).__name__})")


def equal(want, have):
    if isinstance(want, float) or isinstance(have, float):
        numbers = all(isinstance(v, (int, float)) for v in (want, have))
        return numbers and math.isclose(want, have, rel_tol=1e-12)
    if isinstance(want, list) and isinstance(have, list):
        return len(want) == len(have) and all(map(equal, want, have))
    if isinstance(want, dict) and isinstance(have, dict):
        return want.keys() == have.keys() and all(equal(want[key], have[key]) for key in want)
    return type(want) is type(have) and want == have


main()
