"""Compares Arrow files that recurve wrote with what Python's DuckDB gives for the same statements.

Reads a manifest (JSON on stdin): {"setup": [sql], "cases": [{"name", "file", "sql", "lossless"?}]}.
Prints {"versions": {...}, "results": {name: null | "what differs"}}.

lossless   the oracle exports with arrow_lossless_conversion, which has types of its own for UUID, BIT, TIMETZ and JSON
"""

import json
import sys

import duckdb
import pyarrow as pa


def compare(connection, case):
    with pa.OSFile(case["file"]) as source:
        ours = pa.ipc.open_file(source).read_all()
    ours.validate(full=True)
    connection.execute(f"SET arrow_lossless_conversion = {bool(case.get('lossless'))}")
    oracle = connection.sql(case["sql"]).to_arrow_table()
    if ours.num_rows != oracle.num_rows:
        return f"{ours.num_rows} rows against {oracle.num_rows}"
    if ours.column_names != oracle.column_names:
        return f"columns {ours.column_names} against {oracle.column_names}"
    for i, name in enumerate(ours.column_names):
        mine, theirs = ours.column(i), oracle.column(i)
        if mine.type != theirs.type:
            return f"{name}: type {mine.type} against {theirs.type}"
        if ours.num_rows == 0:
            continue
        if isinstance(mine.type, pa.BaseExtensionType):
            mine, theirs = storage(mine), storage(theirs)
        if mine.combine_chunks() != theirs.combine_chunks() and not same_values(mine, theirs):
            return first_difference(name, mine, theirs)
    return None


def storage(column):
    return pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)


def same_values(mine, theirs):
    """Arrow's equality holds NaN unequal to itself; the same bits count as the same here."""
    return repr(mine.to_pylist()) == repr(theirs.to_pylist()) if "float" in str(mine.type) or "double" in str(mine.type) else False


def first_difference(name, mine, theirs):
    for row, (a, b) in enumerate(zip(mine, theirs)):
        if not a.equals(b) and repr(a) != repr(b):
            return f"{name}, row {row}: {a!r} against {b!r}"[:500]
    return f"{name}: differs"


def main():
    manifest = json.load(sys.stdin)
    connection = duckdb.connect()
    for sql in manifest["setup"]:
        connection.execute(sql)
    results = {}
    for case in manifest["cases"]:
        try:
            results[case["name"]] = compare(connection, case)
        except Exception as error:  # one case must not hide the others
            results[case["name"]] = f"{type(error).__name__}: {error}"[:500]
    versions = {"pyarrow": pa.__version__, "duckdb": duckdb.__version__}
    json.dump({"versions": versions, "results": results}, sys.stdout)


main()
