// The result: the same sentences as in the terminal, with the formulas typeset.
const MARKS = { identified: "✓", finite: "⋮", sign: "±", free: "○", undecided: "?" };
const FOLDED = ["Guarantee"]; // for those who want to know: closed at first

function showReport(box, reply, family, name) {
  const { report } = reply;
  const given = report.given.flatMap((latex, i) => [i ? ", " : "given ", math(latex)]);
  const canonical = report.sections.find((section) => section.title === "Canonical form");
  const others = report.sections.filter((section) => section !== canonical);
  box.replaceChildren(
    element("h2", {}, "Result"),
    element("div", { class: "asked" }, math(report.law, report.law, true), element("p", {}, ...given)),
    element("p", { class: `headline ${report.outcome}`, id: "headline" }, sentence(report.headline)),
    element("button", { type: "button", id: "to-pictures", class: "quiet", onclick: toPictures }, "See it move"),
    ...(canonical ? [canonicalStep(canonical)] : []),
    ...(report.parameters.length ? [verdicts(report.parameters, family)] : []),
    element("div", { class: "sections" }, ...others.map(sectionOf)),
    glossary(),
    exports_(reply, name),
  );
  box.hidden = false;
}

function toPictures() {
  byId("pictures").focus({ preventScroll: true });
  byId("pictures").scrollIntoView();
}

function canonicalStep(section) {
  return element(
    "aside",
    { class: "canonical", "aria-label": "Canonical form" },
    element("h3", {}, "First the canonical form"),
    element("p", {}, "Compare fits of this law only after this change of coordinate: before it, their parameters are not comparable."),
    element("ul", {}, ...section.lines.map((line) => element("li", {}, sentence(line)))),
  );
}

function verdicts(parameters, family) {
  const titles = ["Parameter", "Verdict", "In another fit", "Why"];
  const head = titles.map((title) => element("th", { scope: "col" }, title));
  const rows = parameters.map((parameter) => {
    const told = family && family.parameters[parameter.name];
    const name = element("th", { scope: "row" }, ...symbolAndName(parameter.latex, parameter.name));
    if (told && told.meaning) name.append(element("small", {}, told.meaning));
    const badge = element("span", { class: `badge ${parameter.status}` }, `${MARKS[parameter.status]} ${parameter.label}`);
    const cells = [[badge, element("small", {}, parameter.meaning)], [sentence(parameter.another)], [parameter.why]];
    const made = cells.map((cell, i) => element("td", { "data-title": titles[i + 1] }, ...cell));
    return element("tr", { "data-parameter": parameter.name, "data-status": parameter.status }, name, ...made);
  });
  return element("table", { class: "verdicts" }, element("caption", { class: "hidden" }, "Verdict for each parameter"), element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
}

function sectionOf(section) {
  const lines = element("ul", {}, ...section.lines.map((line) => element("li", {}, sentence(line))));
  const kind = section.title.toLowerCase().replace(/ /g, "-");
  if (FOLDED.includes(section.title)) {
    return element("details", { class: kind }, element("summary", {}, element("h3", {}, section.title)), lines);
  }
  return element("section", { class: kind, "aria-label": section.title }, element("h3", {}, section.title), lines);
}

// What the words of the shown result mean: the entries of `identify explain` that it uses.
function glossary() {
  const list = element("dl");
  const box = element("details", { class: "words" }, element("summary", {}, element("h3", {}, "What the words mean")), list);
  box.addEventListener("toggle", () => {
    if (!box.open || list.children.length) return;
    const said = [...box.parentNode.querySelectorAll(".headline, .canonical, .verdicts, .sections")].map((part) => part.textContent).join(" ");
    for (const { term, text } of wordsOf(said)) list.append(element("dt", {}, term), element("dd", {}, ...withCode(text)));
  });
  return box;
}

const withCode = (text) => text.split("`").map((piece, i) => (i % 2 ? element("code", {}, piece) : piece));

function wordsOf(said) {
  const uses = (word) => new RegExp(`(?<![\\w-])${word.replace(/[^\w\s-]/g, "\\$&").replace(/[ -]/g, "[ -]")}s?(?![\\w-])`, "i").test(said);
  return DATA.words.filter(({ term, also }) => [term, ...also].some((word) => word.length > 2 && uses(word)));
}

function exports_(reply, name) {
  const save = element("button", { type: "button", onclick: () => saved(`${name}.json`, reply.json, "application/json") }, "Download the certificate");
  const copies = [["LaTeX", "latex"], ["Markdown", "markdown"], ["JSON", "json"]].map(([title, key]) => copyButton(`Copy as ${title}`, () => reply[key]));
  return element("div", { class: "row exports" }, ...copies, save);
}
