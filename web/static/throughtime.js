// An inline formula cannot break. One that is wider than its line scrolls inside its own box, not with the page.
"use strict";

function boxWideFormulas() {
  const formulas = [...document.querySelectorAll("mjx-container:not([display])")];
  // All are measured between two changes: to measure after each change would lay out the page once for each formula.
  for (const formula of formulas) formula.classList.remove("tt-wide");
  const wide = formulas.filter((formula) => {
    const line = formula.closest("p, li, td, th, dd, dt, summary, figcaption, h1, h2, h3, h4, div");
    return line && formula.getBoundingClientRect().width > line.clientWidth;
  });
  for (const formula of wide) formula.classList.add("tt-wide");
}

window.addEventListener("load", () => {
  if (window.MathJax && window.MathJax.startup) {
    window.MathJax.startup.promise.then(boxWideFormulas);
    window.addEventListener("resize", boxWideFormulas);
  }
});
