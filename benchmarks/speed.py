"""How fast lore is found and indexed: ratios, measured side by side in one run.

    python benchmarks/speed.py [--python /path/to/a/python/with/sentence-transformers]

Cold is a whole `lorewright lore query` from before the process to its end, against the import of sentence-transformers
alone. Warm is a question never asked before, embedding included, in a process that has the pack open.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
CORPORA = Path(os.environ.get("LOREWRIGHT_CORPORA", ROOT.parent / "shared" / "corpora"))
RESULTS = Path(__file__).parent / "results"
COLUMNS = ("what", "measured", "ratio", "aim")
COLD_RUNS = 5
QUESTION = "Where can an outsider earn the vote by soldiering?"

WARM = """
import json, resource, statistics, sys, time
from pathlib import Path
from lorewright.bootstrap import open_app
from lorewright.retrieval.query import LoreRetrievalQuery
from lorewright.retrieval.retriever import retrieve
from lorewright.retrieval.view import LoreView
app = open_app(Path(sys.argv[1]))
view = LoreView((app.library.open(app.library.get("eclipse-phase").key),))
asked = json.loads(Path(sys.argv[2]).read_text())
retrieve(view, LoreRetrievalQuery(keywords="warm up"))
times = []
for text in asked:
    started = time.perf_counter()
    retrieve(view, LoreRetrievalQuery(keywords=text))
    times.append((time.perf_counter() - started) * 1000)
resident = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmRSS")) // 1024
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(json.dumps({"p50": statistics.median(times), "p95": sorted(times)[int(len(times) * 0.95)],
                  "resident": resident, "peak": peak}))
"""

# What a first install multiplies, and how fast the same runtime multiplies two large matrices.
SHARE = """
import json, sys, time
from pathlib import Path
import numpy as np
import onnxruntime
from tokenizers import Tokenizer
from lorewright.bootstrap import open_app
from lorewright.index.building import windows_of
from lorewright.index.embedders import onnx_file
from lorewright.index.embedders.minilm import LAYERS, WIDTH, model_folder
app = open_app(Path(sys.argv[1]))
pack = app.library.open(app.library.get("eclipse-phase").key)
texts = {window.text for chunk in pack.all_chunks() for window in windows_of(chunk.text, pack.items_of(chunk.row))}
tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
sizes = [len(encoded.ids) for encoded in tokenizer.encode_batch(sorted(texts))]
# Of a token twelve products with matrices of 384 x 384 in each layer, and two with the states of all tokens.
done = sum(LAYERS * size * (2 * 12 * WIDTH**2 + 4 * size * WIDTH) for size in sizes)
square = np.ones((2048, 2048), np.float32)
graph = onnx_file.graph(
    "square",
    [onnx_file.node("MatMul", ["a", "weights"], "b")],
    [onnx_file.constant("weights", square)],
    given=onnx_file.floats("a", 2048, 2048),
    made=[onnx_file.floats("b", 2048, 2048)],
)
session = onnxruntime.InferenceSession(onnx_file.model(graph, opsets={"": 20}, ir_version=9))
best = []
for _ in range(8):
    started = time.perf_counter()
    session.run(None, {"a": square})
    best.append(time.perf_counter() - started)
