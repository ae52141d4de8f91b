// Coverage as in `identify coverage`: the rank of [phi_k(v_i)] over the velocities met at a state level.
const RANK_TOLERANCE = 1e-8;
const SEPARATION = 1e-4; // of simulated velocities, as a part of the largest speed at the levels

function distinct(velocities, separation) {
  const groups = [];
  for (const velocity of [...velocities].sort((a, b) => a - b)) {
    const last = groups[groups.length - 1];
    if (last && velocity - last[0] <= separation) last.push(velocity);
    else groups.push([velocity]);
  }
  const means = groups.map((group) => group.reduce((sum, v) => sum + v, 0) / group.length);
  return means.map((mean) => (Math.abs(mean) <= separation / 2 ? 0 : mean));
}

// Singular values by one-sided Jacobi rotations, after each column is scaled to length one.
function singularValues(columns) {
  const scaled = columns.map((column) => {
    const length = Math.hypot(...column);
    return column.map((entry) => (length > 0 ? entry / length : 0));
  });
  for (let sweep = 0; sweep < 60; sweep++) {
    let turned = false;
    for (let i = 0; i < scaled.length; i++) {
      for (let j = i + 1; j < scaled.length; j++) turned = rotated(scaled[i], scaled[j]) || turned;
    }
    if (!turned) break;
  }
  return scaled.map((column) => Math.hypot(...column)).sort((a, b) => b - a);
}

function rotated(one, other) {
  let [a, b, c] = [0, 0, 0];
  for (let k = 0; k < one.length; k++) {
    a += one[k] * one[k];
    b += other[k] * other[k];
    c += one[k] * other[k];
  }
  if (c * c <= 1e-32 * a * b) return false;
  const zeta = (b - a) / (2 * c);
  const t = (zeta >= 0 ? 1 : -1) / (Math.abs(zeta) + Math.hypot(1, zeta));
  const cosine = 1 / Math.hypot(1, t);
  for (let k = 0; k < one.length; k++) {
    [one[k], other[k]] = [cosine * (one[k] - t * other[k]), cosine * (t * one[k] + other[k])];
  }
  return true;
}

function rankAt(features, velocities) {
  if (!velocities.length) return 0;
  const columns = features.map((feature) => velocities.map((velocity) => feature([velocity])));
  return singularValues(columns).filter((value) => value > RANK_TOLERANCE).length;
}

// The rank at each of `count` levels inside the states that occur.
function coverage(features, paths, count = 41) {
  const states = paths.flatMap((path) => path.state);
  const [low, high] = [Math.min(...states), Math.max(...states)];
  const levels = Array.from({ length: count }, (_, i) => low + ((high - low) * (i + 0.5)) / count);
  const met = levels.map((level) => paths.flatMap((path) => crossings(path, level)));
  const speed = Math.max(0, ...met.flat().map(Math.abs));
  return levels.map((level, i) => {
    const velocities = distinct(met[i], SEPARATION * speed);
    return { level, velocities, rank: rankAt(features, velocities) };
  });
}
