// What a link to a statement or to a source leads to is shown beside it, while a pointer rests on the link or the keyboard
// is there. Of a source that is what the link says in its title; statements are loaded when the first is wanted
// (web/throughtime_ledger.py), as a script: a page that is opened as a file may load no other data. The same
// list says to where what has left its page has moved.
"use strict";

const PREVIEWED = ".bd-article :is(p, li, td, dd, figcaption) a[href*='#']:not(.tt-links > *, .tt-ledger *)";
const REST = 250; // milliseconds for which a pointer rests on a link that is meant

let statements; // a promise of their previews by name

function loadStatements() {
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = `${document.documentElement.dataset.content_root}_static/statements.js`;
    script.onload = () => done(window.throughtimeStatements);
    script.onerror = () => failed(new Error(`${script.src} cannot be loaded`));
    document.head.append(script);
  });
}

// Fills the card and says whether there is something to show.
async function fill(card, link) {
  if (link.title) {
    link.dataset.source = link.title; // the browser would show the title as well
    link.removeAttribute("title");
  }
  if (link.dataset.source) {
    card.textContent = link.dataset.source;
    return true;
  }
  statements ||= loadStatements();
  const html = (await statements)[decodeURIComponent(link.hash.slice(1)).replace(/^(erratum|ledger)-/, "")];
  card.innerHTML = html || "";
  return Boolean(html);
}

// Below the link, or above it where more room is.
function placeBeside(card, link) {
  const line = link.getClientRects()[0];
  const right = document.documentElement.clientWidth - card.offsetWidth - 8;
  const below = window.innerHeight - line.bottom > Math.min(card.offsetHeight, line.top);
  card.style.left = `${Math.max(8, Math.min(line.left, right)) + window.scrollX}px`;
  card.style.top = `${(below ? line.bottom + 6 : line.top - card.offsetHeight - 6) + window.scrollY}px`;
}

// A box, a heading, a figure or an exercise may have moved to another page: an old address, which finds none here, leads
// there. Of headings many have the same name: they are listed with the page that they have left.
async function followMoved() {
  const name = decodeURIComponent(location.hash.slice(1));
  if (!/^[\w-]+$/.test(name) || document.getElementById(name)) return;
  statements ||= loadStatements();
  await statements;
  const root = document.documentElement.dataset.content_root;
  const page = location.pathname.slice(new URL(root, location.href).pathname.length);
  const place = window.throughtimePlaces[name] || window.throughtimePlaces[`${page}#${name}`];
  if (place) location.replace(root + place);
}

function showPreviews(article) {
  const card = Object.assign(document.createElement("div"), { id: "tt-preview", className: "tt-preview", hidden: true });
  card.setAttribute("role", "tooltip");
  document.body.append(card);
  let wanted, timer;

  function hide() {
    clearTimeout(timer);
    if (wanted) wanted.removeAttribute("aria-describedby");
    wanted = undefined;
    if (!card.hidden) window.MathJax?.typesetClear?.([card]);
    card.hidden = true;
  }

  async function show(link) {
    hide();
    wanted = link;
    if (!(await fill(card, link)) || wanted !== link) return;
    card.hidden = false;
    link.setAttribute("aria-describedby", card.id);
    placeBeside(card, link);
    await window.MathJax?.typesetPromise?.([card]);
    if (wanted === link) placeBeside(card, link);
  }

  const linkOf = (event) => event.target.closest?.(PREVIEWED);
  const later = (act) => {
    clearTimeout(timer);
    timer = setTimeout(act, REST);
  };
  article.addEventListener("pointerover", (event) => {
    const link = linkOf(event);
    if (event.pointerType === "touch" || !link) return;
    if (link === wanted) clearTimeout(timer);
    else later(() => show(link));
  });
  article.addEventListener("pointerout", (event) => {
    if (linkOf(event)) later(hide);
  });
  card.addEventListener("pointerenter", () => clearTimeout(timer));
  card.addEventListener("pointerleave", () => later(hide));
  article.addEventListener("focusin", (event) => {
    const link = linkOf(event);
    if (link && link.matches(":focus-visible")) show(link);
  });
  article.addEventListener("focusout", hide);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
}

document.addEventListener("DOMContentLoaded", () => {
  const article = document.querySelector(".bd-article");
  if (article) showPreviews(article);
  followMoved();
  window.addEventListener("hashchange", followMoved);
});
