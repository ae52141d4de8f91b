// The phase plane: initial conditions are dragged, and each state is coloured by the rank that its velocities reach.
class Phase {
  constructor(box, scene) {
    this.scene = scene;
    const { features, state } = scene.picture;
    box.replaceChildren(element("h3", {}, "What to film: drag the initial conditions"));
    if (!features.length) {
      box.append(element("p", {}, "No theorem gives a rank condition for this law."));
      return;
    }
    this.features = features.map((tree) => compiled(tree, ["v"]));
    this.need = features.length;
    this.drawing = drawn("svg", { class: "plot", role: "group", "aria-label": `Phase plane: ${state} to the right, its velocity upwards` });
    this.said = element("p", { role: "status" });
    const help = `Each circle is a clip's start. Drag it, or focus it and use the arrow keys (with Shift: faster; Delete removes it). Where the strip is full, enough different velocities meet: rank ${this.need}.`;
    const add = element("button", { type: "button", onclick: () => this.add() }, "Add a clip");
    const drop = element("button", { type: "button", onclick: () => this.remove(this.scene.starts.length - 1) }, "Remove the last");
    box.append(element("p", { class: "help" }, help), this.drawing, this.legend(), element("div", { class: "row" }, add, drop), this.said);
    this.drawing.addEventListener("pointermove", (event) => this.dragged(event));
    for (const end of ["pointerup", "pointercancel"]) this.drawing.addEventListener(end, () => this.released());
    scene.watch(() => this.redraw(true));
    NARROW.addEventListener("change", () => this.drawing.isConnected && this.redraw(true));
  }

  legend() {
    const entries = [["full", `rank ${this.need}: enough`], ["short", `rank ${this.need - 1}`], ["low", "less"], ["none", "no clip passes"]];
    return element("ul", { class: "legend", "aria-label": "Colours" }, ...entries.map(([kind, text]) => element("li", {}, element("span", { class: `key ${kind}` }), text)));
  }

  kind(rank) {
    if (rank === this.need) return "full";
    if (rank === 0) return "none";
    return rank === this.need - 1 ? "short" : "low";
  }

  redraw(fit) {
    if (!this.scene.usable || !this.drawing) return;
    const paths = this.scene.starts.map((start) => this.scene.path(this.scene.values, start));
    if (fit) {
      this.box = { left: 70, right: plotWidth() - 20, top: 14, bottom: 330 };
      this.drawing.setAttribute("viewBox", `0 0 ${plotWidth()} 380`);
      this.xRange = extent(paths.map((path) => path.state), 0.12);
      this.yRange = extent([...paths.map((path) => path.velocity), [0]], 0.12);
      this.x = scale(this.xRange, [this.box.left, this.box.right]);
      this.y = scale(this.yRange, [this.box.bottom, this.box.top]);
    }
    const levels = coverage(this.features, paths);
    const { state } = this.scene.picture;
    this.handles = this.scene.starts.map((start, i) => this.handle(start, i));
    const focused = this.focused();
    this.drawing.replaceChildren(
      drawn("defs", {}, drawn("clipPath", { id: "plane" }, drawn("rect", { x: this.box.left, y: this.box.top, width: this.box.right - this.box.left, height: this.box.bottom - this.box.top }))),
      drawn("g", { "clip-path": "url(#plane)" }, ...this.strips(levels), ...paths.map((path) => drawn("path", { d: polyline(path.state, path.velocity, this.x, this.y), class: "curve" }))),
      ...axes(this.x, this.y, this.xRange, this.yRange, this.box, state, `velocity of ${state}`),
      ...this.handles,
    );
    if (focused >= 0 && this.handles[focused]) this.handles[focused].focus();
    this.tell(levels);
  }

  focused() {
    const handle = document.activeElement && document.activeElement.closest ? document.activeElement.closest("[data-start]") : null;
    return handle ? Number(handle.dataset.start) : -1;
  }

