"""The tester of recurve for archery, the runner of Arrow's integration tests.

To take part in a run, copy this file to dev/archery/archery/integration/ of a checkout of apache/arrow and give
`RecurveTester()` to the runner, as `select_testers` in runner.py does for the others; or use archery_matrix.py
beside this file, which does it without a change to archery. RECURVE names the executable (default: recurve).
"""

import os

from archery.integration.tester import Tester
from archery.integration.util import log, run_cmd

_EXECUTABLE = os.environ.get("RECURVE", "recurve")


class RecurveTester(Tester):
    PRODUCER = True
    CONSUMER = True

    name = "recurve"

    def _environment(self, command, arrow_path, json_path=None, quirks=None):
        env = {**os.environ, "COMMAND": command, "ARROW_PATH": str(arrow_path)}
        if json_path is not None:
            env["JSON_PATH"] = str(json_path)
        for quirk in quirks or ():
            env[f"QUIRK_{quirk}"] = "1"
        if self.debug:
            log(f"{command} ARROW_PATH={arrow_path} JSON_PATH={json_path} {_EXECUTABLE} integration")
        return env

    def validate(self, json_path, arrow_path, quirks=None):
        run_cmd([_EXECUTABLE, "integration"], env=self._environment("VALIDATE", arrow_path, json_path, quirks))

    def json_to_file(self, json_path, arrow_path):
        run_cmd([_EXECUTABLE, "integration"], env=self._environment("JSON_TO_ARROW", arrow_path, json_path))

    def stream_to_file(self, stream_path, file_path):
        env = self._environment("STREAM_TO_FILE", file_path)
        self.run_shell_command([_EXECUTABLE, "integration", "<", f'"{stream_path}"'], env=env)

    def file_to_stream(self, file_path, stream_path):
        env = self._environment("FILE_TO_STREAM", file_path)
        self.run_shell_command([_EXECUTABLE, "integration", ">", f'"{stream_path}"'], env=env)
