// What both pictures show: the law with numbers for its parameters, some initial conditions, a duration.
class Scene {
  constructor(picture, examples, lengths) {
    this.picture = picture;
    this.lengths = lengths;
    this.values = {};
    for (const name of picture.parameters) {
      const example = examples[name];
      const known = picture.values ? picture.values[name] : 1;
      this.values[name] = Number.isFinite(example) ? example : known;
    }
    this.watchers = [];
    this.restart();
  }

  watch(changed) {
    this.watchers.push(changed);
    changed();
  }

  changed() {
    for (const watcher of this.watchers) watcher();
  }

  set(name, value) {
    this.values[name] = value;
    this.restart();
    this.changed();
  }

  // Initial conditions and a duration to begin with, from the law's own scales of length and time.
  restart() {
    const law = this.law(this.values);
    const usable = (z) => this.admits(this.values, z) && Number.isFinite(law(z, 0)) && Number.isFinite(law(z, 1e-9 * z));
    const centre = this.rest(law, usable);
    const places = [...(centre ? [1.3 * centre] : this.lengths), 1, 0.5, 2, 0.2, -0.5, 5, 0.1, -2, 10, 0.02, 50, 0];
    const place = places.find((z) => usable(z) && law(z, 0) !== 0) ?? places.find(usable);
    this.usable = place !== undefined;
    if (!this.usable) return;
    this.size = Math.abs(place - (centre || 0)) || 1;
    const force = Math.abs(law(place, 0)) || Math.abs(law(place, this.size)) || this.size;
    const unit = Math.sqrt(this.size / force);
    this.duration = Number((10 * unit).toPrecision(2));
    const second = centre === null ? 0.6 * place : centre - 0.4 * (place - centre);
    this.starts = [[place, 0], [usable(second) ? second : 0.8 * place, Number(((0.6 * this.size) / unit).toPrecision(2))]];
  }

  // Where the law holds the state at rest: zero, else the nearest stable state on a wide scale; null where there is none.
  rest(law, usable) {
    if (usable(0) && Math.abs(law(0, 0)) <= 1e-12 * Math.abs(law(1, 0))) return 0;
    for (const side of [1, -1]) {
      let before = null;
      for (let k = -96; k <= 104; k++) {
        const z = side * 10 ** (k / 8);
        const force = usable(z) ? side * law(z, 0) : NaN;
        if (before > 0 && force < 0) return side * 10 ** ((k - 0.5) / 8);
        before = force;
      }
    }
    return null;
  }

  names(more = []) {
    return [...this.picture.parameters, this.picture.state, this.picture.velocity, ...more];
  }

  // The acceleration as a function of state and velocity, for given parameter values.
  law(values) {
    const value = compiled(this.picture.acceleration, this.names());
    const numbers = this.picture.parameters.map((name) => values[name]);
    const place = numbers.length;
    return (z, v) => {
      numbers[place] = z;
      numbers[place + 1] = v;
      return value(numbers);
    };
  }

  admits(values, z) {
    const numbers = [...this.picture.parameters.map((name) => values[name]), z, 0];
    return this.picture.domain.every((condition) => condition.relation === "==" || holds(condition, this.names())(numbers));
  }

  // The assumption that the numbers break, if any.
  broken() {
    const numbers = [...this.picture.parameters.map((name) => this.values[name]), 0, 0];
    return this.picture.assumptions.find((condition) => !holds(condition, this.names())(numbers));
  }

  path(values, start) {
    const limit = 40 * Math.max(this.size, Math.abs(start[0]));
    const tests = this.picture.domain.filter((c) => c.relation !== "==").map((c) => holds(c, this.names()));
    const numbers = [...this.picture.parameters.map((name) => values[name]), 0, 0];
    const place = numbers.length - 2;
    const inside = (z) => {
      numbers[place] = z;
      return Math.abs(z) < limit && tests.every((test) => test(numbers));
    };
    return motion(this.law(values), inside, start, this.duration);
  }
}

// Number fields for the parameters; what they say is shown by the pictures at once.
function showNumbers(box, scene) {
  const note = element("p", { class: "error", role: "alert", hidden: true });
  const told = () => {
    const broken = scene.broken();
    note.hidden = !broken;
    note.replaceChildren();
    if (broken) note.append("These numbers break the condition ", math(broken.latex, broken.text), ".");
  };
  const field = (label, name, value, set) => {
    const input = element("input", { type: "number", step: "any", value: Number(value.toPrecision(6)), "aria-label": name });
    input.addEventListener("input", () => {
      if (input.value.trim() === "" || !Number.isFinite(input.valueAsNumber)) return;
      set(input.valueAsNumber);
      told();
    });
    return element("label", {}, label, input);
  };
  const fields = scene.picture.parameters.map((name) =>
    field(math(scene.picture.symbols[name], name), name, scene.values[name], (value) => scene.set(name, value)),
  );
  const lasting = field("seconds shown", "seconds shown", scene.duration || 1, (value) => {
    if (value <= 0) return;
    scene.duration = value;
    scene.changed();
  });
  scene.watch(() => {
    const input = lasting.querySelector("input");
    if (document.activeElement !== input) input.value = scene.duration;
  });
  box.replaceChildren(
    element("h2", {}, "See it move"),
    element("p", { class: "help" }, "Any numbers will do: the pictures show what holds for all of them."),
    element("div", { class: "numbers" }, ...fields, lasting),
    note,
  );
  told();
}
