// Run inside a page that has axe: returns what is critical or serious for readers who hear it or use no pointer.
async () => {
  // The inside of formulas is MathJax's own, and as many elements as the rest of the site a hundred times over: a block
  // of the same size stands for each, so that what scrolls still scrolls.
  const formulas = [...document.querySelectorAll("mjx-math")];
  const sizes = formulas.map((formula) => formula.getBoundingClientRect());
  formulas.forEach((formula, place) => {
    const { width, height } = sizes[place];
    const block = document.createElement("span");
    block.style.cssText = `display: inline-block; width: ${width}px; height: ${height}px`;
    if (width) formula.replaceWith(block);
  });
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const options = { runOnly: tags, rules: { "target-size": { enabled: true } }, resultTypes: ["violations"] };
  const { violations } = await axe.run(document, options);
  const grave = violations.filter(({ impact }) => impact === "critical" || impact === "serious");
  return grave.flatMap(({ id, impact, nodes }) => nodes.map(({ target }) => `${impact} for axe, ${id}: ${target.join(" ")}`));
}
