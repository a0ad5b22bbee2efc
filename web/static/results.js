// What the search says of a page it has found, and in which order pages stand: words of the text without formulas as
// TeX, code and what only looks after the page; first what has the words in its title, last the pages of reference.
"use strict";

const UNSAID = ".headerlink, script, style, noscript, svg, div.math, .cell_input, .tt-signs, .tt-links, .tt-verdict, details";
const SHORT = /^\\\(([\w\s=+,.'-]{1,12})\\\)$/; // a formula that is its own words

function wordsOf(html, anchor) {
  const article = new DOMParser().parseFromString(html, "text/html").querySelector("article.bd-article");
  if (!article) return "";
  for (const part of article.querySelectorAll(UNSAID)) part.replaceWith(" ");
  for (const formula of article.querySelectorAll("span.math")) {
    const short = formula.textContent.match(SHORT);
    formula.replaceWith(short ? short[1] : "…");
  }
  const place = anchor && article.querySelector(anchor);
  return (place || article).textContent.replace(/\s+/g, " ").trim();
}

function scoreOf([page, title, , , score]) {
  const asked = new URLSearchParams(location.search).get("q") || "";
  const words = asked.toLowerCase().split(/\s+/).filter((word) => word.length > 1);
  const named = words.filter((word) => title.toLowerCase().includes(word)).length / (words.length || 1);
  const meant = title.toLowerCase() === words.join(" "); // exercise 17, not exercise 117
  return score + 20 * named + 10 * meant - (page.startsWith("book/reference/") ? 12 : 0);
}

document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  Search.htmlToText = wordsOf;
  Scorer.score = scoreOf;
});
