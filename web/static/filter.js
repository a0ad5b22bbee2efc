// Ledger and errata: show the statements of one source, of one verdict, or with certain words, thirty at a time, and sort
// the rows. The pages are whole without this script; it reads what to offer from the rows themselves. A choice stands in
// the address.
"use strict";

const [MANY, BEFORE] = [30, 3];
const ANY = { note: "", kind: "", words: "" };
const ORDERS = {
  "as in the notes": () => 0,
  "by verdict": (a, b) => a.dataset.kind.localeCompare(b.dataset.kind),
  "by name": (a, b) => a.id.localeCompare(b.id, "en", { numeric: true }),
};

function element(name, attributes, ...children) {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...children);
  return made;
}

// "A.4 to A.7" is "A.4 A.5 A.6 A.7" as well, and "(6) to (9)" is "(6) (7) (8) (9)".
const counted = (text) => text.replace(/(a\.|\()(\d+)(\)?) to \1(\d+)/g, (range, before, first, after, last) =>
  `${range} ${Array.from({ length: last - first }, (_, place) => before + (+first + place) + after).join(" ")} `);

// A number is meant whole: A.1 is not A.12.
const has = (text, word) => /\d$/.test(word)
  ? text.split(word).slice(1).some((rest) => !/^\d/.test(rest)) : text.includes(word);

function filterOf(article, items) {
  const chosen = { note: "", kind: "", words: "" };
  const order = new Map(items.map((item, place) => [item, place]));
  // A formula is replaced when it is typeset, so its words are taken before.
  const texts = new Map(items.map((item) => [item, counted(item.textContent.toLowerCase())]));
  const sections = [...new Set(items.map((item) => item.closest("section")))];
  let rows = items; // in their order on the page
  let from = 0; // of those that fit the first that is shown
  let most = MANY; // and how many
  const shown = element("output", { className: "tt-shown" });
  const buttons = [];

  const fits = (item) =>
    ["note", "kind"].every((key) => !chosen[key] || item.dataset[key] === chosen[key]) &&
    chosen.words.toLowerCase().split(/\s+/).every((word) => has(texts.get(item), word));

  function show() {
    const found = rows.filter(fits);
    const seen = new Set(found.slice(from, from + most));
    for (const item of items) item.hidden = !seen.has(item);
    for (const section of sections) section.hidden = ![...seen].some((item) => section.contains(item));
    shown.textContent = `${seen.size} of ${seen.size < found.length ? found.length : items.length} shown`;
    more.hidden = found.length <= from + most;
    for (const [button, key, value] of buttons) button.setAttribute("aria-pressed", String(chosen[key] === value));
    const address = new URL(location);
    for (const [key, value] of Object.entries(chosen)) {
      if (value) address.searchParams.set(key, value);
      else address.searchParams.delete(key);
    }
    history.replaceState(null, "", address);
  }

  function choose(choice, many = MANY, first = 0) {
    Object.assign(chosen, choice);
    [from, most] = [first, many];
    words.value = chosen.words;
    show();
  }

  function group(legend, key) {
    const values = [...new Set(items.map((item) => item.dataset[key]))];
    const made = values.map((value) => {
      const many = items.filter((item) => item.dataset[key] === value).length;
      const button = element("button", { type: "button" }, `${value} `, element("small", {}, String(many)));
      button.onclick = () => choose({ [key]: chosen[key] === value ? "" : value });
      buttons.push([button, key, value]);
      return button;
    });
    return element("fieldset", {}, element("legend", {}, legend), ...made);
  }

  const words = element("input", { type: "search", placeholder: "words or a name" });
  words.setAttribute("aria-label", "Words to look for");
  words.oninput = () => choose({ words: words.value });
  const search = element("div", { className: "tt-search" }, words, shown);
  if (items[0].localName === "tr") {
    const sort = element("select", {}, ...Object.keys(ORDERS).map((name) => element("option", {}, name)));
    sort.setAttribute("aria-label", "Order of the rows");
    sort.onchange = () => {
      const compare = ORDERS[sort.value];
      const sorted = [...items].sort((a, b) => compare(a, b) || order.get(a) - order.get(b));
      const bodies = new Map(items.map((item) => [item, item.parentElement]));
      for (const item of sorted) bodies.get(item).append(item);
      rows = sections.flatMap((section) => sorted.filter((item) => section.contains(item)));
      show();
    };
    search.append(sort);
  }
  const all = element("button", { type: "button", className: "tt-all" }, "show all");
  all.onclick = () => choose(ANY, Infinity);
  search.append(all);
  const more = element("button", { type: "button", className: "tt-rest" }, `show ${MANY} more`);
  more.onclick = () => choose({}, most + MANY, from);

  const form = element("form", { className: "tt-filter" }, search, group("source", "note"), group("verdict", "kind"));
  form.setAttribute("role", "search");
  form.onsubmit = (event) => event.preventDefault();
  sections[0].before(form);
  sections.at(-1).after(more);

  // A count of the table chooses what it counts.
  article.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-kind]");
    if (!link) return;
    event.preventDefault();
    choose({ note: link.dataset.note, kind: link.dataset.kind, words: "" });
    form.scrollIntoView();
  });

  // A place that is asked for is shown, whatever was chosen, with a few rows before it: all of them take seconds.
  function reveal() {
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const inside = rows.filter((row) => place?.contains(row));
    const first = inside.find(fits) || inside[0];
    if (!first?.hidden) return;
    if (!fits(first)) Object.assign(chosen, ANY);
    choose({}, MANY, Math.max(0, rows.filter(fits).indexOf(first) - BEFORE));
  }

  window.addEventListener("hashchange", reveal);
  window.addEventListener("beforeprint", () => choose({}, Infinity));
  const asked = new URL(location).searchParams;
  choose({ note: asked.get("note") || "", kind: asked.get("kind") || "", words: asked.get("words") || "" });
  reveal();
}

document.addEventListener("DOMContentLoaded", () => {
  const article = document.querySelector(".bd-article");
  const items = article ? [...article.querySelectorAll(":is(tr, .tt-statement)[data-kind]")] : [];
  if (items.length) filterOf(article, items);
});
