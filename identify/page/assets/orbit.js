// A slider moves the law along its orbit; the video, and how well the moved law explains it, stay the same.
class Orbit {
  constructor(box, scene, verdicts, decided) {
    this.scene = scene;
    this.verdicts = verdicts;
    this.branches = scene.picture.branches;
    this.playing = false;
    this.moment = 0;
    this.box = box;
    box.replaceChildren(element("h3", {}, "One video, many laws"));
    if (!this.branches.length) {
      const why = decided ? "No other coordinate has an explicit map that could be drawn here." : "Which other coordinates fit this law was not decided, so that none is drawn.";
      box.append(element("p", {}, why));
      return;
    }
    this.branch = this.branches[0];
    this.build();
    scene.watch(() => this.reset());
    NARROW.addEventListener("change", () => this.box.isConnected && this.draw());
  }

  build() {
    this.intro = element("p");
    this.controls = element("div", { class: "sliders" });
    this.law = element("div", { class: "moved", role: "group", "aria-label": "The law of this fit" });
    this.drawing = drawn("svg", { role: "img", class: "plot" });
    this.said = element("p", { role: "status" });
    this.table = element("table", { class: "moving" });
    this.play = element("button", { type: "button", onclick: () => this.toggle() }, "Play the video");
    const back = element("button", { type: "button", onclick: () => this.reset() }, "Back to the true law");
    this.box.append(this.intro, ...this.chooser(), this.controls, this.law, this.drawing);
    const key = "Dots: the video, read with this ruler. Line: this fit's law, solved on its own. Dashed: the true law.";
    this.box.append(element("p", { class: "help" }, key), element("div", { class: "row" }, this.play, back), this.said, this.table);
  }

  chooser() {
    if (this.branches.length < 2) return [];
    const select = element("select", { id: "branch" });
    this.branches.forEach((branch, i) => {
      const title = branch.kind === "identity" ? "connected with the true law" : `another family of fits, ${i + 1}`;
      select.append(element("option", { value: i }, title));
    });
    select.addEventListener("change", () => {
      this.branch = this.branches[Number(select.value)];
      this.reset();
    });
    return [element("div", { class: "row" }, element("label", { for: "branch" }, "Fits"), select)];
  }

  // The values of the free symbols at the true law, or as near to it as the branch comes.
  home() {
    const found = {};
    for (const { name } of this.branch.integers) found[name] = 0;
    const open = [];
    for (const { name } of this.branch.free) {
      const parameter = name.replace(/_hat$/, "");
      if (name.endsWith("_hat") && parameter in this.scene.values) found[name] = this.scene.values[parameter];
      else open.push(name);
    }
    let best = null;
    for (let code = 0; code < 2 ** open.length; code++) {
      const trial = { ...found };
      open.forEach((name, i) => (trial[name] = (code >> i) & 1 ? 0 : 1));
      const distance = this.distance(trial);
      if (Number.isFinite(distance) && (best === null || distance < best.distance - 1e-9)) best = { trial, distance };
    }
    return best ? best.trial : null;
  }

  // How far the map is from the identity; infinite where it is none that a fit could have.
  distance(at) {
    const [z] = this.scene.starts[0];
    const other = z === 0 ? this.scene.size : 0.7 * z;
    const [one, two] = [z, other].map(this.mapped(at));
    if (!this.real(at) || one === two || !Object.values(this.reported(at)).every(Number.isFinite)) return Infinity;
    return Math.abs(one - z) + Math.abs(two - other);
  }

  reset() {
    if (!this.scene.usable) {
      this.said.textContent = "The law is not defined at any simple state with these numbers: change them.";
      return;
    }
    this.at = this.home();
    this.true = this.scene.path(this.scene.values, this.scene.starts[0]);
    this.begin = this.at;
    this.showSliders();
    this.draw();
  }

  numbers(at) {
    const parameters = this.scene.picture.parameters.map((name) => this.scene.values[name]);
    return [...parameters, 0, 0, ...this.symbols().map((name) => at[name])];
  }

  symbols() {
    return [...this.branch.free, ...this.branch.integers].map((symbol) => symbol.name);
  }

  mapped(at) {
    const value = compiled(this.branch.map, this.scene.names(this.symbols()));
    const numbers = this.numbers(at);
    const place = this.scene.picture.parameters.length;
    return (z) => {
      numbers[place] = z;
      return value(numbers);
    };
  }

  reported(at) {
    const [names, numbers] = [this.scene.names(this.symbols()), this.numbers(at)];
    const found = {};
    for (const [name, tree] of Object.entries(this.branch.parameters)) found[name] = compiled(tree, names)(numbers);
    return found;
  }

