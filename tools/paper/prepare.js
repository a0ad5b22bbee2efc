// In a page of the site that is about to be printed (tools/paper/printing.py).
"use strict";

const paper = {
  SMALLEST: 0.55, // of its size: a formula that would be smaller goes beyond its line
  OPENED: ".tt-statement > details:has(> ul:not(.tt-checks)), details:has(> .tt-proof)",
  KEPT: ".tt-statement, .exercise, .admonition, figure, .cell_output img, table, div.cell_input, .output.stream, .tt-play",

  async prepare(height) {
    const article = document.querySelector("article");
    for (const fold of article.querySelectorAll(paper.OPENED)) fold.open = true;
    paper.replaceChinese(article);
    await paper.typeset();
    for (const button of article.querySelectorAll(".toggle-hidden button.toggle-button")) button.click();
    paper.fit(article);
    for (const box of article.querySelectorAll(paper.KEPT)) {
      const most = (box.localName === "table" ? 0.3 : 0.6) * height; // a table has its head on each page
      box.style.breakInside = box.getBoundingClientRect().height < most ? "avoid" : "auto";
    }
    paper.target(article);
    return paper.headings();
  },

  async typeset() {
    await window.MathJax?.startup.promise;
    await window.MathJax?.startup.document.lazyTypesetAll?.();
    await document.fonts.ready;
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  },

  // Without a font for Chinese all its characters are the same box.
  replaceChinese(article) {
    const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const looks = ["遺", "忘"].map((character) => {
      pen.clearRect(0, 0, 32, 32);
      pen.font = "24px sans-serif";
      pen.fillText(character, 0, 26);
      return pen.getImageData(0, 0, 32, 32).data.join();
    });
    const runs = looks[0] === looks[1] ? article.querySelectorAll("[lang=zh-Hant]") : [];
    for (const run of runs) run.textContent = "[Chinese]";
    paper.replaced = runs.length > 0;
  },

  // All are measured before one is changed: to measure after each would lay out the page once for each formula.
  fit(article) {
    const wide = [];
    for (const formula of article.querySelectorAll("mjx-container")) {
      const line = formula.hasAttribute("display") || formula.matches(".tt-wide") ? formula : undefined;
      if (line && line.scrollWidth > line.clientWidth + 1) wide.push([formula, line.clientWidth / line.scrollWidth]);
    }
    for (const [formula, share] of wide) formula.style.fontSize = `${100 * Math.max(share * 0.98, paper.SMALLEST)}%`;
  },

  // As the site's file has them, since a typeset formula has no text.
  async headings() {
    const answer = await fetch(location.href);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return [...page.querySelectorAll("article :is(h1, h2)")].map((heading) => {
      for (const link of heading.querySelectorAll(".headerlink")) link.remove();
      return [Number(heading.localName[1]), paper.words(heading), heading.innerHTML, heading.closest("section").id];
    });
  },

  words: (heading) => heading.textContent.replace(/\\[()]/g, "").trim(),

  // Chromium keeps the place of an id only if a link leads there.
  target(article) {
    for (const { id } of article.querySelectorAll("[id]:not(svg *)")) {
      const link = document.createElement("a");
      link.href = `#${id}`;
      link.hidden = true;
      article.append(link);
    }
  },

  exercises() {
    const article = document.querySelector("article");
    const exercises = [...article.querySelectorAll("div.exercise")];
    if (exercises.length) article.replaceChildren(article.querySelector("h1"), ...exercises);
    return exercises.length;
  },

  async contents(html) {
    document.querySelector("article").innerHTML = html;
    await window.MathJax?.typesetPromise([document.querySelector("article")]);
    await paper.typeset();
  },
};