  // A colour for the whole height, and a bar at the foot whose height is the rank: no one needs the colours.
  strips(levels) {
    const width = levels.length > 1 ? this.x(levels[1].level) - this.x(levels[0].level) : 4;
    const full = this.box.bottom - this.box.top;
    return levels.flatMap(({ level, rank, velocities }) => {
      const left = this.x(level) - width / 2;
      const kind = this.kind(rank);
      const height = (22 * rank) / this.need;
      const told = drawn("title", {}, `${this.scene.picture.state} = ${figure(level, 3)}: ${velocities.length} velocities, rank ${rank} of ${this.need}`);
      return [
        drawn("rect", { x: left, y: this.box.top, width, height: full, class: `strip ${kind}`, "data-rank": rank }, told),
        drawn("rect", { x: left, y: this.box.bottom - height, width, height, class: `foot ${kind}` }),
      ];
    });
  }

  handle([z, v], i) {
    const at = { cx: this.x(z), cy: this.y(v) };
    const { state } = this.scene.picture;
    const told = `${state} ${figure(z, 3)}, velocity ${figure(v, 3)}`;
    const node = drawn(
      "g",
      { class: "handle", tabindex: 0, role: "slider", "data-start": i, "aria-label": `Start of clip ${i + 1}`, "aria-valuenow": z, "aria-valuemin": this.xRange[0], "aria-valuemax": this.xRange[1], "aria-valuetext": told },
      drawn("circle", { ...at, r: 20, class: "grip" }),
      drawn("circle", { ...at, r: 8, class: "dot" }),
      drawn("text", { x: at.cx + 12, y: at.cy - 10 }, String(i + 1)),
    );
    node.addEventListener("pointerdown", (event) => {
      this.dragging = i;
      this.drawing.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    node.addEventListener("keydown", (event) => this.pressed(event, i));
    return node;
  }

  dragged(event) {
    if (this.dragging === undefined) return;
    const frame = this.drawing.getBoundingClientRect();
    const factor = plotWidth() / frame.width;
    this.move(this.dragging, this.x.back((event.clientX - frame.left) * factor), this.y.back((event.clientY - frame.top) * factor));
  }

  released() {
    if (this.dragging === undefined) return;
    this.dragging = undefined;
    this.scene.changed();
  }

  pressed(event, i) {
    const turns = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };
    if (event.key === "Delete" || event.key === "Backspace") this.remove(i);
    else if (turns[event.key]) {
      const part = event.shiftKey ? 0.1 : 0.02;
      const [right, up] = turns[event.key];
      const [z, v] = this.scene.starts[i];
      this.move(i, z + right * part * (this.xRange[1] - this.xRange[0]), v + up * part * (this.yRange[1] - this.yRange[0]));
      if (i === 0) this.later();
    } else return;
    event.preventDefault();
  }

  // The other picture follows the first clip, once the keys rest.
  later() {
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.scene.changed(), 400);
  }

  move(i, z, v) {
    const law = this.scene.law(this.scene.values);
    if (!this.scene.admits(this.scene.values, z) || !Number.isFinite(law(z, v))) return;
    this.scene.starts[i] = [z, v];
    this.redraw(false);
  }

  add() {
    if (this.scene.starts.length >= 8) return;
    const [z, v] = this.scene.starts[this.scene.starts.length - 1];
    const law = this.scene.law(this.scene.values);
    const trials = [[0.7 * z, 1.5 * v + 0.1 * this.yRange[1]], [0.8 * z, 0], [z, v]];
    this.scene.starts.push(trials.find(([a, b]) => this.scene.admits(this.scene.values, a) && Number.isFinite(law(a, b))) || [z, v]);
    this.scene.changed();
  }

  remove(i) {
    if (this.scene.starts.length < 2) return;
    this.scene.starts.splice(i, 1);
    this.scene.changed();
  }

  tell(levels) {
    const enough = levels.filter((level) => level.rank === this.need).length;
    const runs = [];
    levels.forEach((level, i) => {
      if (level.rank !== this.need) return;
      if (i && levels[i - 1].rank === this.need) runs[runs.length - 1][1] = level.level;
      else runs.push([level.level, level.level]);
    });
    const where = runs.filter(([a, b]) => a < b).map(([a, b]) => `${figure(a, 3)} to ${figure(b, 3)}`).join(", ");
    const next = enough === levels.length ? "" : " Add a clip, or start one faster or the other way.";
    this.said.textContent = `Enough velocities at ${enough} of ${levels.length} states${where ? ` (${where})` : ""}.${next}`;
  }
}
