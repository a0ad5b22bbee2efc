// The bench: a recurrence is pasted, and Python in a worker of this page derives and checks its gradients. Nothing is
// loaded before the reader starts it. The cells to begin with stand in the page itself.
"use strict";

const LIMIT = 30; // seconds for one question
const QUESTIONS = ["read", "gradient", "backward", "forward"];
const DOING = {
  read: "Reading", gradient: "Deriving and checking the gradient", backward: "Deriving backwards in time",
  forward: "Deriving forwards in time", judge: "Judging the formula", program: "Writing the program", train: "Training",
};
const FOLDER = document.currentScript.src.replace(/[^/]*$/, "");

// An element of HTML with properties, and children that are elements or text.
function built(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

// ---- the worker, made when it is first asked and ended when it takes too long

class Python {
  #worker;
  #count = 0;

  constructor(tell) {
    this.tell = tell;
  }

  #wake() {
    this.tell("Loading Python and SymPy, 12 MB the first time …");
    this.#worker = new Worker(`${FOLDER}bench-worker.js`, { type: "module" });
    this.ready = new Promise((done, failed) => {
      this.#worker.onerror = (event) => failed(new Error(event.message || "the worker cannot be loaded"));
      this.#worker.addEventListener("message", ({ data }) => {
        if (data.ready) done();
        if (data.failed) failed(new Error(data.failed));
      });
    });
  }

  #end() {
    this.#worker.terminate();
    this.#worker = undefined;
  }

  // What the worker finds, or an error in words.
  async ask(question) {
    if (!this.#worker) this.#wake();
    try {
      await this.ready;
    } catch (error) {
      this.#end();
      return { error: { message: `Python could not be loaded: ${error.message}. Is the site served over http?`, place: null } };
    }
    this.tell(`${DOING[question.ask]} …`);
    const id = this.#count++, worker = this.#worker;
    return new Promise((done) => {
      const timer = setTimeout(() => {
        this.#end();
        const message = `${DOING[question.ask]} was ended after ${LIMIT} seconds. Cut an edge, ask for another derivative, or ask Python on your own machine with the lines below: there it has all the time that it needs.`;
        done({ error: { message, place: null } });
      }, 1000 * LIMIT);
      worker.addEventListener("message", function heard({ data }) {
        if (data.id !== id) return;
        clearTimeout(timer);
        worker.removeEventListener("message", heard);
        done(data.found);
      });
      worker.postMessage({ id, question });
    });
  }
}

// ---- the form

// What a cell of the page says: its name, text, and the names to ask for.
function cellOf(element) {
  const [state, weight, formula] = [...element.querySelectorAll("code.literal")].map((code) => code.textContent);
  return { name: element.querySelector("strong").textContent, text: element.querySelector("pre").textContent.trim(), state, weight, formula };
}

function field(label, id, hint) {
  const input = built("input", { id, type: "text", autocomplete: "off", spellcheck: false });
  input.setAttribute("list", `${id}-names`);
  return [input, built("div", {}, built("label", { htmlFor: id }, label), input, built("datalist", { id: `${id}-names` }), built("small", {}, hint))];
}

