"""Streams with dictionaries that grow and change, and metadata of any bytes, against pyarrow.

pyarrow_dictionaries.py write DIR    writes DIR/NAME.arrows (and DIR/NAME.arrow where a file can hold it); prints
                                     {"versions", "streams": {NAME: {"batches", "metadata"}}}
pyarrow_dictionaries.py read FILE... prints {FILE: {"batches", "metadata"}}

"batches" are the values of each batch's columns, as JSON has them; "metadata" are those of schema, fields and each batch,
as lists of pairs of hex.
"""

import json
import os
import sys

import pyarrow as pa


def pairs(metadata):
    return [] if metadata is None else [[key.hex(), value.hex()] for key, value in metadata.items()]


def describe(path):
    batches, own = [], []
    if path.endswith(".arrow"):
        reader = pa.ipc.open_file(path)
        read = (reader.get_batch_with_custom_metadata(i) for i in range(reader.num_record_batches))
    else:
        reader = pa.ipc.open_stream(path)
        read = reader.iter_batches_with_custom_metadata()
    for batch, metadata in read:
        batch.validate(full=True)
        batches.append([column.to_pylist() for column in batch.columns])
        own.append(pairs(metadata))
    schema = reader.schema
    return {
        "batches": batches,
        "metadata": [pairs(schema.metadata), [pairs(field.metadata) for field in schema], own],
    }


def dictionary(values, indices, type_=None):
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int8()), pa.array(values, type_))


def batch(*columns, schema=None):
    names = [f"c{i}" for i in range(len(columns))]
    return pa.RecordBatch.from_arrays(list(columns), schema=schema) if schema else pa.record_batch(list(columns), names)


def nested(words, lists, indices):
    inner = dictionary(words, [i for part in lists for i in part])
    offsets = [0]
    for part in lists:
        offsets.append(offsets[-1] + len(part))
    values = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), inner)
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int8()), values)


def streams():
    odd = {b"\xe9\x80": b"\x00\xff", b"b": b"", b"": b"a\x00"}
    field = pa.field("c0", pa.dictionary(pa.int8(), pa.string()), metadata=odd)
    yield "metadata", [(batch(dictionary(["a"], [0, None]), schema=pa.schema([field], odd)), odd)], {}
    grown = [dictionary(["a", "bc", None, "d"][:n], [n - 1, 0, None]) for n in (1, 2, 4, 4)]
    yield "growing", [(batch(column), None) for column in grown], {"emit_dictionary_deltas": True}
    changing = [dictionary(["a", "b"], [0, 1]), dictionary(["b", "a"], [0, 1]), dictionary(["z"], [0])]
    yield "changing", [(batch(column), {b"k": b"v"}) for column in changing], {}
    structs = pa.struct([("x", pa.int64()), ("y", pa.bool_())])
    rows = [{"x": 1, "y": True}, {"x": 2, "y": None}, {"x": None, "y": False}]
    of = [dictionary(rows[:n], [n - 1], structs) for n in (1, 3)]
    yield "structs", [(batch(column), None) for column in of], {"emit_dictionary_deltas": True}
    yield (
        "nested",
        [
            (batch(nested(["a", "b"], [[0, 1], [1]], [0, 1, None])), None),
            (batch(nested(["x", "y"], [[0, 1], [0]], [0, 1])), None),
            (batch(nested(["x", "y", "z"], [[2]], [0])), None),
        ],
        {},
    )


def write(directory):
    described = {}
    for name, batches, options in streams():
        path = os.path.join(directory, name + ".arrows")
        schema = batches[0][0].schema
        with pa.ipc.new_stream(path, schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
            for one, metadata in batches:
                writer.write_batch(one, custom_metadata=metadata)
        described[name] = describe(path)
    return {"versions": {"pyarrow": pa.__version__}, "streams": described}


if __name__ == "__main__":
    if sys.argv[1] == "write":
        print(json.dumps(write(sys.argv[2])))
    else:
        print(json.dumps({path: describe(path) for path in sys.argv[2:]}))