  real(at) {
    const [names, numbers] = [this.scene.names(this.symbols()), this.numbers(at)];
    return this.branch.conditions.every((condition) => holds(condition, names)(numbers));
  }

  showSliders() {
    this.intro.replaceChildren();
    if (!this.symbols().length) {
      this.intro.append("Nothing can be moved here: on this branch every fit reports the same law.");
    } else {
      this.intro.append("A network may measure the motion with any ruler ", math(`\\displaystyle ${this.branch.latex}`), ". Move it: the law changes, the video does not.");
    }
    this.controls.replaceChildren();
    if (!this.at) return;
    for (const symbol of this.branch.free) this.controls.append(this.slider(symbol, this.at[symbol.name]));
    for (const symbol of this.branch.integers) this.controls.append(this.slider(symbol, 0, true));
  }

  slider(symbol, home, whole = false) {
    const output = element("output", {}, figure(home));
    const shift = home === 0;
    const limits = whole ? { min: -2, max: 2, step: 1 } : { min: -100, max: 100, step: 1 };
    const input = element("input", { type: "range", ...limits, value: 0, "data-symbol": symbol.name, "aria-label": symbol.name });
    input.value = "0";
    input.addEventListener("input", () => {
      const turn = input.valueAsNumber;
      const value = whole ? turn : shift ? (turn / 100) * this.scene.size : home * 3 ** (turn / 100);
      this.at = { ...this.at, [symbol.name]: value };
      output.textContent = figure(value);
      input.setAttribute("aria-valuetext", figure(value));
      this.draw();
    });
    return element("label", { class: "slider" }, math(symbol.latex, symbol.name), input, output);
  }

  draw() {
    if (!this.at || !this.real(this.at)) {
      this.drawing.replaceChildren();
      this.law.replaceChildren();
      this.table.replaceChildren();
      this.said.textContent = "This family of fits is not real with these numbers.";
      return;
    }
    const map = this.mapped(this.at);
    const values = this.reported(this.at);
    const seen = this.true.state.map(map);
    const step = this.scene.size * 1e-5;
    const [z, v] = this.scene.starts[0];
    const slope = (map(z + step) - map(z - step)) / (2 * step);
    const own = this.ownPath(values, [map(z), slope * v], seen);
    this.seen = seen;
    this.showLaw(values);
    this.showPlot(map, seen, own);
    this.showTable(values);
    this.tell(values, seen, own);
  }

  // The moved law, integrated on its own: no use is made of the true motion but for its first state.
  ownPath(values, start, seen) {
    const size = Math.max(...seen.map(Math.abs)) || 1;
    const law = this.scene.law(values);
    const path = motion(law, (state) => Math.abs(state) < 40 * size, start, this.scene.duration);
    return { time: path.time.slice(0, seen.length), state: path.state.slice(0, seen.length) };
  }

  showLaw(values) {
    const { template, symbols } = this.scene.picture;
    if (!template) return;
    const text = template.replace(/\x02([^\x03]*)\x03/g, (_, name) => {
      const number = latexFigure(values[name]);
      return this.moved(name, values) ? `\\boldsymbol{${number}}` : number;
    });
    this.law.replaceChildren(math(text, Object.keys(symbols).map((name) => `${name} = ${figure(values[name])}`).join(", "), true));
  }

  moved(name, values) {
    const before = this.scene.values[name];
    return Math.abs(values[name] - before) > 1e-9 * Math.abs(before);
  }

  showPlot(map, seen, own) {
    const path = this.true;
    const right = plotWidth() - 20;
    const stage = { left: 70, right, top: 60, bottom: 120 };
    const box = { left: 70, right, top: 190, bottom: 380 };
    this.drawing.setAttribute("viewBox", `0 0 ${plotWidth()} 430`);
    const range = extent([path.state]);
    const place = scale(range, [stage.left + 14, stage.right - 14]);
    const times = [0, path.time.length > 1 ? path.time[path.time.length - 1] : this.scene.duration];
    const heights = extent([seen, path.state]);
    const [x, y] = [scale(times, [box.left, box.right]), scale(heights, [box.bottom, box.top])];
    const dots = drawn("g", { class: "dots" });
    for (let i = 0; i < seen.length; i += 10) dots.append(drawn("circle", { cx: x(path.time[i]), cy: y(seen[i]), r: 3 }));
    this.ball = drawn("circle", { cy: 90, r: 11, class: "ball" });
    this.cursor = drawn("line", { y1: box.top, y2: box.bottom, class: "cursor" });
    this.toPlace = place;
    this.toTime = x;
    const state = this.scene.picture.state;
    this.drawing.replaceChildren(
      drawn("title", {}, "The video between the ruler of the scene and that of the fit, and the fitted coordinate over time"),
      drawn("text", { x: stage.left, y: 14 }, `the video, with the scene's own ruler: true ${state}`),
      ...this.ruler((z) => z, range, place, stage, stage.top - 6, -1),
      drawn("rect", { x: stage.left, y: stage.top, width: right - stage.left, height: stage.bottom - stage.top, class: "stage" }),
      this.ball,
      ...this.ruler(map, range, place, stage, stage.bottom + 6, 1),
      drawn("text", { x: stage.left, y: 168 }, `the ruler of this fit: fitted ${state}`),
      ...axes(x, y, times, heights, box, "time", `fitted ${state}`),
      drawn("path", { d: polyline(path.time, path.state, x, y), class: "before" }),
      drawn("path", { d: polyline(own.time, own.state, x, y), class: "curve" }),
      dots,
      this.cursor,
    );
    this.show(this.moment);
  }

