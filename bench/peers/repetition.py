"""The loop of an arm in Python: one request a line of standard input, one line of JSON for each."""

import json
import sys
from resource import RUSAGE_SELF, getrusage
from time import perf_counter


def cpu_seconds():
    usage = getrusage(RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def serve(run, describe, requests=None):
    """Answers `run MS`: runs for at least that time, and tells what it took and what `describe` says of the last result.

    `requests` has a function of its arguments for each further request, which gives what is answered.
    """
    for line in sys.stdin:
        name, *args = line.split()
        if name != "run":
            answer = requests[name](*args)
        else:
            least = float(args[0]) / 1000
            iterations = 0
            cpu = cpu_seconds()
            start = perf_counter()
            while True:
                result = run()
                iterations += 1
                elapsed = perf_counter() - start
                if elapsed >= least:
                    break
            cpu = cpu_seconds() - cpu
            answer = {"iterations": iterations, "elapsedMs": elapsed * 1000, "cpuMs": cpu * 1000, **describe(result)}
            del result
        print(json.dumps(answer), flush=True)
