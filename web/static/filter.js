// Ledger and errata: show the statements of one source, of one verdict, or with certain words, and sort the rows. The
// pages are whole without this script; it reads what to offer from the rows themselves. A choice stands in the address.
"use strict";

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

function filterOf(article, items) {
  const chosen = { note: "", kind: "", words: "" };
  const order = new Map(items.map((item, place) => [item, place]));
  // A formula is replaced when it is typeset, so its words are taken before.
  const texts = new Map(items.map((item) => [item, item.textContent.toLowerCase()]));
  const sections = new Set(items.map((item) => item.closest("section")));
  const shown = element("output", { className: "tt-shown" });
  const buttons = [];

  const fits = (item) =>
    ["note", "kind"].every((key) => !chosen[key] || item.dataset[key] === chosen[key]) &&
    chosen.words.toLowerCase().split(/\s+/).every((word) => texts.get(item).includes(word));

  function show() {
    for (const item of items) item.hidden = !fits(item);
    const seen = items.filter((item) => !item.hidden);
    for (const section of sections) section.hidden = !seen.some((item) => section.contains(item));
    shown.textContent = `${seen.length} of ${items.length} shown`;
    for (const [button, key, value] of buttons) button.setAttribute("aria-pressed", String(chosen[key] === value));
    const address = new URL(location);
    for (const [key, value] of Object.entries(chosen)) {
      if (value) address.searchParams.set(key, value);
      else address.searchParams.delete(key);
    }
    history.replaceState(null, "", address);
  }

  function choose(choice) {
    Object.assign(chosen, choice);
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
    };
    search.append(sort);
  }
  const all = element("button", { type: "button", className: "tt-all" }, "show all");
  all.onclick = () => choose({ note: "", kind: "", words: "" });
  search.append(all);

  const form = element("form", { className: "tt-filter" }, search, group("source", "note"), group("verdict", "kind"));
  form.setAttribute("role", "search");
  form.onsubmit = (event) => event.preventDefault();
  [...sections][0].before(form);

  // A count of the table above chooses what it counts; a link to a statement shows it, whatever was chosen.
  article.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-kind]");
    if (!link) return;
    event.preventDefault();
    choose({ note: link.dataset.note, kind: link.dataset.kind, words: "" });
    form.scrollIntoView();
  });
  window.addEventListener("hashchange", () => {
    const item = items.find((one) => `#${one.id}` === decodeURIComponent(location.hash));
    if (item && item.hidden) choose({ note: "", kind: "", words: "" });
  });
  const asked = new URL(location).searchParams;
  choose({ note: asked.get("note") || "", kind: asked.get("kind") || "", words: asked.get("words") || "" });
}

document.addEventListener("DOMContentLoaded", () => {
  const article = document.querySelector(".bd-article");
  const items = article ? [...article.querySelectorAll(":is(tr, .tt-statement)[data-kind]")] : [];
  if (items.length) filterOf(article, items);
});
