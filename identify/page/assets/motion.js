// The motion of a law from one initial condition, by Dormand and Prince's method of order five.
const STAGES = [
  [1 / 5],
  [3 / 40, 9 / 40],
  [44 / 45, -56 / 15, 32 / 9],
  [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
  [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
  [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
];
const ERRORS = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40];
const TOLERANCE = 1e-10;
const MOST_STEPS = 20000;

// Samples at equal times; the motion ends early where it leaves `inside` or becomes no number.
function motion(acceleration, inside, start, duration, count = 400) {
  const path = { time: [0], state: [start[0]], velocity: [start[1]], whole: true };
  let [state, velocity] = start;
  let [time, step, steps] = [0, duration / count, 0];
  for (let sample = 1; sample <= count; sample++) {
    const target = (duration * sample) / count;
    while (target - time > duration * 1e-13) {
      const size = Math.min(step, target - time);
      const next = advanced(acceleration, state, velocity, size);
      if (++steps > MOST_STEPS || size < duration * 1e-12) return ended(path);
      if (next.error > 1 || Number.isNaN(next.error)) {
        step = size * (Number.isNaN(next.error) ? 0.2 : Math.max(0.2, 0.9 * next.error ** -0.2));
        continue;
      }
      [time, state, velocity] = [time + size, next.state, next.velocity];
      if (!inside(state)) return ended(path);
      step = size * Math.min(5, 0.9 * Math.max(next.error, 1e-8) ** -0.2);
    }
    time = target;
    path.time.push(target);
    path.state.push(state);
    path.velocity.push(velocity);
  }
  return path;
}

function ended(path) {
  path.whole = false;
  return path;
}

function advanced(acceleration, state, velocity, size) {
  const slopes = [[velocity, acceleration(state, velocity)]];
  let [z, v] = [state, velocity];
  for (const weights of STAGES) {
    [z, v] = [state, velocity];
    for (let i = 0; i < weights.length; i++) {
      z += size * weights[i] * slopes[i][0];
      v += size * weights[i] * slopes[i][1];
    }
    slopes.push([v, acceleration(z, v)]);
  }
  const error = [0, 1].map((k) => size * ERRORS.reduce((sum, weight, i) => sum + weight * slopes[i][k], 0));
  const scale = [Math.max(Math.abs(state), Math.abs(z), 1e-6), Math.max(Math.abs(velocity), Math.abs(v), 1e-6)];
  return { state: z, velocity: v, error: Math.max(...error.map((e, k) => Math.abs(e) / (TOLERANCE * scale[k]))) };
}

// The velocities with which a path passes a state, from the cubic through each pair of samples.
function crossings(path, level) {
  const found = [];
  for (let i = 1; i < path.time.length; i++) {
    const [before, after] = [path.state[i - 1] - level, path.state[i] - level];
    if (before === 0) found.push(path.velocity[i - 1]);
    else if (before * after < 0) found.push(crossing(path, i, level));
  }
  return found;
}

function crossing(path, i, level) {
  const width = path.time[i] - path.time[i - 1];
  const [z0, z1] = [path.state[i - 1], path.state[i]];
  const [m0, m1] = [width * path.velocity[i - 1], width * path.velocity[i]];
  const [cube, square] = [2 * z0 - 2 * z1 + m0 + m1, -3 * z0 + 3 * z1 - 2 * m0 - m1];
  const at = (s) => ((cube * s + square) * s + m0) * s + z0 - level;
  let [low, high] = [0, 1];
  for (let k = 0; k < 50; k++) {
    const middle = (low + high) / 2;
    if (at(low) * at(middle) <= 0) high = middle;
    else low = middle;
  }
  const s = (low + high) / 2;
  return ((3 * cube * s + 2 * square) * s + m0) / width;
}
