"""Reads tensors, says what is in them, and writes them again: DIRECTORY NAME..."""

import json
import struct
import sys

import pyarrow as pa

FORMATS = {"double": "d", "int16": "h", "uint8": "B", "int64": "q"}


def values(tensor):
    return list(struct.unpack(f"<{tensor.size}{FORMATS[str(tensor.type)]}", memoryview(tensor).tobytes()))


def nest(flat, shape):
    if len(shape) == 1:
        return flat
    size = len(flat) // shape[0]
    return [nest(flat[i * size : (i + 1) * size], shape[1:]) for i in range(shape[0])]


directory, *names = sys.argv[1:]
read = {}
for name in names:
    with pa.OSFile(f"{directory}/{name}.tensor") as source:
        tensor = pa.ipc.read_tensor(source)
    read[name] = {
        "shape": list(tensor.shape),
        "names": [n or None for n in tensor.dim_names] or [None] * tensor.ndim,
        "values": nest(values(tensor), tensor.shape),
    }
    with pa.OSFile(f"{directory}/{name}.out", "wb") as sink:
        pa.ipc.write_tensor(tensor, sink)
print(json.dumps({"version": pa.__version__, "read": read}))
