// Above a page stand a choice of its code (ideas alone, with the machinery that judges and draws, or none) and a switch
// that opens all derivations in the boxes of statements. What a reader has chosen holds on every page from then on; a
// fold of its own can still be opened and shut.
"use strict";

const MACHINERY = "div.cell details.hide"; // imports, statements, tables, figures: a lesson's own code stands open
const SHOWN = { ideas: "ideas", machinery: "all code", none: "no code" };
const DERIVATIONS = ".tt-statement details:has(> :is(.tt-steps, .tt-proof))";

// Where a browser keeps nothing, a choice holds for the page.
const kept = {
  get: (key) => { try { return localStorage.getItem(key); } catch { return null; } },
  set: (key, value) => { try { localStorage.setItem(key, value); } catch { /* for this page */ } },
};

function codeSwitch() {
  const folds = document.querySelectorAll(MACHINERY);
  const select = document.createElement("select");
  select.className = "btn btn-sm tt-switch";
  select.title = "which code is shown";
  select.setAttribute("aria-label", select.title);
  select.append(...Object.entries(SHOWN).map(([value, words]) => new Option(words, value)));
  const show = (choice) => {
    document.documentElement.classList.toggle("tt-no-code", choice === "none");
    for (const fold of folds) fold.open = choice === "machinery";
  };
  select.value = kept.get("tt-code");
  if (select.selectedIndex < 0) select.value = "ideas";
  if (select.value !== "ideas") show(select.value);
  select.onchange = () => {
    kept.set("tt-code", select.value);
    show(select.value);
  };
  return select;
}

function derivationsSwitch(folds) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "btn btn-sm tt-switch";
  button.textContent = "derivations";
  button.title = "show all derivations";
  button.setAttribute("aria-label", button.title);
  const turn = (on) => {
    button.setAttribute("aria-pressed", String(on));
    for (const fold of folds) fold.open = on;
  };
  button.setAttribute("aria-pressed", "false");
  if (kept.get("tt-derivations") === "open") turn(true);
  button.onclick = () => {
    const on = button.getAttribute("aria-pressed") !== "true";
    kept.set("tt-derivations", on ? "open" : "shut");
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
  if (!bar) return;
  const derivations = [...document.querySelectorAll(DERIVATIONS)];
  if (derivations.length) bar.prepend(derivationsSwitch(derivations));
  if (document.querySelector("div.cell_input")) bar.prepend(codeSwitch());
});
