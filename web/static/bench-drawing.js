// Drawings of the bench: the cell with the edges that can be cut, and a loss that falls.
"use strict";

// An element of SVG.
function drawn(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const APART = 86, HALF = 16; // pixels between two quantities, and from the middle of one to its upper edge

// What an edge joins: "h(t-1) into r" is {held: "h", when: "t-1", into: "r"}.
function ends(edge) {
  const [, held, when, into] = edge.match(/^(.*)\((.*)\) into (.*)$/);
  return { held, when, into };
}

// The quantities in the order in which they are computed. Above them what is read at the same time, below what is read
// of an earlier one; a click on an edge calls `toggle` with it.
function drawCell(states, edges, cut, toggle) {
  const x = (name) => APART * (states.indexOf(name) + 0.5), row = HALF + 30 + 0.12 * APART * states.length;
  const arcs = edges.map((edge) => {
    const { held, when, into } = ends(edge), earlier = when !== "t", from = x(held), to = x(into);
    const side = earlier ? 1 : -1, y = row + side * HALF, high = y + side * (30 + 0.16 * Math.abs(to - from));
    const [left, right] = held === into ? [from - 50, to + 50] : [from, to];
    const path = `M${from} ${y}C${left} ${high} ${right} ${high} ${to} ${y}`;
    const arc = drawn("g", { class: `tt-edge${earlier ? " tt-earlier" : ""}${cut.has(edge) ? " tt-cut" : ""}` });
    arc.append(drawn("path", { class: "tt-hit", d: path }), drawn("path", { d: path, "marker-end": "url(#tt-arrow)" }));
    arc.append(drawn("title", {}, edge));
    arc.addEventListener("click", () => toggle(edge));
    return arc;
  });
  const nodes = states.map((name) => [
    drawn("rect", { x: x(name) - 26, y: row - HALF + 1, width: 52, height: 2 * HALF - 2, rx: HALF - 1 }),
    drawn("text", { x: x(name), y: row + 5, "text-anchor": "middle" }, name),
  ]);
  const head = drawn("path", { d: "M0 0L8 4L0 8Z" });
  const arrow = drawn("marker", { id: "tt-arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, orient: "auto", markerWidth: 7, markerHeight: 7 }, head);
  const width = APART * states.length;
  const cell = drawn("svg", { class: "tt-cell-drawing", width, height: 2 * row, viewBox: `0 0 ${width} ${2 * row}` });
  cell.setAttribute("aria-hidden", "true"); // the list beside it says the same
  cell.append(drawn("defs", {}, arrow), ...arcs, ...nodes.flat());
  return cell;
}

// Losses after each update, on a logarithmic scale.
function drawLosses(losses) {
  const logs = losses.map((loss) => Math.log10(Math.max(loss, 1e-12))), low = Math.min(...logs), high = Math.max(...logs);
  const points = logs.map((log, n) => `${(300 * n) / (logs.length - 1)} ${96 - (92 * (log - low)) / (high - low || 1)}`);
  const curve = drawn("svg", { class: "tt-losses", viewBox: "0 0 300 100", role: "img" });
  curve.setAttribute("aria-label", "The loss over the updates, on a logarithmic scale");
  curve.append(drawn("path", { d: `M${points.join("L")}` }));
  return curve;
}