print(json.dumps({"windows": len(sizes), "done": done, "peak": 2 * 2048**3 / min(best)}))
"""


def seconds(command: Sequence[str | Path], **environment: str) -> float:
    """How long a process takes, from before it to its end."""
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **environment})
    return time.perf_counter() - started


def median_of(run: Callable[[], float]) -> float:
    """The middle of some runs, after one that fills the caches."""
    run()
    return statistics.median(run() for _ in range(COLD_RUNS))


def peak_of(command: Sequence[str | Path]) -> int:
    """The most memory that a process takes, in MB."""
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, capture_output=True);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)"
    )
    return int(subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True).stdout)


def measured(pack: Path, theirs: str, workspace: Path) -> Iterator[list[str]]:
    """What, how long, the ratio, the aim: row by row, as soon as it is known."""
    has_theirs = not subprocess.run([theirs, "-c", "import sentence_transformers"], capture_output=True).returncode
    lorewright = Path(sys.executable).with_name("lorewright")
    seconds([lorewright, "init", workspace])
    first = seconds([lorewright, "pack", "install", pack])
    yield ["first install, embedding included", f"{first:.1f} s", "1", ""]
    share = json.loads(subprocess.run([sys.executable, "-c", SHARE, workspace], capture_output=True, check=True).stdout)
    reached = share["done"] / first
    of_peak = f"{reached / 1e9:.0f} of {share['peak'] / 1e9:.0f} GFLOP/s"
    yield ["its share of the processor's peak", of_peak, f"{reached / share['peak']:.2f} × the peak", ""]
    again = median_of(lambda: seconds([lorewright, "pack", "reindex", "eclipse-phase"]))
    yield ["unchanged reindex", f"{again:.2f} s", f"{again / first:.3f} × the first", "< 0.1"]
    query = [lorewright, "lore", "query", QUESTION, "--json"]
    cold = median_of(lambda: seconds(query))
    ratio = "(sentence-transformers is not installed: name a --python that has it)"
    if has_theirs:
        imported = median_of(lambda: seconds([theirs, "-c", "import sentence_transformers"]))
        ratio = f"{cold / imported:.2f} × import sentence_transformers ({imported:.2f} s)"
    yield ["lore query, cold process", f"{cold:.2f} s", ratio, "≤ 0.25, ≤ 1.0 s"]
    words = median_of(lambda: seconds(query, LOREWRIGHT_EMBEDDER="none"))
    yield ["the same by words alone", f"{words:.2f} s", f"{words / cold:.2f} × cold", ""]
    yield ["its peak memory", f"{peak_of(query)} MB", "", "≤ 250 MB"]
    asked = workspace / "asked.json"
    lines = (CORPORA / "questions" / "eclipse-phase.jsonl").read_text(encoding="utf-8").splitlines()
    asked.write_text(json.dumps([json.loads(line)["query"] for line in lines]))
    ran = subprocess.run([sys.executable, "-c", WARM, workspace, asked], capture_output=True, text=True, check=True)
    warm = json.loads(ran.stdout)
    yield ["warm, p50", f"{warm['p50']:.1f} ms", f"{warm['p50'] / 1000 / cold:.3f} × cold", "≤ 20 ms"]
    yield ["warm, p95", f"{warm['p95']:.1f} ms", f"{warm['p95'] / warm['p50']:.1f} × p50", ""]
    yield ["a process that answers", f"{warm['resident']} MB, peak {warm['peak']} MB", "", "≤ 250 MB"]


def main() -> None:
    """Index the published pack in a workspace of the moment, measure, print, keep."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--python", default=os.environ.get("LOREWRIGHT_ST_PYTHON", sys.executable))
    arguments.add_argument("--results", type=Path, default=RESULTS, help="the folder that the figures are written to")
    given = arguments.parse_args()
    pack = CORPORA / "packs" / "eclipse-phase"
    if not pack.is_dir():
        sys.exit(f"no pack at {pack}: set LOREWRIGHT_CORPORA")
    table = Table(title="eclipse-phase")
    for column in COLUMNS:
        table.add_column(column)
    rows = []
    errors = Console(stderr=True)
    with tempfile.TemporaryDirectory() as folder, errors.status("installing, embedding included (a minute or two)"):
        os.environ["LOREWRIGHT_WORKSPACE"] = folder
        for row in measured(pack, given.python, Path(folder)):
            errors.print(f"{row[0]}: {row[1]}")
            rows.append(row)
            table.add_row(*row)
    Console(width=140).print(table)
    kept = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in kept)
    given.results.mkdir(parents=True, exist_ok=True)
    (given.results / "commands.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
