"""pyarrow's arm of the suite `ipc`.

pyarrow_ipc.py CELL FILE    reads the stream whenever it is told to, and tells how many rows there were and what the column
                            `value` sums up to. CELL decode-full validates every batch in full.
"""

import sys

import pyarrow as pa
import pyarrow.compute as pc
from repetition import serve

cell, path = sys.argv[1:]
with open(path, "rb") as file:
    data = pa.py_buffer(file.read())


def run():
    table = pa.ipc.open_stream(data).read_all()
    if cell == "decode-full":
        table.validate(full=True)
    return table


serve(run, lambda table: {"rows": table.num_rows, "sum": pc.sum(table["value"]).as_py()})
