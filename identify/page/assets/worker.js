// The engine's own thread. It gets everything from the page by message and asks nothing of any network.
const files = new Map();

// Pyodide fetches its files by name; here each name is answered from memory, and no other is.
self.fetch = async (address) => {
  const name = new URL(String(address && address.url ? address.url : address)).pathname.split("/").pop();
  if (!files.has(name)) throw new TypeError(`the page contains no ${name}`);
  const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
  return new Response(files.get(name), { headers: { "Content-Type": type } });
};

// A page opened from disk cannot start a module worker. Pyodide needs no more of one than dynamic imports, but
// tells the kinds apart by trying this function.
self.importScripts = () => {
  throw new TypeError("nothing is imported from outside the page");
};

function decoded(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function unpacked(text) {
  const stream = new Blob([decoded(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function imported(bytes) {
  const address = URL.createObjectURL(new Blob([bytes], { type: "text/javascript" }));
  try {
    return await import(address);
  } finally {
    URL.revokeObjectURL(address);
  }
}

function progress(step, text) {
  postMessage({ kind: "progress", step, of: 5, text });
}

async function start(parts, lock) {
  progress(0, "unpacking");
  const names = ["pyodide", "glue", "wasm", "standard", "flint", "sympy", "engine"];
  const unpacking = names.map((name) => unpacked(parts[name]));
  const [pyodide, glue, wasm, standard, flint, sympy, engine] = await Promise.all(unpacking);
  files.set("pyodide.asm.wasm", wasm);
  files.set("python_stdlib.zip", standard);
  progress(1, "starting Python");
  const { loadPyodide } = await imported(pyodide);
  const python = await loadPyodide({
    indexURL: "memory://page/",
    lockFileContents: lock,
    packageBaseUrl: "memory://page/",
    createPyodideModule: (await imported(glue)).default,
    stdout: () => {},
    stderr: () => {},
  });
  files.clear();
  progress(2, "loading the algebra library");
  python.unpackArchive(flint, "zip", { extractDir: python.runPython("import site; site.getsitepackages()[0]") });
  python.FS.writeFile("/sympy.zip", sympy);
  python.FS.writeFile("/engine.zip", engine);
  python.runPython('import sys; sys.path[:0] = ["/engine.zip", "/sympy.zip"]; import flint');
  progress(3, "loading the engine");
  const answer = python.runPython("from identify.page.inside.session import answer; answer");
  progress(4, "trying a law");
  answer(JSON.stringify({ kind: "analyze", law: "z''+d*z'+a*z+b*z**3=0", conditions: ["b != 0"] }));
  return answer;
}

let answer = null;

onmessage = async ({ data }) => {
  try {
    if (data.kind === "start") {
      answer = await start(data.parts, data.lock);
      postMessage({ kind: "ready" });
    } else {
      postMessage({ kind: "answer", id: data.id, text: answer(data.text) });
    }
  } catch (error) {
    // Python turns every error of its own into an answer, so this is the end of the interpreter.
    postMessage({ kind: "failed", id: data.id, text: String(error && error.message ? error.message : error).slice(0, 500) });
  }
};
