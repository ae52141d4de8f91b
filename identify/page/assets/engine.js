// The engine in its own thread. Cancelling ends the thread and starts another from the same bytes.
class Engine {
  constructor(told) {
    this.told = told; // told(state, progress): "loading", "ready", "failed"
    this.parts = {};
    for (const block of document.querySelectorAll("script.part")) {
      this.parts[block.id.slice(5)] = block.textContent;
      block.remove();
    }
    this.number = 0;
    this.waiting = new Map();
  }

  async start() {
    this.address = this.address || (await this.workerAddress());
    const worker = new Worker(this.address);
    this.worker = worker;
    this.ready = false;
    this.told("loading", { step: 0, of: 5, text: "starting" });
    worker.onmessage = ({ data }) => worker === this.worker && this.received(data);
    worker.onerror = (event) => worker === this.worker && this.broken(event.message || "it could not be started");
    const { worker: unused, ...parts } = this.parts;
    worker.postMessage({ kind: "start", parts, lock: DATA.lock });
  }

  async workerAddress() {
    const bytes = Uint8Array.from(atob(this.parts.worker), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return URL.createObjectURL(new Blob([await new Response(stream).arrayBuffer()], { type: "text/javascript" }));
  }

  received(data) {
    if (data.kind === "progress") this.told("loading", data);
    else if (data.kind === "ready") this.becomeReady();
    else if (data.kind === "answer") this.settle(data.id, JSON.parse(data.text));
    else this.broken(data.text);
  }

  becomeReady() {
    this.ready = true;
    this.told("ready");
    for (const [id, question] of this.waiting) this.send(id, question);
  }

  // A reply; null where it was cancelled.
  ask(request) {
    return new Promise((resolve) => {
      const id = ++this.number;
      this.waiting.set(id, { text: JSON.stringify(request), resolve });
      if (this.ready) this.send(id, this.waiting.get(id));
    });
  }

  send(id, question) {
    this.worker.postMessage({ kind: "question", id, text: question.text });
  }

  settle(id, reply) {
    const question = this.waiting.get(id);
    this.waiting.delete(id);
    if (question) question.resolve(reply);
  }

  // While the engine is still loading, nothing runs that would have to be ended.
  cancel() {
    for (const id of [...this.waiting.keys()]) this.settle(id, null);
    if (!this.ready) return;
    this.worker.terminate();
    this.start();
  }

  broken(text) {
    const wasReady = this.ready;
    this.worker.terminate();
    const message = `the engine stopped: ${text}`;
    for (const id of [...this.waiting.keys()]) this.settle(id, { error: { message, shown: message } });
    if (wasReady) this.start();
    else this.told("failed", { text: message });
  }
}
