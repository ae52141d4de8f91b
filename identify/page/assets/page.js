// The page: what is typed is previewed, what is asked is analysed, what is answered is shown.
const DATA = JSON.parse(byId("data").textContent);
byId("version").textContent = DATA.version;

const engine = new Engine(showEngine);
const question = new Question(() => later());
const gallery = new Gallery(DATA.families, (family) => {
  question.write(asked(family.law, family.conditions));
  byId("law").scrollIntoView({ block: "center" });
  analyse();
});
let orbit = null;
let timer = 0;
let running = 0;
let answers = 0;
const ERROR_BOXES = ["law-error", "condition-error", "anchor-error"];

function showEngine(state, progress) {
  const bar = byId("engine-progress");
  bar.hidden = state !== "loading";
  if (state === "loading") bar.value = progress.step;
  const texts = {
    loading: () => `Loading the engine: ${progress.text} (step ${Math.min(Math.floor(progress.step) + 1, progress.of)} of ${progress.of}).`,
    ready: () => "The engine is ready.",
    failed: () => `The engine could not be started: ${progress.text}. Any browser of the last two years should do.`,
  };
  byId("engine-text").textContent = texts[state]();
  byId("engine").dataset.state = state;
  if (state === "ready") preview();
}

function showError(id, error) {
  const box = byId(id);
  box.hidden = !error;
  box.textContent = error ? error.shown : "";
}

function later() {
  showError("anchor-error", null);
  clearTimeout(timer);
  timer = setTimeout(preview, 150);
}

async function preview() {
  const now = question.read();
  if (!now.law || !engine.ready) {
    if (!now.law) byId("preview").replaceChildren();
    showError("law-error", null);
    return;
  }
  const reply = await engine.ask({ kind: "preview", ...now });
  if (!reply || !sameQuestion(now, question.read())) return;
  showError("law-error", reply.error);
  byId("law").setAttribute("aria-invalid", String(Boolean(reply.error)));
  if (reply.error) byId("preview").replaceChildren();
  else showPreview(reply);
}

function showPreview(reply) {
  byId("preview").replaceChildren(math(reply.latex, question.read().law, true));
  const [errors, formulas] = [{}, {}];
  for (const condition of reply.conditions) {
    if (condition.error) errors[condition.text] = condition.error;
    else formulas[condition.text] = condition.latex;
  }
  question.conditions.show(errors, formulas);
  showError("condition-error", Object.values(errors)[0]);
  const names = [...reply.parameters.map((parameter) => parameter.name), reply.state];
  byId("condition-list").replaceChildren(...names.flatMap((name) => [`${name} != 0`, `${name} > 0`]).map((value) => element("option", { value })));
}

async function analyse() {
  question.takeWaiting();
  const now = question.read();
  if (!now.law) {
    showError("law-error", { shown: "type a law first, such as z'' + a*z = 0" });
    byId("law").focus();
    return;
  }
  history.replaceState(null, "", toFragment(now));
  const stop = showBusy();
  preview();
  const reply = await engine.ask({ kind: "analyze", ...now });
  if (!stop()) return; // a newer question stands; its answer will come
  if (reply === null) {
    byId("busy").textContent = "Cancelled.";
    return;
  }
  for (const id of ERROR_BOXES) showError(id, id === placeOf(reply.error, now) ? reply.error : null);
  if (!reply.error) showAnswer(now, reply);
}

// Where an error is told: at the text that it is about.
function placeOf(error, now) {
  if (!error) return null;
  if (error.text === now.law) return "law-error";
  if (now.anchors.some((text) => error.text && text.includes(error.text))) return "anchor-error";
  return now.conditions.includes(error.text) ? "condition-error" : "law-error";
}

function showBusy() {
  const started = performance.now();
  const mine = ++running;
  const [text, cancel] = [byId("busy"), byId("cancel")];
  const tell = () => {
    const seconds = Math.floor((performance.now() - started) / 1000);
    if (mine === running) text.textContent = engine.ready ? `Analysing${seconds ? ` for ${seconds} s` : ""} …` : "Waiting for the engine …";
  };
  tell();
  cancel.hidden = false;
  byId("result").classList.add("old");
  const clock = setInterval(tell, 1000);
  return () => {
    clearInterval(clock);
    if (mine !== running) return false;
    text.textContent = "";
    cancel.hidden = true;
    byId("result").classList.remove("old");
    return true;
  };
}

function showAnswer(now, reply) {
  const family = gallery.match(now);
  if (orbit) orbit.stop();
  showReport(byId("result"), reply, family, family ? family.name : "analysis");
  showPictures(reply, family);
  remember(now);
  showRecent();
  byId("result").dataset.answer = String(++answers);
  if (!sameQuestion(now, question.read())) return; // who types on is not interrupted
  byId("result").focus({ preventScroll: true });
  byId("result").scrollIntoView({ block: "start" });
}

function showPictures(reply, family) {
  const { picture, report } = reply;
  const box = byId("pictures");
  box.hidden = Boolean(picture.refused) || report.outcome === "unsupported";
  byId("to-pictures").hidden = box.hidden;
  if (box.hidden) return;
  const examples = {};
  for (const [name, told] of Object.entries(family ? family.parameters : {})) examples[name] = told.example;
  const labels = Object.fromEntries(report.parameters.map((parameter) => [parameter.name, parameter.label]));
  const scene = new Scene(picture, examples, family ? lengthsOf(family) : []);
  showNumbers(byId("numbers"), scene);
  orbit = new Orbit(byId("orbit"), scene, labels, report.outcome === "done");
  new Phase(byId("phase"), scene);
}

// Example values that are lengths of the state, or their inverses: they tell at which scale the family lives.
function lengthsOf(family) {
  if (!family.unit || family.unit === "1") return [];
  const found = [];
  for (const { unit, example } of Object.values(family.parameters)) {
    if (unit === family.unit) found.push(Math.abs(example));
    else if (unit === `1/${family.unit}`) found.push(1 / Math.abs(example));
  }
  return found.filter((length) => Number.isFinite(length) && length > 0);
}

function showRecent() {
  const kept = lastLaws();
  byId("recent-box").hidden = !kept.length;
  const buttons = kept.map((fragment) => {
    const past = fromFragment(fragment);
    return element("button", { type: "button", onclick: () => open(past) }, element("code", {}, past.law));
  });
  byId("recent").replaceChildren(...buttons);
}

function open(past) {
  question.write(past);
  analyse();
}

function fromAddress() {
  const past = fromFragment(location.hash);
  if (past) open(past);
}

byId("question").addEventListener("submit", (event) => {
  event.preventDefault();
  analyse();
});
byId("law").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey) return;
  event.preventDefault();
  analyse();
});
byId("cancel").addEventListener("click", () => {
  engine.cancel();
  byId("law").focus();
});
byId("link").addEventListener("click", async () => {
  question.takeWaiting();
  history.replaceState(null, "", toFragment(question.read()));
  byId("busy").textContent = (await copied(location.href)) ? "The link is copied." : "The link stands in the address bar.";
});
byId("forget").addEventListener("click", () => {
  keep([]);
  showRecent();
});
window.addEventListener("hashchange", fromAddress);

showRecent();
fromAddress();
engine.start();
