"""Reads Arrow streams, files and tensors and writes them again plainly.

Input, on standard input: {"cases": [{"path", "out"}]}. Out comes an entry a case: {"error": text}, or what the stream
at `out` cannot say: custom metadata of batches and footer as hexadecimal pairs; for a tensor its shape, strides, names and
values in row-major order, as hexadecimal bytes.
"""

import json
import sys

import pyarrow as pa


def pairs(metadata):
    if metadata is None:
        return ""
    return ",".join(f"{key.hex()}={value.hex()}" for key, value in metadata.items())


def read(data):
    if data.startswith(b"ARROW1"):
        reader = pa.ipc.open_file(data)
        batches = [reader.get_batch_with_custom_metadata(i) for i in range(reader.num_record_batches)]
        return reader.schema, batches, reader.metadata
    reader = pa.ipc.open_stream(data)
    batches = []
    while True:
        try:
            batches.append(reader.read_next_batch_with_custom_metadata())
        except StopIteration:
            return reader.schema, batches, None


def rewrite(path, out):
    with open(path, "rb") as source:
        data = source.read()
    if path.endswith(".tensor"):
        tensor = pa.ipc.read_tensor(pa.BufferReader(data))
        values = memoryview(tensor).tobytes() if tensor.size else b""
        names = [name or None for name in tensor.dim_names] or [None] * tensor.ndim
        return {"shape": tensor.shape, "strides": tensor.strides, "names": names, "values": values.hex()}
    schema, batches, footer = read(data)
    with pa.OSFile(out, "wb") as sink, pa.ipc.new_stream(sink, schema) as writer:
        for batch, metadata in batches:
            batch.validate(full=True)
            writer.write_batch(batch, custom_metadata=metadata)
    footer = dict(footer or {})
    return {
        "metadata": [pairs(metadata) for _, metadata in batches],
        "footer": {key.hex(): value.hex() for key, value in footer.items()},
    }


def guarded(case):
    try:
        return rewrite(case["path"], case["out"])
    except Exception as error:  # The test knows which it expects.
        return {"error": f"{type(error).__name__}: {error}"}


cases = json.load(sys.stdin)["cases"]
print(json.dumps({"version": pa.__version__, "results": [guarded(case) for case in cases]}))
