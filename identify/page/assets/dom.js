// Elements are made from data by these functions only: text becomes text, never markup.
const byId = (id) => document.getElementById(id);

function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, String(value));
  }
  node.append(...children);
  return node;
}

// The formula typeset, or its plain form where KaTeX does not know it.
function math(latex, plain = latex, display = false) {
  const node = element(display ? "div" : "span", { class: display ? "math display" : "math" });
  try {
    katex.render(latex, node, { displayMode: display, throwOnError: true, strict: "ignore", trust: false, maxExpand: 200 });
  } catch {
    node.textContent = plain;
  }
  return node;
}

// Inside a line, with fractions as large as the letters around them.
function legible(latex, plain) {
  return math(latex.includes("\\frac") ? `\\displaystyle ${latex}` : latex, plain);
}

// A symbol for the eye and its name, as it is typed, for the ear.
function symbolAndName(latex, name) {
  const symbol = math(latex, name);
  symbol.setAttribute("aria-hidden", "true");
  return [symbol, element("span", { class: "hidden" }, name)];
}

// A sentence of the report: formulas stand between marks, as LaTeX and as plain text.
function sentence(text) {
  const parts = document.createDocumentFragment();
  for (const piece of text.split(/(\x02[^\x03]*\x03)/)) {
    if (piece.startsWith("\x02")) parts.append(legible(...piece.slice(1, -1).split("\x1f")));
    else parts.append(piece);
  }
  return parts;
}

function figure(value, digits = 4) {
  if (!Number.isFinite(value)) return "–";
  const short = Number(value.toPrecision(digits));
  if (short !== 0 && (Math.abs(short) < 1e-3 || Math.abs(short) >= 1e6)) {
    const [size, power] = short.toExponential().split("e");
    const raised = [...power.replace("+", "")].map((sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]).join("");
    return `${size}·10${raised}`.replace("-", "−");
  }
  return String(short).replace("-", "−");
}

function latexFigure(value) {
  if (!Number.isFinite(value)) return "\\cdot";
  const short = Number(value.toPrecision(4));
  const [size, power] = short.toExponential().split("e");
  const wide = short !== 0 && (Number(power) < -3 || Number(power) > 5);
  const text = wide ? `${size}\\cdot 10^{${Number(power)}}` : String(short);
  return short < 0 || wide ? `(${text})` : text;
}

function saved(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Some browsers give pages from disk no clipboard; the old way still works there.
    const box = element("textarea", { readonly: true, class: "hidden" });
    box.value = text;
    document.body.append(box);
    box.select();
    const done = document.execCommand("copy");
    box.remove();
    return done;
  }
}

function copyButton(title, text) {
  const button = element("button", { type: "button" }, title);
  button.addEventListener("click", async () => {
    button.textContent = (await copied(text())) ? "Copied" : "Could not copy";
    setTimeout(() => (button.textContent = title), 1500);
  });
  return button;
}
