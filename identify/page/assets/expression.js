// Trees from the engine (numbers, names, [operation, ...arguments]) as functions of an array of values.
const FUNCTIONS = {
  sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan,
  sinh: Math.sinh, cosh: Math.cosh, tanh: Math.tanh, asinh: Math.asinh, acosh: Math.acosh, atanh: Math.atanh,
  exp: Math.exp, log: Math.log, abs: Math.abs, sign: Math.sign,
  cot: (x) => 1 / Math.tan(x), sec: (x) => 1 / Math.cos(x), csc: (x) => 1 / Math.sin(x),
  coth: (x) => 1 / Math.tanh(x), sech: (x) => 1 / Math.cosh(x), csch: (x) => 1 / Math.sinh(x),
  // As the engine has them: acot is odd, with a jump at zero.
  acot: (x) => (x === 0 ? Math.PI / 2 : Math.atan(1 / x)), asec: (x) => Math.acos(1 / x), acsc: (x) => Math.asin(1 / x),
  acoth: (x) => Math.atanh(1 / x), asech: (x) => Math.acosh(1 / x), acsch: (x) => Math.asinh(1 / x),
};

function compiled(tree, names) {
  if (typeof tree === "number") return () => tree;
  if (typeof tree === "string") {
    const place = names.indexOf(tree);
    if (place < 0) throw new Error(`no value for ${tree}`);
    return (values) => values[place];
  }
  const [operation, ...rest] = tree;
  const parts = rest.map((part) => compiled(part, names));
  if (operation === "+") return (values) => parts.reduce((sum, part) => sum + part(values), 0);
  if (operation === "*") return (values) => parts.reduce((product, part) => product * part(values), 1);
  if (operation === "**") return power(parts[0], parts[1], rest[1]);
  if (!Object.hasOwn(FUNCTIONS, operation) || parts.length !== 1) throw new Error(`no function ${operation}`);
  const apply = FUNCTIONS[operation];
  return (values) => apply(parts[0](values));
}

function power(base, exponent, tree) {
  if (tree === 2) return (values) => base(values) ** 2;
  if (tree === -1) return (values) => 1 / base(values);
  return (values) => Math.pow(base(values), exponent(values));
}

function holds(condition, names) {
  const value = compiled(condition.tree, names);
  const tests = { "!=": (x) => Math.abs(x) > 1e-12, "==": (x) => Math.abs(x) <= 1e-9, ">": (x) => x > 0, ">=": (x) => x >= -1e-12 };
  return (values) => tests[condition.relation](value(values));
}
