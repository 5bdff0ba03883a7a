"""pyarrow's arm of the suite `ipc`.

pyarrow_ipc.py CELL FILE    reads the stream once a line of standard input, and prints {"ms", "rows", "sum"} for each: the
                            time by its own clock, and what was read. CELL decode-full validates every batch in full.
"""

import json
import sys
from time import perf_counter

import pyarrow as pa
import pyarrow.compute as pc

cell, path = sys.argv[1:]
with open(path, "rb") as file:
    data = pa.py_buffer(file.read())

for _ in sys.stdin:
    start = perf_counter()
    table = pa.ipc.open_stream(data).read_all()
    if cell == "decode-full":
        table.validate(full=True)
    ms = (perf_counter() - start) * 1000
    print(json.dumps({"ms": ms, "rows": table.num_rows, "sum": pc.sum(table["value"]).as_py()}), flush=True)
