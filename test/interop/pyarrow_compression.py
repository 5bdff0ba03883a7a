"""Writes Arrow data with pyarrow, plain and compressed; checks what recurve compressed of them.

pyarrow_compression.py write DIR    writes DIR/NAME.plain.arrows and DIR/NAME.CODEC.arrow[s]; prints {"names": […]}
pyarrow_compression.py check DIR    compares DIR/NAME.CODEC.out.arrow[s] with DIR/NAME.plain.arrows; prints
                                    {"differs": […], "count": …}
"""

import decimal
import json
import os
import random
import sys

import pyarrow as pa

CODECS = ("lz4", "zstd")


def tables():
    r = random.Random(7)
    n = 50_000
    words = ["north", "south", "river", "mountain", "lake", "city", "", None, "grüße"]
    text = [r.choice(words) for _ in range(n)]
    yield "flat", {
        "i": pa.array([r.randrange(1000) for _ in range(n)], pa.int32()),
        "sorted": pa.array(range(n), pa.int64()),
        "f": pa.array([round(r.gauss(0, 100), 1) for _ in range(n)]),
        "noise": pa.array([r.random() for _ in range(n)]),
        "b": pa.array([r.choice([True, False, None]) for _ in range(n)]),
        "t": pa.array(text),
        "big": pa.array(text, pa.large_string()),
        "d": pa.array([decimal.Decimal(r.randrange(10**6)) / 100 for _ in range(n)], pa.decimal128(12, 2)),
        "at": pa.array([r.randrange(10**9) for _ in range(n)], pa.timestamp("us", "UTC")),
        "nothing": pa.nulls(n),
    }
    yield "nested", {
        "l": pa.array([[r.randrange(9)] * (i % 4) if i % 7 else None for i in range(n)]),
        "s": pa.array([{"a": i % 11, "b": text[i]} if i % 5 else None for i in range(n)]),
        "fixed": pa.array([[i, i + 1] for i in range(n)], pa.list_(pa.int32(), 2)),
    }
    yield "dictionary", {"d": pa.array(text).dictionary_encode()}
    yield "empty", {"i": pa.array([], pa.int32()), "t": pa.array([], pa.string())}
    yield "long", {"t": pa.array(["".join(r.choice(["lorem ", "ipsum "]) for _ in range(200_000))] * 8)}


def write(path, table, codec, is_file):
    options = pa.ipc.IpcWriteOptions(compression=codec)
    new = pa.ipc.new_file if is_file else pa.ipc.new_stream
    with new(path, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=20_000)


def main(command, directory):
    if command == "write":
        names = []
        for name, columns in tables():
            names.append(name)
            table = pa.table(columns)
            write(os.path.join(directory, f"{name}.plain.arrows"), table, None, False)
            for codec in CODECS:
                write(os.path.join(directory, f"{name}.{codec}.arrows"), table, codec, False)
                write(os.path.join(directory, f"{name}.{codec}.arrow"), table, codec, True)
        return {"names": names}
    differs, count = [], 0
    for file in sorted(os.listdir(directory)):
        if ".out." not in file:
            continue
        count += 1
        plain = pa.ipc.open_stream(os.path.join(directory, f"{file.split('.')[0]}.plain.arrows")).read_all()
        path = os.path.join(directory, file)
        table = (pa.ipc.open_stream if file.endswith("s") else pa.ipc.open_file)(path).read_all()
        table.validate(full=True)
        if not table.equals(plain, check_metadata=True):
            differs.append(file)
    return {"differs": differs, "count": count}


print(json.dumps(main(*sys.argv[1:])))
