"""Runs Arrow's own integration runner over recurve, Go and C++, for one case or one folder of gold files.

    archery_matrix.py list                   prints the names of the generated cases, as JSON
    archery_matrix.py case NAME              recurve with recurve, Go and C++, as producer and as consumer
    archery_matrix.py gold DIRECTORY         recurve against gold files

Prints {"versions", "checks", "skips", "failures"} as JSON on standard output. ARROW_ARCHERY names dev/archery of a
checkout of apache/arrow, GOBIN the folder of Go's arrow-json-integration-test, arrow-file-to-stream and
arrow-stream-to-file (left out where they are not there), RECURVE the executable of recurve. Needs pyarrow and numpy.

C++ takes part by pyarrow, which has no reader of the JSON format: recurve reads the JSON and compares, and C++ reads
(with full validation) and writes the Arrow file in between.
"""

import json
import os
import shutil
import sys
import tempfile
from contextlib import redirect_stdout

sys.path.insert(0, os.environ["ARROW_ARCHERY"])

import pyarrow as pa  # noqa: E402
from archery.integration import datagen, runner  # noqa: E402
from archery.integration.tester import Tester  # noqa: E402
from archery.integration.tester_go import GoTester  # noqa: E402
from tester_recurve import RecurveTester  # noqa: E402


class PyarrowTester(Tester):
    PRODUCER = True
    CONSUMER = True

    name = "C++"

    def __init__(self, recurve):
        super().__init__()
        self._recurve = recurve

    @staticmethod
    def _rewrite(source, target, is_stream=False, to_stream=False):
        opened = (pa.ipc.open_stream if is_stream else pa.ipc.open_file)(pa.memory_map(str(source)))
        batches = list(opened) if is_stream else [opened.get_batch(i) for i in range(opened.num_record_batches)]
        with (pa.ipc.new_stream if to_stream else pa.ipc.new_file)(str(target), opened.schema) as writer:
            for batch in batches:
                batch.validate(full=True)
                writer.write_batch(batch)

    def validate(self, json_path, arrow_path, quirks=None):
        self._rewrite(arrow_path, f"{arrow_path}.again")
        self._recurve.validate(json_path, f"{arrow_path}.again", quirks)

    def json_to_file(self, json_path, arrow_path):
        self._recurve.json_to_file(json_path, f"{arrow_path}.first")
        self._rewrite(f"{arrow_path}.first", arrow_path)

    def stream_to_file(self, stream_path, file_path):
        self._rewrite(stream_path, file_path, is_stream=True)

    def file_to_stream(self, file_path, stream_path):
        self._rewrite(file_path, stream_path, to_stream=True)


class CountingRunner(runner.IntegrationRunner):
    checks = 0

    def _run_ipc_test_case(self, *args):
        outcome = super()._run_ipc_test_case(*args)
        CountingRunner.checks += 0 if outcome.skipped else 1
        return outcome


def run(command, argument):
    directory = tempfile.mkdtemp(prefix="recurve-archery-")
    try:
        recurve = RecurveTester()
        others = [PyarrowTester(recurve)]
        has_go = shutil.which("arrow-json-integration-test", path=os.environ.get("GOBIN", "")) is not None
        if has_go:
            others.append(GoTester())
        cases = datagen.get_generated_json_files(tempdir=directory)
        if command == "list":
            return [case.name for case in cases]
        options = {"tempdir": directory, "serial": True, "stop_on_error": False}
        if command == "gold":
            matrix = CountingRunner(cases, [], [recurve], [], gold_dirs=[argument], **options)
            # The generated cases are only asked which implementations the gold cases of their names are for.
            matrix._produce_consume = lambda *_: None
            generated = len(cases)
        else:
            chosen = [case for case in cases if case.name == argument]
            matrix = CountingRunner(chosen, [], [recurve], others, **options)
            generated = 0
        matrix.run_ipc()
        return {
            "versions": {"C++ (pyarrow)": pa.__version__, "Go": has_go},
            "checks": CountingRunner.checks - generated,
            "skips": len(matrix.skips),
            "failures": [
                f"{case.name}, {producer.name} producing, {consumer.name} consuming: {info[1]}"
                for case, producer, consumer, info in matrix.failures
            ],
        }
    finally:
        shutil.rmtree(directory)


with redirect_stdout(sys.stderr):
    result = run(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)
print(json.dumps(result))
