// The catalogue: searched by words, narrowed by kind; a family fills the form and is analysed.
const EXAMPLES = [
  ["Cubic Duffing", "cubic-duffing"],
  ["Quadratic drag", "odd-quadratic-drag"],
  ["Overhead fall", "overhead-fall"],
];

class Gallery {
  constructor(families, chosen) {
    this.families = families;
    this.chosen = chosen;
    this.texts = families.map((family) => JSON.stringify(family).toLowerCase());
    byId("gallery-size").textContent = String(families.length);
    const tags = [...new Set(families.flatMap((family) => family.tags))].sort();
    byId("tag").append(element("option", { value: "" }, "all"), ...tags.map((tag) => element("option", { value: tag }, tag)));
    byId("search").addEventListener("input", () => this.show());
    byId("tag").addEventListener("change", () => this.show());
    byId("gallery").addEventListener("toggle", () => byId("gallery").open && this.show());
    byId("examples").append(...EXAMPLES.map(([title, name]) => this.example(title, this.named(name))));
  }

  named(name) {
    return this.families.find((family) => family.name === name);
  }

  // The family that asks this very question, for the meaning and example values of its parameters.
  match(question) {
    const same = (family) => family.law === question.law && JSON.stringify(family.conditions) === JSON.stringify(question.conditions);
    return this.families.find(same) || this.families.find((family) => family.law === question.law);
  }

  example(title, family) {
    return element("button", { type: "button", "data-family": family.name, onclick: () => this.chosen(family) }, title);
  }

  show() {
    const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const tag = byId("tag").value;
    const found = this.families.filter((family, i) => (!tag || family.tags.includes(tag)) && words.every((word) => this.texts[i].includes(word)));
    byId("gallery-count").textContent = found.length === 1 ? "1 law" : `${found.length} laws`;
    byId("families").replaceChildren(...found.map((family) => this.entry(family)));
  }

  entry(family) {
    const button = element(
      "button",
      { type: "button", "data-family": family.name, onclick: () => this.chosen(family) },
      element("strong", {}, family.title),
      element("code", {}, family.law),
      element("small", {}, family.tags.join(", ")),
    );
    return element("li", {}, button);
  }
}
