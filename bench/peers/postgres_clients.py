"""Python's arms of the suite `postgres`.

postgres_clients.py ARM CELL URI SQL    ARM is adbc-c, psycopg or connectorx. Runs SQL over a connection that it keeps
                                        whenever it is told to, each batch taken and let go of; CELL connect makes a new
                                        connection each time. `dump FILE` writes what SQL gives as an Arrow file.
"""

import sys
from collections.abc import Callable

import pyarrow as pa
from repetition import serve

arm, cell, uri, sql = sys.argv[1:]


def adbc_c() -> tuple[Callable, Callable]:
    import adbc_driver_postgresql
    from adbc_driver_manager import AdbcConnection, AdbcStatement

    def connect():
        database = adbc_driver_postgresql.connect(uri)
        return database, AdbcConnection(database)

    def read(connection):
        statement = AdbcStatement(connection)
        statement.set_sql_query(sql)
        handle, _ = statement.execute_query()
        return statement, pa.RecordBatchReader._import_from_c(handle.address)

    def count(connection):
        statement, reader = read(connection)
        rows = 0
        for batch in reader:
            rows += batch.num_rows
        reader.close()
        statement.close()
        return rows

    def collect(connection):
        statement, reader = read(connection)
        table = reader.read_all()
        statement.close()
        return table

    if cell == "connect":

        def reconnect():
            database, connection = connect()
            rows = count(connection)
            connection.close()
            database.close()
            return rows

        return reconnect, lambda: collect(connect()[1])
    kept = connect()
    return lambda: count(kept[1]), lambda: collect(kept[1])


def psycopg_binary() -> tuple[Callable, Callable]:
    import psycopg

    connection = psycopg.connect(uri, autocommit=True)

    def fetch():
        with connection.cursor(binary=True) as cursor:
            return cursor.execute(sql).fetchall(), [column.name for column in cursor.description]

    def collect():
        rows, names = fetch()
        return pa.table([pa.array(column) for column in zip(*rows)], names=names)

    return lambda: len(fetch()[0]), collect


def connectorx_arrow() -> tuple[Callable, Callable]:
    import connectorx

    def collect():
        return connectorx.read_sql(uri, sql, protocol="binary", return_type="arrow")

    return lambda: collect().num_rows, collect


def plain(column):
    """Instants as microseconds, dates as days, decimals and what is unknown as text."""
    kind = column.type
    if pa.types.is_timestamp(kind):
        return column.cast(pa.timestamp("us", kind.tz)).cast(pa.int64())
    if pa.types.is_date(kind):
        return column.cast(pa.date32()).cast(pa.int32())
    if isinstance(kind, pa.BaseExtensionType):
        return column.combine_chunks().storage
    if pa.types.is_decimal(kind):
        # A cast gives exponents.
        return pa.array([f"{value:f}" for value in column.to_pylist()])
    return column


def dump(path):
    columns = [plain(column) for column in collect().columns]
    table = pa.table(columns, names=[str(i) for i in range(len(columns))])
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    return table.num_rows


openers = {"adbc-c": adbc_c, "psycopg": psycopg_binary, "connectorx": connectorx_arrow}
run, collect = openers[arm]()
serve(run, lambda rows: {"rows": rows}, {"dump": dump})
