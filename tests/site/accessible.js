// Run inside a page that has axe: returns what is critical or serious for readers who hear it or use no pointer.
async () => {
  // What MathJax and matplotlib have drawn are as many elements as the rest of the site a hundred times over: a block of
  // the same size stands for the inside of each formula, so that what scrolls still scrolls, and figures stay empty.
  const formulas = [...document.querySelectorAll("mjx-container")];
  const sizes = formulas.map((formula) => formula.querySelector("mjx-math")?.getBoundingClientRect());
  formulas.forEach((formula, place) => {
    if (!sizes[place]) return;
    const block = document.createElement("span");
    block.style.cssText = `display: inline-block; width: ${sizes[place].width}px; height: ${sizes[place].height}px`;
    formula.replaceChildren(block);
  });
  for (const figure of document.querySelectorAll("svg[role=img]")) figure.replaceChildren();
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const rules = { "target-size": { enabled: true } };
  const options = { runOnly: tags, rules, resultTypes: ["violations"], preload: false };
  const { violations } = await axe.run(document, options);
  const grave = violations.filter(({ impact }) => impact === "critical" || impact === "serious");
  return grave.flatMap(({ id, impact, nodes }) => nodes.map(({ target }) => `${impact} for axe, ${id}: ${target.join(" ")}`));
}