function showBench(place) {
  const cells = [...place.querySelectorAll(".tt-cell")].map(cellOf), ready = Boolean(place.querySelector(".tt-bundle"));
  const cuts = new Set();
  let names = { states: [], weights: [], edges: [] }, busy = false;

  const text = built("textarea", { id: "tt-text", spellcheck: false, autocapitalize: "off" });
  const [state, states] = field("state", "tt-state", "empty: the last");
  const [weight, weights] = field("weight", "tt-weight", "empty: the first");
  const [formula, formulas] = field("a formula to judge", "tt-formula", "as dL/dh_t = ...");
  const buttons = cells.map((cell) => {
    const button = built("button", { type: "button" }, cell.name);
    button.onclick = () => choose(cell);
    return button;
  });
  const own = built("button", { type: "button" }, "your own");
  own.onclick = () => {
    choose({ text: "", state: "", weight: "", formula: "" });
    text.focus();
  };
  const start = built("button", { type: "button", className: "tt-go" }, "start");
  const judge = built("button", { type: "button" }, "judge");
  const program = built("button", { type: "button" }, "write the program");
  const says = built("p", { className: "tt-says" });
  says.setAttribute("role", "status");
  const trouble = built("div", { className: "tt-trouble" });
  trouble.setAttribute("role", "alert");
  const cell = built("div", { className: "tt-edges" }), results = built("div", { className: "tt-results" });
  const lines = built("pre", { tabIndex: 0 });
  const python = new Python((words) => (says.textContent = words));

  // ---- its state, which a link holds

  const question = () => ({ text: text.value, state: state.value.trim(), weight: weight.value.trim(), formula: formula.value.trim(), cuts: [...cuts] });

  function choose(chosen) {
    cuts.clear();
    for (const edge of chosen.cuts || []) cuts.add(edge);
    names = { states: [], weights: [], edges: [] };
    text.value = chosen.text;
    [state.value, weight.value, formula.value] = [chosen.state, chosen.weight, chosen.formula].map((value) => value || "");
    trouble.replaceChildren();
    results.replaceChildren();
    changed();
  }

  function changed() {
    const { text: written, state: by, weight: learned, formula: printed, cuts: held } = question();
    const cutting = held.length ? `, cuts=${JSON.stringify(held)}` : "";
    const asked = [
      ...(learned ? [`net.gradient(${JSON.stringify(learned)}${cutting})`] : []),
      ...(by ? [`net.backward(${JSON.stringify(by)}${cutting})`] : []),
      ...(by && learned ? [`net.forward(${JSON.stringify(by)}, ${JSON.stringify(learned)}${cutting})`] : []),
      ...(printed ? [`net.judge(${JSON.stringify(printed)})`] : []),
    ];
    text.rows = Math.max(4, written.split("\n").length + 1);
    lines.textContent = ["import throughtime as tt", "", `net = tt.read(r"""\n${written}\n""")`, "net", ...asked].join("\n");
    for (const [n, button] of buttons.entries()) button.setAttribute("aria-pressed", cells[n].text === written);
    [states, weights].forEach((box, n) => {
      const known = n ? names.weights : names.states;
      box.querySelector("datalist").replaceChildren(...known.map((name) => built("option", { value: name })));
    });
    showEdges();
  }

  function remember() {
    const { cuts: held, ...rest } = question(), link = new URLSearchParams(rest);
    for (const edge of held) link.append("cut", edge);
    history.replaceState(null, "", `#${link}`);
  }

  function recall() {
    const link = new URLSearchParams(location.hash.slice(1));
    if (link.has("text")) choose({ ...Object.fromEntries(link), cuts: link.getAll("cut") });
  }

  function showEdges() {
    cell.hidden = !names.edges.length;
    if (cell.hidden) return;
    const toggle = (edge) => {
      if (!cuts.delete(edge)) cuts.add(edge);
      changed();
      cell.querySelector(`[value="${CSS.escape(edge)}"]`).focus();
    };
    const boxes = names.edges.map((edge) => {
      const box = built("input", { type: "checkbox", value: edge, checked: cuts.has(edge) });
      box.onchange = () => toggle(edge);
      return built("label", {}, box, ` ${edge}`);
    });
    const list = built("fieldset", {}, built("legend", {}, "Cut, and held constant from there on"), ...boxes);
    const view = built("div", { className: "tt-view", tabIndex: 0 }, drawCell(names.states, names.edges, cuts, toggle));
    view.setAttribute("role", "group");
    view.setAttribute("aria-label", "Drawing of the cell");
    cell.replaceChildren(view, list);
  }

  // ---- asking and showing

  async function ask(kinds) {
    if (busy) return;
    setBusy(true);
    trouble.replaceChildren();
    const begun = performance.now();
    for (const kind of kinds) {
      const found = await python.ask({ ...question(), ask: kind });
      if (found.error) {
        refuse(found.error);
        break;
      }
      if (kind === "read") take(found.names);
      show(kind, found.card);
    }
    if (!trouble.hasChildNodes()) says.textContent = `Done in ${((performance.now() - begun) / 1000).toFixed(1)} s.`;
    else says.textContent = "";
    remember();
    setBusy(false);
  }

  function setBusy(now) {
    busy = now;
    place.setAttribute("aria-busy", now);
    for (const button of place.querySelectorAll("button")) button.disabled = now;
    start.textContent = "derive";
  }

  function take(found) {
    names = found;
    state.value ||= names.states.at(-1) || "";
    weight.value ||= names.weights[0] || "";
    for (const edge of cuts) if (!names.edges.includes(edge)) cuts.delete(edge);
    for (const button of [judge, program]) button.hidden = false;
    changed();
  }

  function refuse({ message, place: where }) {
    trouble.replaceChildren(built("pre", {}, message));
    const input = where && { text, formula }[where.field];
    if (!input) return;
    const before = input.value.split("\n").slice(0, where.line).reduce((sum, line) => sum + line.length + 1, 0);
    input.focus();
    input.setSelectionRange(before + where.column, before + where.column + 1);
  }

  function show(kind, card) {
    const folds = Object.entries({ LaTeX: card.latex, "as Python prints it": card.text, ...card.code }).filter(([, value]) => value);
    const shown = built("section", { className: "tt-card" }, built("h3", {}, card.title));
    shown.dataset.ask = kind;
    shown.dataset.text = card.text;
    if (card.checked) shown.append(built("p", { className: card.right ? "tt-right" : "tt-not-right" }, card.checked));
    if (card.html) {
      const box = built("div", { innerHTML: card.html }); // what the library prints in a notebook
      for (const named of box.querySelectorAll("[id]")) named.removeAttribute("id");
      shown.append(box);
    }
    for (const [name, value] of folds) {
      shown.append(built("details", {}, built("summary", {}, name), built("pre", { tabIndex: 0 }, value)));
    }
    if (card.code) shown.append(trainer(card));
    const old = results.querySelector(`[data-ask="${kind}"]`);
    if (old) old.replaceWith(shown);
    else results.append(shown);
    window.MathJax?.typesetPromise?.([shown]);
  }

  function trainer({ code, arrays, cut }) {
    const button = built("button", { type: "button" }, "train it here"), shown = built("div");
    button.onclick = async () => {
      if (busy) return;
      setBusy(true);
      const found = await python.ask({ ask: "train", program: { code: code.JavaScript, arrays } });
      setBusy(false);
      if (found.error) return refuse(found.error);
      const [first, last] = [found.losses[0], found.losses.at(-1)].map((loss) => loss.toPrecision(3));
      says.textContent = "";
      const exact = cut ? "is truncated: it is off that of differences of the loss by" : "is that of differences of the loss, to";
      const apart = cut ? `${(100 * found.apart).toPrecision(2)} % of the largest derivative` : found.apart.toExponential(0);
      const words = `Loss ${first} before, ${last} after ${found.losses.length} updates of ${found.weights} numbers. The first gradient ${exact} ${apart}.`;
      shown.replaceChildren(drawLosses(found.losses), built("p", {}, words));
    };
    return built("div", {}, button, shown);
  }

  start.onclick = () => ask(QUESTIONS);
  judge.onclick = () => ask(["judge"]);
  program.onclick = () => ask(["program"]);
  judge.hidden = program.hidden = true;
  text.addEventListener("input", () => {
    if (buttons.some((button) => button.getAttribute("aria-pressed") === "true")) state.value = weight.value = "";
    names = { states: [], weights: [], edges: [] };
    changed();
  });
  for (const input of [state, weight, formula]) input.addEventListener("input", changed);
  window.addEventListener("hashchange", recall);

  const cellsToStart = built("fieldset", { className: "tt-cells" }, built("legend", {}, "Begin with"), ...buttons, own);
  const label = built("label", { htmlFor: "tt-text" }, "Recurrence, as a paper prints it");
  const fields = built("div", { className: "tt-fields" }, states, weights, formulas);
  const actions = built("p", { className: "tt-actions" }, start, judge, program);
  const same = built("details", { open: !ready }, built("summary", {}, "The same in Python"), lines);
  for (const each of place.querySelectorAll(".tt-cell")) each.remove();
  place.append(cellsToStart, label, text, fields, ...(ready ? [actions] : []), says, trouble, cell, results, same);
  choose(cells[0]);
  recall();
}

document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".tt-bench").forEach(showBench));
