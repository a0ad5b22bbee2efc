// A button in the head of each statement's box that copies its formulas as TeX.
"use strict";

// The displayed formulas that stand open in a box: as printed or as read, and as corrected.
function texOf(box) {
  const items = [...window.MathJax.startup.document.getMathItemsWithin(box)];
  const open = items.filter((item) => item.display && !item.start.node.parentElement.closest("details"));
  return open.map((item) => item.math.trim()).join("\n\n");
}

document.addEventListener("DOMContentLoaded", () => {
  if (!navigator.clipboard || !window.MathJax) return;
  for (const signs of document.querySelectorAll(".tt-statement > header > .tt-signs")) {
    const box = signs.closest(".tt-statement");
    const button = document.createElement("button");
    button.type = "button";
    button.title = "copy as TeX";
    button.setAttribute("aria-label", `copy ${box.id} as TeX`);
    button.textContent = "TeX";
    button.onclick = async () => {
      await navigator.clipboard.writeText(texOf(box));
      button.textContent = "copied";
      setTimeout(() => (button.textContent = "TeX"), 1500);
    };
    signs.prepend(button);
  }
});
