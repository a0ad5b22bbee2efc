// Answers the bench: Python with SymPy and the library, compiled, all from this site (tools/bench_bundle.py). A module
// worker, so that a page stays alive beside it and can end it.
import { loadPyodide } from "./bench/pyodide.mjs";
import { train } from "./bench-train.js";

const here = (name) => new URL(`bench/${name}`, import.meta.url).href;

async function start() {
  const packages = fetch(here("packages.zip")); // at the same time as Python
  const python = await loadPyodide({ indexURL: here("") });
  python.unpackArchive(await (await packages).arrayBuffer(), "zip");
  return python.pyimport("bench_answers").answer;
}

const started = start();
started.then(() => postMessage({ ready: true }), (error) => postMessage({ failed: String(error) }));

onmessage = async ({ data: { id, question } }) => {
  try {
    const answer = await started;
    const found = question.ask === "train" ? train(question.program) : JSON.parse(answer(JSON.stringify(question)));
    postMessage({ id, found });
  } catch (error) {
    const said = String(error.message || error).trim().split("\n").at(-1);
    postMessage({ id, found: { error: { message: `The bench failed: ${said}`, place: null } } });
  }
};
