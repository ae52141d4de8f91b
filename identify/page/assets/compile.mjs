// Compiles the Python sources of a zip with the very Python that the page contains: node compile.mjs PYODIDE IN OUT
// The first part of a member's name is the archive it will be in; Python sees the rest.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [folder, source, target] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(path.join(folder, "pyodide.mjs")).href);
const python = await loadPyodide({ indexURL: folder });
python.FS.writeFile("/in.zip", fs.readFileSync(source));
python.runPython(`
import ast, importlib._bootstrap_external as external, warnings, zipfile

def without_docstrings(tree):
    # Empty, not absent: code that formats its own docstring still finds text.
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            if ast.get_docstring(node, clean=False) is not None:
                node.body[0].value.value = ""
    return tree

warnings.simplefilter("ignore")
with zipfile.ZipFile("/in.zip") as given, zipfile.ZipFile("/out.zip", "w") as made:
    for member in given.namelist():
        data, name = given.read(member), member.partition("/")[2]
        if name.endswith(".py"):
            tree = ast.parse(data)
            if not name.startswith(("_pyodide/", "pyodide/")):  # these read their own
                tree = without_docstrings(tree)
            code = compile(tree, name, "exec", dont_inherit=True)
            member, data = member + "c", bytes(external._code_to_hash_pyc(code, bytes(8), False))
        made.writestr(zipfile.ZipInfo(member), data)
`);
fs.writeFileSync(target, python.FS.readFile("/out.zip"));
