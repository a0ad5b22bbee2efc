// An inline formula cannot break. One that is wider than its line scrolls inside its own box, not with the page.
"use strict";

function boxWideFormulas() {
  for (const formula of document.querySelectorAll("mjx-container:not([display])")) {
    formula.classList.remove("tt-wide");
    const line = formula.closest("p, li, td, th, dd, dt, summary, figcaption, h1, h2, h3, h4, div");
    if (line && formula.getBoundingClientRect().width > line.clientWidth) {
      formula.classList.add("tt-wide");
    }
  }
}

window.addEventListener("load", () => {
  if (window.MathJax && window.MathJax.startup) {
    window.MathJax.startup.promise.then(boxWideFormulas);
    window.addEventListener("resize", boxWideFormulas);
  }
});
