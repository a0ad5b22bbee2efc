// bench_pyc.mjs PYODIDE FOLDER: compile every module of a folder beside its text, by the Python that will run it.
// Docstrings and assertions go (-OO).
import { pathToFileURL } from "node:url";

const [pyodide, folder] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: `${pyodide}/` });
python.mountNodeFS("/modules", folder);
const whole = python.runPython(`
import compileall
from py_compile import PycInvalidationMode

compileall.compile_dir(
    "/modules", quiet=1, legacy=True, optimize=2, ddir="", invalidation_mode=PycInvalidationMode.UNCHECKED_HASH
)
`);
process.exit(whole ? 0 : 1);
