// Formulas are typeset when they come near the window (MathJax's ui/lazy). The article stays hidden until the first of
// them stand, so that nothing moves under a reader's eyes; one who jumps to a place lands there when its formulas have
// their size; and what is wider than its line scrolls inside its own box, not with the page.
"use strict";

const FRAME = "p, li, td, th, dd, dt, summary, figcaption, h1, h2, h3, h4, div";
const SCROLLER = ".bd-article :is(mjx-container[display], mjx-container.tt-wide, pre, .text_html, .tt-drawing, .image-reference, .pst-scrollable-table-container, .tt-filter fieldset)";

const OVERHANG = 16; // pixels
const CELL = 150; // pixels: a shorter formula widens the column of a table, which scrolls

// MathJax lays out the page to measure what surrounds every formula, and once more for those that were left for later
// when their turn comes: the first time only for those that are typeset at once. And it reads all formulas above one that
// comes near the window, for what they may define or number: ours do neither, and a jump into a long page takes seconds.
if (window.MathJax) {
  window.MathJax.startup = {
    ready() {
      const { config, startup } = window.MathJax;
      if (matchMedia("(max-width: 720px)").matches) config.chtml.displayAlign = "left"; // and numbers at the right
      startup.defaultReady();
      const output = startup.document.outputJax;
      const measure = output.getMetrics.bind(output);
      const now = (items) => ({ value: [...items].filter((item) => !item.lazyTypeset) });
      output.getMetrics = (all) => measure(Object.create(all, { math: now(all.math) }));
      startup.document.compileEarlierItems = () => false;
    },
  };
}

// An inline formula cannot break. All are measured between two changes: to measure after each change would lay out the
// page once for each formula.
function boxWideFormulas(formulas) {
  const inline = formulas.filter((formula) => !formula.hasAttribute("display"));
  for (const formula of formulas) formula.classList.remove("tt-wide", "tt-more");
  const wide = inline.filter((formula) => {
    const line = formula.closest(FRAME);
    const room = line && (getComputedStyle(line).display === "table-cell" ? Math.max(line.clientWidth, CELL) : line.clientWidth);
    return line && formula.getBoundingClientRect().width > room + 1;
  });
  for (const formula of wide) formula.classList.add("tt-wide");
}

// What scrolls can be reached by the keyboard, and nothing else becomes a stop on the way.
function stopAtScrollers() {
  const scrollers = [...document.querySelectorAll(SCROLLER)];
  const cut = new Set(scrollers.filter((box) => box.scrollWidth > box.clientWidth + 1));
  const more = new Set(scrollers.filter(hidesMore));
  for (const box of scrollers) {
    if (cut.has(box)) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
    box.classList.toggle("tt-more", more.has(box));
  }
}

// Whether something lies out of sight on the right. The last letter of an inline formula hangs over its edge.
const hidesMore = (box) => box.scrollWidth - box.clientWidth - box.scrollLeft > (box.matches(".tt-wide, .text_html:not(:has(table))") ? OVERHANG : 1);

document.addEventListener("scroll", ({ target }) => {
  if (target.matches?.(SCROLLER)) target.classList.toggle("tt-more", hidesMore(target));
}, true);

const idle = () => new Promise((done) => (window.requestIdleCallback || setTimeout)(done));

// Whether a formula in the window still waits, as an observer first hears of all that it is given in one frame.
function oneWaits() {
  const markers = [...document.querySelectorAll("mjx-lazy")];
  return new Promise((done) => {
    if (!markers.length) done(false);
    const observer = new IntersectionObserver((seen) => {
      observer.disconnect();
      done(seen.some((marker) => marker.isIntersecting));
    });
    for (const marker of markers) observer.observe(marker);
  });
}

// Until the formulas in the window stand, which move others into it: on a busy machine that is some frames later. One that
// MathJax has missed, as it can where the page moves under it, is no reason to wait for ever.
async function typesetHere() {
  await window.MathJax.startup.promise;
  for (let round = 0; round < 200 && (await oneWaits()); round++) {
    await idle();
    await window.MathJax.startup.document.lazyPromise;
  }
}

function land() {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (place) place.scrollIntoView();
}

// Measures what has changed once in a frame, however many formulas are new or folds have opened.
function measureChanges(article) {
  let waiting; // formulas to measure in the next frame
  const measure = (formulas) => {
    if (!waiting) {
      requestAnimationFrame(() => {
        boxWideFormulas([...waiting, ...article.querySelectorAll("mjx-container.tt-wide")]); // some had no font yet
        stopAtScrollers();
        waiting = undefined;
      });
    }
    waiting = [...(waiting || []), ...formulas];
  };
  new MutationObserver((changes) => {
    const added = changes.flatMap((change) => [...change.addedNodes]);
    const formulas = added.filter((node) => node.localName === "mjx-container");
    if (formulas.length) measure(formulas);
  }).observe(article, { childList: true, subtree: true });
  let width = article.clientWidth; // which changes with the window, and with the sidebar beside the article
  new ResizeObserver(() => {
    if (article.clientWidth === width) return;
    width = article.clientWidth;
    measure(article.querySelectorAll("mjx-container"));
  }).observe(article);
  article.addEventListener("toggle", () => measure([]), true);
}

document.addEventListener("DOMContentLoaded", async () => {
  const article = document.querySelector(".bd-article");
  try {
    if (article && window.MathJax && window.MathJax.startup) {
      measureChanges(article);
      if (article.querySelector(".math")) await typesetHere();
    }
  } finally { // now the article can be used, and the site tests wait for that
    document.documentElement.classList.remove("tt-typesetting");
  }
  if (!article) return;
  stopAtScrollers();
  if (location.hash) land();
  window.addEventListener("hashchange", () => typesetHere().then(land));
});
