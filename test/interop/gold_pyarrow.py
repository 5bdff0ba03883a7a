"""Compares pairs of Arrow files or streams: what `original` holds and what was written from it.

Input, on standard input: {"pairs": [{"name", "original", "written"}]}; a list of one entry a pair comes out, null or
the difference. Equal means: schema with all metadata, custom metadata of every batch, footer metadata of two files,
the number of batches, and all values; and what was written passes full validation where the original does.
"""

import json
import sys

import pyarrow as pa


def read(path):
    with open(path, "rb") as source:
        data = source.read()
    if data.startswith(b"ARROW1"):
        reader = pa.ipc.open_file(data)
        batches = [reader.get_batch_with_custom_metadata(i) for i in range(reader.num_record_batches)]
        return reader.schema, [(b.batch, dict(b.custom_metadata or {})) for b in batches], dict(reader.metadata or {})
    reader = pa.ipc.open_stream(data)
    batches = []
    while True:
        try:
            b = reader.read_next_batch_with_custom_metadata()
        except StopIteration:
            return reader.schema, batches, None
        batches.append((b.batch, dict(b.custom_metadata or {})))


def is_valid(batch):
    try:
        batch.validate(full=True)
        return True
    except pa.ArrowInvalid:
        return False


def values_equal(a, b):
    """Python's values, for what Arrow's own comparison has no code for."""
    return a.equals(b) or (len(a) == len(b) and repr(a.to_pylist()) == repr(b.to_pylist()))


def difference(original, written):
    schema, batches, footer = read(original)
    our_schema, our_batches, our_footer = read(written)
    if not schema.equals(our_schema, check_metadata=True):
        return f"schema {our_schema} instead of {schema}"
    if len(batches) != len(our_batches):
        return f"{len(our_batches)} batches instead of {len(batches)}"
    if footer is not None and our_footer is not None and footer != our_footer:
        return f"footer metadata {our_footer} instead of {footer}"
    for i, ((batch, metadata), (ours, our_metadata)) in enumerate(zip(batches, our_batches)):
        if metadata != our_metadata:
            return f"batch {i}: metadata {our_metadata} instead of {metadata}"
        if batch.num_rows != ours.num_rows:
            return f"batch {i}: {ours.num_rows} rows instead of {batch.num_rows}"
        if is_valid(batch):
            ours.validate(full=True)
        # Whole batches first: some columns (intervals of months, of days) have no class in Python.
        if batch.equals(ours):
            continue
        for j, name in enumerate(schema.names):
            if not values_equal(batch.column(j), ours.column(j)):
                return f"batch {i}, column {name}: {ours.column(j)} instead of {batch.column(j)}"
    return None


def guarded(pair):
    try:
        return difference(pair["original"], pair["written"])
    except Exception as error:  # The test tells which pair it was.
        return f"{type(error).__name__}: {error}"


pairs = json.load(sys.stdin)["pairs"]
print(json.dumps({"versions": {"pyarrow": pa.__version__}, "results": [guarded(pair) for pair in pairs]}))
