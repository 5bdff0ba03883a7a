"""Parses connection strings with libpq.

Reads a manifest (JSON on stdin): {"library": path, "strings": [text], "starts": [{"conninfo", "environment"}]}.
Prints {"version", "parsed": [RESULT], "started": [RESULT], "keywords": {keyword: [variable | null, default | null]}} where RESULT is
{"values": {keyword: value}} or {"error": message}, an error also being a value that is not UTF-8. A start is a connection that is begun and given up: its values are those
with the service file, the environment and the defaults filled in.
"""

import ctypes
import json
import os
import sys


class Option(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("keyword", "envvar", "compiled", "val", "label", "dispchar")] + [
        ("dispsize", ctypes.c_int)
    ]


def read(options):
    values = {}
    index = 0
    while options[index].keyword:
        option = options[index]
        if option.val is not None:
            values[option.keyword.decode()] = option.val.decode()
        index += 1
    return values


def parse(library, text):
    message = ctypes.c_char_p()
    options = library.PQconninfoParse(text.encode(), ctypes.byref(message))
    if not options:
        return {"error": message.value.decode("utf-8", "replace").strip()}
    try:
        return {"values": read(options)}
    except UnicodeDecodeError as error:
        return {"error": str(error)}
    finally:
        library.PQconninfoFree(options)


def start(library, case):
    before = dict(os.environ)
    os.environ.update(case["environment"])
    connection = library.PQconnectStart(case["conninfo"].encode())
    bad = library.PQstatus(connection) == 1
    options = library.PQconninfo(connection)
    result = {"error": library.PQerrorMessage(connection).decode().strip()} if bad else {}
    if options:
        result["values"] = read(options)
        library.PQconninfoFree(options)
    library.PQfinish(connection)
    for name in set(os.environ) - set(before):
        del os.environ[name]
    os.environ.update(before)
    return result


def main():
    manifest = json.load(sys.stdin)
    library = ctypes.CDLL(manifest["library"])
    for name in ("PQconninfoParse", "PQconndefaults", "PQconninfo"):
        getattr(library, name).restype = ctypes.POINTER(Option)
    library.PQconninfoFree.argtypes = [ctypes.POINTER(Option)]
    library.PQconnectStart.restype = ctypes.c_void_p
    for name in ("PQstatus", "PQerrorMessage", "PQconninfo", "PQfinish"):
        getattr(library, name).argtypes = [ctypes.c_void_p]
    library.PQerrorMessage.restype = ctypes.c_char_p
    defaults = library.PQconndefaults()
    keywords = {}
    index = 0
    while defaults[index].keyword:
        option = defaults[index]
        keywords[option.keyword.decode()] = [
            value.decode() if value is not None else None for value in (option.envvar, option.compiled)
        ]
        index += 1
    json.dump(
        {
            "version": library.PQlibVersion(),
            "keywords": keywords,
            "parsed": [parse(library, text) for text in manifest["strings"]],
            "started": [start(library, case) for case in manifest["starts"]],
        },
        sys.stdout,
    )


main()
