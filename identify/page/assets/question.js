// The question: law, conditions, anchors and switches; kept in the form, in the address and in the list of last laws.
const ANCHORS = ["amplitude", "displacement", "state", "origin", "equilibrium", "size", "velocity", "speed", "acceleration", "frame-rate", "period"];
const RECENT = "identify.recent";
const MOST_RECENT = 8;
const MOST_TEXTS = 20;

class Chips {
  constructor(id, told, changed) {
    this.list = byId(`${id}s`);
    this.input = byId(id);
    this.told = told;
    this.changed = changed;
    this.texts = [];
    byId(`${id}-add`).addEventListener("click", () => this.take());
    this.input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.take();
    });
  }

  // Adds what stands in the field, if anything does.
  take() {
    const text = this.input.value.trim();
    if (!text || this.texts.length >= MOST_TEXTS) return;
    this.input.value = "";
    if (!this.texts.includes(text)) this.texts.push(text);
    this.show();
    this.changed();
  }

  set(texts) {
    this.texts = [...texts];
    this.show();
  }

  show(errors = {}, formulas = {}) {
    const chips = this.texts.map((text, i) => {
      const button = element("button", { type: "button", "aria-label": `Remove ${text}` }, "×");
      button.addEventListener("click", () => this.remove(i));
      const face = formulas[text] ? math(formulas[text], text) : element("code", {}, text);
      return element("li", { class: errors[text] ? "chip wrong" : "chip", "data-text": text }, face, button);
    });
    this.list.replaceChildren(...chips);
  }

  remove(i) {
    this.texts.splice(i, 1);
    this.show();
    this.changed();
    const next = this.list.querySelectorAll("button")[Math.min(i, this.texts.length - 1)];
    (next || this.input).focus();
  }
}

class Question {
  constructor(changed) {
    this.law = byId("law");
    this.conditions = new Chips("condition", "condition", changed);
    this.anchors = new Chips("anchor", "measurement", changed);
    this.strata = byId("strata");
    this.clock = byId("clock");
    byId("anchor-list").append(...ANCHORS.map((kind) => element("option", { value: kind })));
    this.law.addEventListener("input", changed);
    for (const box of [this.strata, this.clock]) box.addEventListener("change", changed);
  }

  read() {
    return {
      law: this.law.value.trim(),
      conditions: [...this.conditions.texts],
      anchors: [...this.anchors.texts],
      strata: this.strata.checked,
      unknown_clock: this.clock.checked,
    };
  }

  write(asked) {
    this.law.value = asked.law;
    this.conditions.set(asked.conditions);
    this.anchors.set(asked.anchors);
    this.strata.checked = asked.strata;
    this.clock.checked = asked.unknown_clock;
  }

  takeWaiting() {
    this.conditions.take();
    this.anchors.take();
  }
}

const asked = (law, conditions = [], anchors = []) => ({ law, conditions, anchors, strata: false, unknown_clock: false });

const sameQuestion = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function toFragment(question) {
  const fields = new URLSearchParams({ law: question.law });
  for (const text of question.conditions) fields.append("given", text);
  for (const text of question.anchors) fields.append("anchor", text);
  if (question.strata) fields.set("strata", "1");
  if (question.unknown_clock) fields.set("clock", "1");
  return `#${fields}`;
}

// Whatever stands in an address is text of a stranger: lengths and counts are bounded before anything is done with it.
function fromFragment(fragment) {
  if (fragment.length > 20000) return null;
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const law = (fields.get("law") || "").slice(0, 4000).trim();
  if (!law) return null;
  const some = (key) => fields.getAll(key).slice(0, MOST_TEXTS).map((text) => text.slice(0, 400));
  return { law, conditions: some("given"), anchors: some("anchor"), strata: fields.has("strata"), unknown_clock: fields.has("clock") };
}

// The last laws are kept as fragments, so that they are read with the same care.
function lastLaws() {
  try {
    const kept = JSON.parse(localStorage.getItem(RECENT) || "[]");
    return Array.isArray(kept) ? kept.filter((text) => typeof text === "string" && fromFragment(text)).slice(0, MOST_RECENT) : [];
  } catch {
    return [];
  }
}

function remember(question) {
  const fragment = toFragment(question);
  keep([fragment, ...lastLaws().filter((kept) => kept !== fragment)].slice(0, MOST_RECENT));
}

function keep(fragments) {
  try {
    if (fragments.length) localStorage.setItem(RECENT, JSON.stringify(fragments));
    else localStorage.removeItem(RECENT);
  } catch {
    // A browser that keeps nothing for pages from disk: the list is then empty, and nothing else changes.
  }
}
