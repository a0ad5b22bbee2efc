// Two switches in the bar above a page open all of its code, or all derivations in the boxes of statements. What a reader
// has chosen holds on every page from then on; a fold of its own can still be opened and shut.
"use strict";

const SWITCHED = {
  code: "div.cell details.hide",
  derivations: ".tt-statement details:has(> :is(.tt-steps, .tt-proof))",
};

// Where a browser keeps nothing, a choice holds for the page.
const kept = {
  get: (key) => { try { return localStorage.getItem(key); } catch { return null; } },
  set: (key, value) => { try { localStorage.setItem(key, value); } catch { /* for this page */ } },
};

function switchOf(kind, folds) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn btn-sm tt-switch";
  button.textContent = kind;
  button.title = `show all ${kind}`;
  button.setAttribute("aria-label", button.title);
  const pressed = (on) => button.setAttribute("aria-pressed", String(on));
  const turn = (on) => {
    pressed(on);
    for (const fold of folds) fold.open = on;
  };
  pressed(false);
  if (kept.get(`tt-${kind}`) === "open") turn(true);
  button.onclick = () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    kept.set(`tt-${kind}`, on ? "open" : "shut");
    turn(on);
  };
  return button;
}

// On paper nothing can be unfolded: what is assumed is printed, a proof if its reader has opened it.
function openForPrint() {
  const folds = [...document.querySelectorAll(".tt-statement > details:not([open]):has(> ul:not(.tt-checks))")];
  for (const fold of folds) fold.open = true;
  window.addEventListener("afterprint", () => folds.forEach((fold) => (fold.open = false)), { once: true });
}

window.addEventListener("beforeprint", openForPrint);

document.addEventListener("DOMContentLoaded", () => {
  const bar = document.querySelector(".article-header-buttons");
  const found = Object.entries(SWITCHED).map(([kind, selector]) => [kind, [...document.querySelectorAll(selector)]]);
  const switches = found.filter(([, folds]) => folds.length).map(([kind, folds]) => switchOf(kind, folds));
  if (bar) bar.prepend(...switches);
});
