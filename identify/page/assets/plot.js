// Axes for both pictures. On a narrow screen they are drawn narrower, so that their letters stay legible.
const NARROW = window.matchMedia("(max-width: 40rem)");
const plotWidth = () => (NARROW.matches ? 360 : 640);
const tickCount = () => (NARROW.matches ? 3 : 6);

function extent(lists, margin = 0.06) {
  let [low, high] = [Infinity, -Infinity];
  for (const list of lists) {
    for (const value of list) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (!(low < high)) [low, high] = Number.isFinite(low) ? [low - 1, low + 1] : [-1, 1];
  const more = (high - low) * margin;
  return [low - more, high + more];
}

function scale([low, high], [from, to]) {
  const place = (value) => from + ((value - low) / (high - low)) * (to - from);
  place.back = (pixel) => low + ((pixel - from) / (to - from)) * (high - low);
  return place;
}

function ticks([low, high], count = 5) {
  const raw = (high - low) / count;
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * unit).find((size) => size >= raw);
  const found = [];
  for (let i = Math.ceil(low / step); i * step <= high && found.length < 50; i++) found.push(i * step);
  return found;
}

function polyline(xs, ys, x, y) {
  let text = "";
  for (let i = 0; i < xs.length; i++) text += `${i ? "L" : "M"}${x(xs[i]).toFixed(1)} ${y(ys[i]).toFixed(1)}`;
  return text;
}

function axes(x, y, xRange, yRange, box, xTitle, yTitle) {
  const parts = [drawn("rect", { x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top, class: "frame" })];
  for (const value of ticks(xRange, tickCount())) {
    parts.push(drawn("line", { x1: x(value), x2: x(value), y1: box.bottom, y2: box.bottom + 5, class: "tick" }));
    parts.push(drawn("text", { x: x(value), y: box.bottom + 19, "text-anchor": "middle" }, figure(value, 3)));
  }
  for (const value of ticks(yRange, 4)) {
    parts.push(drawn("line", { x1: box.left - 5, x2: box.left, y1: y(value), y2: y(value), class: "tick" }));
    parts.push(drawn("text", { x: box.left - 8, y: y(value) + 4, "text-anchor": "end" }, figure(value, 3)));
  }
  parts.push(drawn("text", { x: (box.left + box.right) / 2, y: box.bottom + 38, "text-anchor": "middle" }, xTitle));
  const middle = (box.top + box.bottom) / 2;
  parts.push(drawn("text", { x: 14, y: middle, "text-anchor": "middle", transform: `rotate(-90 14 ${middle})` }, yTitle));
  return parts;
}
