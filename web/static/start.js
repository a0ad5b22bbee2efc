// Where a newcomer starts: a unit with a self weight, and a sum behind gates that are set by hand. Tables stand there without it.
"use strict";

// An element of HTML, or of SVG inside of one; children are elements or text.
function make(name, attributes = {}, ...children) {
  const svg = ["svg", "path", "circle", "rect", "text"].includes(name);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const signed = (text) => text.replace("-", "−");
const tenths = (z) => signed((Math.round(10 * z) / 10 || 0).toFixed(1));

// Three digits; a small number with a power of ten.
function digits(z) {
  if (z === 0) return ["0"];
  if (z >= 0.001) return [z.toFixed(3)];
  const [factor, power] = z.toExponential(2).split("e");
  return [`${factor} × 10`, make("sup", {}, signed(power))];
}

// ---- one unit, a(t) = v f(a(t-1)) with f(z) = tanh(z/2)

const step = (v, a) => v * Math.tanh(a / 2);
const slope = (v, a) => (v * (1 - Math.tanh(a / 2) ** 2)) / 2;

// The state that a positive start leads to. At v = 2 it is reached too slowly to wait for.
function rest(v) {
  if (v <= 2) return 0;
  let a = 3;
  for (let n = 0; n < 2000; n++) a = step(v, a);
  return a;
}

function word(v) {
  if (Math.abs(v - 2) < 0.15) return "decides";
  return v < 2 ? "forgets" : "remembers";
}

const MEANS = {
  forgets: "every start leads to the state 0, and the gradient vanishes.",
  decides: "it is at the border. The gradient lives long, and a small input still decides the sign.",
  remembers: "it keeps a sign, and there the gradient vanishes.",
};

const WIDTH = 320, HEIGHT = 220, MOST = 6.5; // of a panel, and of the states in it

function map(v) {
  const x = (a) => WIDTH / 2 + (a / MOST) * (WIDTH / 2 - 4), y = (a) => HEIGHT / 2 - (a / MOST) * (HEIGHT / 2 - 4);
  const line = (points) => "M" + points.map(([a, b]) => `${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("L");
  const at = rest(v), along = 1.5 / Math.hypot(1, slope(v, at));
  const states = Array.from({ length: 131 }, (_, n) => (n - 65) / 10);
  const dot = (a, kind) => make("circle", { class: kind, cx: x(a), cy: y(a), r: 4.5 });
  const shown = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
  shown.setAttribute("aria-label", "The next state over the state: curve, diagonal, and the tangent at the state of rest.");
  shown.append(
    make("path", { class: "tt-axis", d: line([[-MOST, 0], [MOST, 0]]) + line([[0, -MOST], [0, MOST]]) }),
    make("path", { class: "tt-axis tt-dashed", d: line([[-MOST, -MOST], [MOST, MOST]]) }),
    make("path", { class: "tt-curve", d: line(states.map((a) => [a, step(v, a)])) }),
    make("path", { class: "tt-tangent", d: line([-along, along].map((to) => [at + to, at + to * slope(v, at)])) }),
    ...(at > 0 ? [dot(0, "tt-unstable"), dot(-at, "tt-rest")] : []),
    dot(at, "tt-rest"),
    make("text", { x: WIDTH / 2 + 6, y: 14 }, "next state"),
    make("text", { x: WIDTH - 4, y: HEIGHT / 2 + 16, "text-anchor": "end" }, "state"),
  );
  return shown;
}

function bars(v) {
  const factor = slope(v, rest(v)), left = 24, wide = (WIDTH - left) / 20, low = HEIGHT - 22, high = low - 16;
  const shown = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
  shown.setAttribute("aria-label", "Bars: the gradient over 1 to 20 steps, on a scale from 0 to 1.");
  for (let q = 1; q <= 20; q++) {
    const height = high * factor ** q, x = left + (q - 1) * wide;
    shown.append(make("rect", { class: "tt-gradient", x: x + 1.5, y: low - height, width: wide - 3, height }));
    if (q === 1 || q % 5 === 0) shown.append(make("text", { x: x + wide / 2, y: low + 16, "text-anchor": "middle" }, q));
  }
  const ground = make("path", { class: "tt-axis", d: `M${left} ${low}H${WIDTH}` });
  const one = make("path", { class: "tt-axis tt-dashed", d: `M${left} ${low - high}H${WIDTH}` });
  shown.append(ground, one, make("text", { x: 8, y: low - high + 4 }, "1"), make("text", { x: 8, y: low + 4 }, "0"));
  return shown;
}

function unit(place) {
  const slider = make("input", { type: "range", id: "tt-v", min: 0, max: 6, step: 0.1, value: 1 });
  const value = make("output", { for: "tt-v" }), says = make("p", { role: "status", "aria-live": "polite" });
  const label = make("label", { for: "tt-v" }, "self weight ", make("i", {}, "v"), " = ", value);
  const panels = [map, bars].map(() => make("figure"));
  const words = ["The unit as a map, and its slope at rest", "Gradient over q = 1 to 20 steps, at rest"];
  const numbers = ["state of rest", "slope there", "over 10 steps", "over 20 steps"].map((name) => [name, make("b")]);
  const show = () => {
    const v = Number(slider.value), factor = slope(v, rest(v));
    value.textContent = v.toFixed(1);
    says.replaceChildren(make("b", {}, `The unit ${word(v)}`), `: ${MEANS[word(v)]}`);
    [map, bars].forEach((draw, n) => panels[n].replaceChildren(draw(v), make("figcaption", {}, words[n])));
    [rest(v), factor, factor ** 10, factor ** 20].forEach((z, n) => numbers[n][1].replaceChildren(...digits(z)));
  };
  slider.addEventListener("input", show);
  const list = make("p", { class: "tt-numbers" });
  numbers.forEach(([name, number], n) => list.append(n ? "; " : "", `${name} `, number));
  place.replaceChildren(label, slider, says, make("div", { class: "tt-panels" }, ...panels), list);
  show();
}

// ---- a sum behind gates, s(t) = s(t-1) + y(t) x(t)

const INPUTS = [0.3, 1, -0.4, 0.6, -0.8, 0.2, 0.5, -0.7, 0.9, -0.3, 0.8, -0.6], TARGET = 1;
const LARGEST = 4.5; // of a state or an error, whatever the gates

function bar(z, kind) {
  const share = (50 * Math.abs(z)) / LARGEST, filled = make("span");
  filled.style.width = `${share}%`;
  filled.style.left = `${z < 0 ? 50 - share : 50}%`;
  return make("span", { class: `tt-bar ${kind}`, "aria-hidden": true }, filled);
}

function gates(place) {
  const open = INPUTS.map((_, n) => [2, 4, 9].includes(n + 1));
  const says = make("p", { role: "status", "aria-live": "polite" });
  const body = make("tbody"), titles = ["t", "x(t)", "gate y(t)", "s(t)", "dL/dx(t)"];
  const head = make("thead", {}, make("tr", {}, ...titles.map((title) => make("th", { scope: "col" }, title))));
  const rows = INPUTS.map((x, n) => {
    const button = make("button", { type: "button", "aria-label": `gate at time ${n + 1}` }), cells = [make("td"), make("td")];
    button.addEventListener("click", () => {
      open[n] = !open[n];
      show();
    });
    const first = [make("th", { scope: "row" }, n + 1), make("td", {}, tenths(x)), make("td", {}, button)];
    body.append(make("tr", {}, ...first, ...cells));
    return { button, cells };
  });
  const show = () => {
    let s = 0;
    const states = INPUTS.map((x, n) => (s += open[n] ? x : 0));
    const error = s - TARGET; // dL/ds(t) for every t: each step back multiplies by 1
    rows.forEach(({ button, cells }, n) => {
      button.setAttribute("aria-pressed", open[n]);
      button.textContent = open[n] ? "1 open" : "0 shut";
      const flows = open[n] ? error : 0;
      cells[0].replaceChildren(tenths(states[n]), bar(states[n], "tt-state"));
      cells[1].replaceChildren(tenths(flows), bar(flows, "tt-error"));
    });
    says.textContent = `s(12) = ${tenths(s)}, the target is ${tenths(TARGET)}: the error ${tenths(error)} reaches each input whose gate is open, and no other.`;
  };
  place.replaceChildren(says, make("table", { class: "tt-gates" }, head, body));
  show();
}

document.addEventListener("DOMContentLoaded", () => {
  for (const [name, fill] of [["tt-one-unit", unit], ["tt-by-hand", gates]]) {
    const place = document.querySelector(`.${name}`);
    if (place) fill(place);
  }
});
