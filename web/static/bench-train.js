// Trains a net by its own program: one sequence, drawn once and learned by heart, which any recurrence can be given.

const STEPS = 12, UPDATES = 300, RATE = 0.02;

// Numbers in [0, 1), the same at each call.
function drawing(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let z = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    z = (z + Math.imul(z ^ (z >>> 7), 61 | z)) ^ z;
    return ((z ^ (z >>> 14)) >>> 0) / 4294967296;
  };
}

// An array as the program takes it: rows of rows, a single number as a row of one.
function filled(shape, draw) {
  if (!shape.length) return [draw()];
  const [size, ...rest] = shape;
  return Array.from({ length: size }, () => (rest.length ? filled(rest, draw) : draw()));
}

// Every number of an array, and how to set it.
function numbers(array) {
  return [...array].flatMap((item, n) => (typeof item === "number" ? [[array, n]] : numbers(item)));
}

// Each weight's derivative in the order of the weights, and the loss.
function asked(gradient, arrays) {
  const [loss, ...parts] = gradient(...arrays);
  return { loss, slopes: parts.flatMap((part) => numbers(part).map(([row, n]) => row[n])) };
}

// How far a gradient is from central differences, relative to the largest of them: a truncated one can be 0.
function difference(gradient, arrays, weights, slopes) {
  const small = 1e-5;
  const differences = weights.map(([row, n]) => {
    const before = row[n];
    const [more, less] = [small, -small].map((change) => {
      row[n] = before + change;
      return asked(gradient, arrays).loss;
    });
    row[n] = before;
    return (more - less) / (2 * small);
  });
  const apart = differences.map((one, k) => Math.abs(one - slopes[k]));
  return Math.max(...apart) / Math.max(...differences.map(Math.abs));
}

// The loss after each update by Adam, and how far the first gradient is from differences of the loss.
export function train({ code, arrays }) {
  const gradient = new Function(`${code}\nreturn gradient;`)(); // the text that the library wrote
  const draw = drawing(1);
  const given = arrays.map(({ shape, timed, learned, target }) => {
    const value = learned ? () => draw() - 0.5 : target ? () => 0.1 + 0.8 * draw() : () => 2 * draw() - 1;
    return filled(timed ? [STEPS, ...shape] : shape, value);
  });
  const weights = given.flatMap((array, n) => (arrays[n].learned ? numbers(array) : []));
  const first = weights.map(() => 0), second = weights.map(() => 0), losses = [];
  let apart;
  for (let update = 1; update <= UPDATES; update++) {
    const { loss, slopes } = asked(gradient, given);
    apart ??= difference(gradient, given, weights, slopes);
    losses.push(loss);
    weights.forEach(([row, n], k) => {
      first[k] = 0.9 * first[k] + 0.1 * slopes[k];
      second[k] = 0.999 * second[k] + 0.001 * slopes[k] ** 2;
      const step = first[k] / (1 - 0.9 ** update), size = Math.sqrt(second[k] / (1 - 0.999 ** update));
      row[n] -= (RATE * step) / (size + 1e-8);
    });
  }
  return { losses, apart, weights: weights.length };
}
