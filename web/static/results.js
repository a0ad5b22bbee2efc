// What the search says of a page it has found, and in which order pages stand: words of the text without formulas as
// TeX, code and what only looks after the page; first what has the words in its title or under whose term of the index it
// stands, last the pages of reference and statements that were not asked for.
"use strict";

const UNSAID = ".headerlink, script, style, noscript, svg, div.math, .cell_input, .tt-signs, .tt-links, .tt-verdict, .tt-apart, details";
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

// Words by their stems, without those that a question has for its grammar.
const GRAMMAR = new Set("a an and are can do does for from how i in is it its my of on or the this to what when which why with".split(" "));
const stems = (text) => text.toLowerCase().split(/[^\p{Letter}\p{Number}]+/u)
  .filter((word) => word && !GRAMMAR.has(word)).map((word) => new Stemmer().stemWord(word));

// How well a name answers what was asked: 1 if both have the same words, 0 if none is in both.
function overlap(asked, name) {
  const [one, other] = [new Set(asked), new Set(name)];
  const shared = [...one].filter((word) => other.has(word)).length;
  return (2 * shared) / (one.size + other.size || 1);
}

// The terms of the index whose main entry is a page, by its file; the index has only terms and pages.
function termsByPage() {
  const found = {};
  for (const [term, entries] of Object.entries(Search._index.indexentries)) {
    for (const [file, , isMain] of entries) if (isMain) (found[file] ||= []).push(stems(term));
  }
  return found;
}

let terms;

const ID = /^[a-z]+\d*-[\w-]+$/;
const STATEMENT = /^equation(, \w+)?, in /;

function scoreOf([page, title, anchor, about, score]) {
  const query = (new URLSearchParams(location.search).get("q") || "").toLowerCase().trim();
  if (STATEMENT.test(about || "")) { // a statement by its id, or by a word of its title such as (A.12)
    const [name, ...words] = title.toLowerCase().split(": ");
    if (ID.test(query)) return score + (name === query ? 200 : 0);
    const said = words.join(": ").replace(/[(),;]/g, " ");
    return score + (/\d/.test(query) && ` ${said} `.includes(` ${query} `) ? 60 : -40);
  }
  terms ||= termsByPage();
  const asked = stems(query);
  const names = [stems(title), ...(terms[Search._index.docnames.indexOf(page)] || [])];
  const meant = title.toLowerCase() === query; // exercise 17, not exercise 117
  const whole = anchor ? 0 : 60 * Math.max(...names.map((name) => overlap(asked, name)));
  return score + whole + 10 * meant - (page.startsWith("book/reference/") ? 12 : 0);
}

document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  Search.htmlToText = wordsOf;
  Scorer.score = scoreOf;
});