  // Marks of a coordinate at the places of the video where they lie, their numbers above (-1) or below (1) the line.
  ruler(map, range, place, stage, y, side) {
    const samples = Array.from({ length: 201 }, (_, i) => range[0] + ((range[1] - range[0]) * i) / 200);
    const marks = samples.map(map);
    const finite = marks.filter(Number.isFinite);
    const parts = [drawn("line", { x1: stage.left, x2: stage.right, y1: y, y2: y, class: "tick" })];
    for (const value of ticks(extent([finite], 0), tickCount() + 1)) {
      const i = marks.findIndex((mark, k) => k > 0 && (marks[k - 1] - value) * (mark - value) <= 0);
      if (i < 0) continue;
      const share = marks[i] === marks[i - 1] ? 0 : (value - marks[i - 1]) / (marks[i] - marks[i - 1]);
      const at = place(samples[i - 1] + share * (samples[i] - samples[i - 1]));
      parts.push(drawn("line", { x1: at, x2: at, y1: y, y2: y + 8 * side, class: "tick" }));
      parts.push(drawn("text", { x: at, y: y + (side > 0 ? 22 : -11), "text-anchor": "middle" }, figure(value, 3)));
    }
    return parts;
  }

  showTable(values) {
    const rows = this.scene.picture.parameters.map((name) => {
      const moved = this.moved(name, values);
      return element(
        "tr",
        { class: moved ? "changed" : "same" },
        element("th", { scope: "row" }, ...symbolAndName(this.scene.picture.symbols[name], name)),
        element("td", {}, figure(this.scene.values[name])),
        element("td", {}, figure(values[name]) + (moved ? " (changed)" : "")),
        element("td", {}, this.verdicts[name] || ""),
      );
    });
    const head = ["parameter", "true law", "this fit", "verdict"].map((title) => element("th", { scope: "col" }, title));
    this.table.replaceChildren(element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
  }

  tell(values, seen, own) {
    const [low, high] = extent([seen], 0);
    let worst = 0;
    for (let i = 0; i < own.state.length; i++) worst = Math.max(worst, Math.abs(seen[i] - own.state[i]));
    const changed = this.scene.picture.parameters.filter((name) => this.moved(name, values));
    const what = changed.length
      ? `${changed.map((name) => `${name} is ${figure(values[name])} instead of ${figure(this.scene.values[name])}`).join("; ")}.`
      : "All parameters have their true values.";
    const share = own.state.length < seen.length - 1 ? Infinity : Math.max(worst / (high - low), 1e-12);
    const close = share < 1e-6 ? "better than a millionth" : figure(share, 2);
    const held = Number.isFinite(share) ? `follows the video to ${close} of the motion's size` : "could not be followed to the end of the video";
    this.said.textContent = `${what} Solved on its own, this law ${held}.`;
    this.said.dataset.mismatch = String(share);
  }

  show(moment) {
    if (!this.ball || !this.true) return;
    const i = Math.min(Math.floor(moment * this.true.time.length), this.true.time.length - 1);
    this.ball.setAttribute("cx", this.toPlace(this.true.state[i]));
    this.cursor.setAttribute("x1", this.toTime(this.true.time[i]));
    this.cursor.setAttribute("x2", this.toTime(this.true.time[i]));
  }

  toggle() {
    this.playing = !this.playing;
    this.play.textContent = this.playing ? "Pause the video" : "Play the video";
    const length = Math.min(Math.max(this.scene.duration, 3), 10) * 1000;
    let last = null;
    const frame = (now) => {
      if (!this.playing || !this.box.isConnected) return;
      if (last !== null) this.moment = (this.moment + (now - last) / length) % 1;
      last = now;
      this.show(this.moment);
      requestAnimationFrame(frame);
    };
    if (this.playing) requestAnimationFrame(frame);
  }

  stop() {
    this.playing = false;
  }
}
