"""Writes Arrow files with pyarrow and tells what is in them; checks files that recurve rewrote.

pyarrow_files.py write DIR    writes DIR/NAME.arrow and DIR/NAME.arrows; prints {"versions", "files": {NAME: {"columns": {...}}}}
                              with every value in a canonical form: integers and counts as decimal text, floats as text
                              of their bits, decimals as text, bytes as hex, null as null
pyarrow_files.py check DIR    compares DIR/NAME.out.arrow and DIR/NAME.out.arrows with DIR/NAME.arrow; prints
                              {"results": {NAME: null | "what differs"}}
"""

import decimal
import json
import os
import struct
import sys

import pyarrow as pa


def canonical(type_, value):
    if value is None:
        return None
    if pa.types.is_boolean(type_):
        return value
    if pa.types.is_integer(type_):
        return str(value)
    if pa.types.is_floating(type_):
        return struct.pack("<d", value).hex()
    if pa.types.is_decimal(type_):
        return format(value, "f")
    if pa.types.is_string(type_) or pa.types.is_large_string(type_):
        return value
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(str(type_))


def canonical_array(array):
    type_ = array.type
    if isinstance(type_, pa.UuidType):
        return [None if v is None else str(v) for v in array.to_pylist()]
    if isinstance(type_, pa.BaseExtensionType):
        return canonical_array(array.storage)
    if pa.types.is_null(type_):
        return [None] * len(array)
    if pa.types.is_dictionary(type_):
        values = canonical_array(array.dictionary)
        return [None if i is None else values[i] for i in array.indices.to_pylist()]
    if pa.types.is_temporal(type_) and not pa.types.is_interval(type_):
        bits = type_.bit_width
        return canonical_array(array.view(pa.int32() if bits == 32 else pa.int64()))
    if pa.types.is_interval(type_):
        return [None if v is None else [v.months, v.days, str(v.nanoseconds)] for v in array.to_pylist()]
    if pa.types.is_map(type_):
        out = []
        for row in range(len(array)):
            if not array[row].is_valid:
                out.append(None)
                continue
            start, end = array.offsets[row].as_py(), array.offsets[row + 1].as_py()
            keys, items = canonical_array(array.keys[start:end]), canonical_array(array.items[start:end])
            out.append([list(pair) for pair in zip(keys, items)])
        return out
    if pa.types.is_list(type_) or pa.types.is_large_list(type_) or pa.types.is_fixed_size_list(type_):
        return [None if not value.is_valid else canonical_array(value.values) for value in array]
    if pa.types.is_struct(type_):
        children = [canonical_array(child) for child in (array.flatten())]
        names = [type_.field(i).name for i in range(type_.num_fields)]
        rows = []
        for row in range(len(array)):
            rows.append({n: c[row] for n, c in zip(names, children)} if array[row].is_valid else None)
        return rows
    if pa.types.is_union(type_):
        out = []
        position = {code: i for i, code in enumerate(type_.type_codes)}
        for row in range(len(array)):
            child = position[array.type_codes[row].as_py()]
            at = array.offsets[row].as_py() if type_.mode == "dense" else row
            out.append(canonical_array(array.field(child).slice(at, 1))[0])
        return out
    return [canonical(type_, value) for value in array.to_pylist()]


