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
    ...(canonical ? [canonicalStep(canonical)] : []),
    ...(report.parameters.length ? [verdicts(report.parameters, family)] : []),
    element("div", { class: "sections" }, ...others.map(sectionOf)),
    exports_(reply, name),
  );
  box.hidden = false;
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
    const name = element("th", { scope: "row" }, math(parameter.latex, parameter.name));
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

function exports_(reply, name) {
  const save = element("button", { type: "button", onclick: () => saved(`${name}.json`, reply.json, "application/json") }, "Download the certificate");
  const copies = [["LaTeX", "latex"], ["Markdown", "markdown"], ["JSON", "json"]].map(([title, key]) => copyButton(`Copy as ${title}`, () => reply[key]));
  return element("div", { class: "row exports" }, ...copies, save);
}