def tables():
    d = decimal.Decimal
    yield "integers", {
        str(t): pa.array([None, 0, 1, m, lo, 7], t)
        for t, lo, m in [
            (pa.int8(), -128, 127), (pa.int16(), -32768, 32767), (pa.int32(), -(2**31), 2**31 - 1),
            (pa.int64(), -(2**63), 2**63 - 1), (pa.uint8(), 0, 255), (pa.uint16(), 0, 65535),
            (pa.uint32(), 0, 2**32 - 1), (pa.uint64(), 0, 2**64 - 1),
        ]
    }
    floats = [None, 0.0, -0.0, 1.5, float("inf"), float("nan"), -2.25]
    yield "floats", {str(t): pa.array(floats, t) for t in (pa.float16(), pa.float32(), pa.float64())}
    yield "decimals", {
        "d32": pa.array([None, d("1.25"), d("-9999999.99")], pa.decimal32(9, 2)),
        "d64": pa.array([d("1.250"), None, d("-999999999999999.999")], pa.decimal64(18, 3)),
        "d128": pa.array([d("0.00"), d("-1.00"), d("9" * 36 + ".99")], pa.decimal128(38, 2)),
        "d256": pa.array([d("0"), d("-1"), d("9" * 76)], pa.decimal256(76, 0)),
        "negative scale": pa.array([d("1E+3"), None, d("-12E+3")], pa.decimal128(10, -3)),
    }
    text = ["", None, "a", "grüße", "日本語", "🙂🙂", "x" * 100_000, "\0nul", "\ufeffbom"]
    yield "text", {"utf8": pa.array(text), "large": pa.array(text, pa.large_string())}
    raw = [None if v is None else v.encode() for v in text]
    yield "bytes", {
        "binary": pa.array(raw), "large": pa.array(raw, pa.large_binary()),
        "fixed": pa.array([None if v is None else (v + b"\0\0\0")[:3] for v in raw], pa.binary(3)),
    }
    yield "temporal", {
        "date32": pa.array([None, 0, -1, 2**31 - 1], pa.int32()).view(pa.date32()),
        "date64": pa.array([None, 0, -86400000, 86400000], pa.int64()).view(pa.date64()),
        **{f"time32 {u}": pa.array([None, 0, 1, 86399], pa.int32()).view(pa.time32(u)) for u in ("s", "ms")},
        **{f"time64 {u}": pa.array([None, 0, 1, 86399999999], pa.int64()).view(pa.time64(u)) for u in ("us", "ns")},
        **{f"ts {u}": pa.array([None, 0, -(2**63), 2**63 - 1], pa.int64()).view(pa.timestamp(u)) for u in ("s", "ms", "us", "ns")},
        **{f"tz {u}": pa.array([None, 0, -1, 2**62], pa.int64()).view(pa.timestamp(u, "Europe/Berlin")) for u in ("s", "ms", "us", "ns")},
        **{f"duration {u}": pa.array([None, 0, -1, 2**62], pa.int64()).view(pa.duration(u)) for u in ("s", "ms", "us", "ns")},
        "interval": pa.array([None, (1, -2, 3), (-14, 0, 2**63 - 1), (0, 0, -(2**63))], pa.month_day_nano_interval()),
    }
    nested = pa.array([[{"a": 1, "b": [("k", [1.5, None])]}, None], None, [], [{"a": None, "b": None}]],
                      pa.list_(pa.struct([("a", pa.int64()), ("b", pa.map_(pa.string(), pa.list_(pa.float64())))])))
    yield "nested", {
        "list of struct of map": nested,
        "large list": pa.array([[1], None, [], [2, 3, None]], pa.large_list(pa.int8())),
        "fixed list": pa.array([[1, 2], None, [None, 4], [5, 6]], pa.list_(pa.int16(), 2)),
        "struct of nothing": pa.array([{}, None, {}, {}], pa.struct([])),
    }
    yield "unions", {
        "sparse": pa.UnionArray.from_sparse(pa.array([5, 9, 5], pa.int8()), [pa.array([1, 2, None], pa.int32()), pa.array(["a", "b", "c"])], ["i", "s"], [5, 9]),
        "dense": pa.UnionArray.from_dense(pa.array([1, 0, 1], pa.int8()), pa.array([0, 0, 1], pa.int32()), [pa.array([7], pa.int64()), pa.array(["x", None])], ["i", "s"]),
    }
    yield "dictionaries", {
        **{f"index {t}": pa.DictionaryArray.from_arrays(pa.array([0, None, 2, 1], t), pa.array(["a", "b", None]))
           for t in (pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64())},
        "ordered": pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 1], pa.int8()), pa.array([1.5, 2.5]), ordered=True),
        "of structs": pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 1], pa.int8()), pa.array([{"a": 1}, {"a": 2}])),
        "in a list": pa.array([["a", "b"], None, [], ["a"]], pa.list_(pa.dictionary(pa.int8(), pa.string()))),
    }
    yield "extensions", {
        "uuid": pa.ExtensionArray.from_storage(pa.uuid(), pa.array([bytes(range(16)), None], pa.binary(16))),
        "json": pa.ExtensionArray.from_storage(pa.json_(), pa.array(['{"a": 1}', None])),
        "opaque": pa.ExtensionArray.from_storage(pa.opaque(pa.binary(), "point", "elsewhere"), pa.array([b"\x01", None])),
    }
    yield "booleans and nulls", {"bool": pa.array([True, False, None] * 5), "null": pa.nulls(15)}
    yield "no rows", {"i": pa.array([], pa.int32()), "s": pa.array([], pa.string()), "l": pa.array([], pa.list_(pa.string()))}
    for rows in (2047, 2048, 2049):
        yield f"{rows} rows", {
            "i": pa.array([None if i % 7 == 0 else i for i in range(rows)], pa.int32()),
            "s": pa.array([None if i % 5 == 0 else "v" * (i % 27) for i in range(rows)]),
            "b": pa.array([None if i % 3 == 0 else i % 2 == 0 for i in range(rows)]),
        }


def build(columns):
    fields = [pa.field(name, array.type) for name, array in columns.items()]
    return pa.table(list(columns.values()), schema=pa.schema(fields, metadata={"origin": "pyarrow", "empty": ""}))


def write(directory):
    files = {}
    for name, columns in tables():
        table = build(columns)
        pieces = table.to_batches(max_chunksize=2) if table.num_rows < 20 else table.to_batches(max_chunksize=1000)
        for suffix, open_ in ((".arrow", pa.ipc.new_file), (".arrows", pa.ipc.new_stream)):
            with open_(os.path.join(directory, name + suffix), table.schema) as writer:
                for piece in pieces:
                    writer.write_batch(piece)
        files[name] = {"columns": {c: canonical_array(a) for c, a in columns.items()}, "types": {c: str(a.type) for c, a in columns.items()}}
    print(json.dumps({"versions": {"pyarrow": pa.__version__}, "files": files}))


def check(directory):
    results = {}
    for name, columns in tables():
        table = build(columns)
        try:
            for suffix, open_ in ((".arrow", pa.ipc.open_file), (".arrows", pa.ipc.open_stream)):
                with pa.OSFile(os.path.join(directory, name + ".out" + suffix)) as source:
                    ours = open_(source).read_all()
                ours.validate(full=True)
                if not ours.schema.equals(table.schema, check_metadata=True):
                    raise AssertionError(f"{suffix}: schema {ours.schema} against {table.schema}")
                for column in table.column_names:
                    a, b = ours.column(column).combine_chunks(), table.column(column).combine_chunks()
                    if not a.equals(b) and canonical_array(a) != canonical_array(b):
                        raise AssertionError(f"{suffix}: column {column}: {a} against {b}")
            results[name] = None
        except Exception as error:
            results[name] = f"{type(error).__name__}: {error}"[:800]
    print(json.dumps({"versions": {"pyarrow": pa.__version__}, "results": results}))


{"write": write, "check": check}[sys.argv[1]](sys.argv[2])
