// Run inside a page: returns what a reader would find wrong with it, as a list of sentences.
() => {
  const faults = [];
  const shorten = (text) => text.trim().replace(/\s+/g, " ").slice(0, 80);
  const name = (element) => `<${element.localName} class="${element.getAttribute("class") || ""}">`;

  // ---- mathematics: errors, and TeX that nobody typeset
  for (const error of document.querySelectorAll("mjx-merror, merror")) {
    faults.push(`mathematics in error: ${error.getAttribute("data-mjx-error") || shorten(error.textContent)}`);
  }
  const markdown = /\n[ \t]*(\d+[.)]|[-*+]) |(?<![\w*])\*{1,2}\w[^*\n]*\w\*{1,2}(?![\w*])|`|\]\([^)\s]*[./#]|:::/; // lists, emphasis, code, links
  const tex = /\\[()[\]]|\\[a-zA-Z]{2,}|\$\$|\$[^$\n]{1,80}\$|(?<!\d ?)\$\s*$/; // and half a formula: a table was cut at its bar
  const typesetOrCode = "mjx-container, code, pre, kbd, samp, script, style, noscript, textarea, svg";
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (tex.test(node.data) && !node.parentElement.closest(typesetOrCode)) {
      faults.push(`untypeset mathematics in ${name(node.parentElement)}: ${shorten(node.data)}`);
    }
    if (markdown.test(node.data) && node.parentElement.closest("article") && !node.parentElement.closest(typesetOrCode)) {
      faults.push(`marks of Markdown in ${name(node.parentElement)}: ${shorten(node.data)}`);
    }
  }
  for (const math of document.querySelectorAll(".math")) {
    if (math.textContent.trim() && !math.querySelector("mjx-container") && !math.closest("mjx-container")) {
      faults.push(`untypeset mathematics: no formula was made of ${shorten(math.textContent)}`);
    }
  }

  // ---- figures: a text for those who cannot see them; a file's name is none
  const says = (text) => text !== null && text.trim() !== "" && !/_images\/|\.(png|svg|jpe?g|gif|webp)$/i.test(text);
  for (const image of document.querySelectorAll("img")) {
    if (!says(image.getAttribute("alt"))) {
      faults.push(`no alternative text: ${image.getAttribute("src").slice(0, 80)}`);
    }
    if (image.complete && image.naturalWidth === 0) {
      faults.push(`an image that cannot be shown: ${image.getAttribute("src").slice(0, 80)}`);
    }
  }
  for (const drawing of document.querySelectorAll("svg, canvas, [role=img]")) {
    if (drawing.localName === "img" || drawing.closest("[aria-hidden=true], mjx-container")) continue;
    const control = drawing.closest("button, summary, a"); // the icon on a control that says what it does
    if (control && [control.innerText, control.getAttribute("aria-label"), control.title].some(says)) continue;
    const title = drawing.querySelector(":scope > title");
    const labelled = (drawing.getAttribute("aria-labelledby") || "").split(/\s+/).map((id) => document.getElementById(id));
    const texts = [drawing.getAttribute("aria-label"), title && title.textContent, ...labelled.map((e) => e && e.textContent)];
    const outer = drawing.parentElement.closest("svg, [role=img]");
    if (!texts.some(says) && !outer) faults.push(`no alternative text: ${name(drawing)}`);
  }

  for (const spoken of document.querySelectorAll("article :is([alt], [aria-label])")) {
    const words = spoken.getAttribute("alt") || spoken.getAttribute("aria-label") || "";
    const printed = words.match(/.{0,30}\d[eE][-+]?\d+/);
    if (printed) faults.push(`a number as programs print it, in words for a voice: ${printed[0]}`);
  }

  // ---- captions: each figure of a cell has a number and words, in the colour of the text
  const ink = getComputedStyle(document.querySelector("article") || document.body).color;
  for (const figure of document.querySelectorAll(".cell_output :is(img, .tt-drawing)")) {
    const caption = figure.closest("figure")?.querySelector("figcaption");
    if (!caption?.querySelector(".caption-number")) faults.push(`a figure without number and caption: ${name(figure)}`);
  }
  for (const words of document.querySelectorAll("figcaption :is(p, .caption-number)")) {
    if (getComputedStyle(words).color !== ink) faults.push(`a caption that is not in the colour of the text: ${shorten(words.textContent)}`);
  }

  // ---- widths: the page never scrolls sideways, and nothing is cut off
  const width = document.documentElement.clientWidth;
  const wide = document.documentElement.scrollWidth;
  if (wide > width + 1) faults.push(`the page scrolls sideways: ${wide} px wide in a window of ${width} px`);
  const scrolls = (element) => {
    for (let box = element; box && box !== document.body; box = box.parentElement) {
      if (/auto|scroll/.test(getComputedStyle(box).overflowX)) return true;
    }
    return false;
  };
  for (const element of document.querySelectorAll("article :is(mjx-container, img, svg, table, pre, canvas)")) {
    const box = element.getBoundingClientRect();
    if (box.width > 0 && box.right > width + 1 && !scrolls(element)) {
      faults.push(`${name(element)} reaches ${Math.round(box.right - width)} px beyond the window and does not scroll`);
    }
  }

  // Lines are broken outside of brackets alone, and a long bracket scrolls: on a wide screen by half of a column at most.
  if (width >= 1200) {
    for (const formula of document.querySelectorAll('article mjx-container[display="true"]')) {
      if (!formula.checkVisibility()) continue;
      let beyond = 0;
      for (let box = formula; box && box.localName !== "article"; box = box.parentElement) {
        if (getComputedStyle(box).overflowX !== "visible") beyond = Math.max(beyond, box.scrollWidth - box.clientWidth);
      }
      if (beyond > 420) faults.push(`a formula is ${beyond} px wider than its column: ${shorten(formula.textContent)}`);
    }
  }

  // What overflows to the left of its box cannot be scrolled to.
  const frames = new Map();
  const clips = (box) => {
    if (!frames.has(box)) {
      const open = box !== document.documentElement && getComputedStyle(box).overflowX === "visible";
      frames.set(box, open ? clips(box.parentElement) : box);
    }
    return frames.get(box);
  };
  for (const element of document.querySelectorAll("article :is(mjx-math, img, svg, table, canvas)")) {
    if (!element.checkVisibility()) continue;
    const box = clips(element.parentElement);
    const hidden = box.getBoundingClientRect().left - element.getBoundingClientRect().left - box.scrollLeft;
    if (element.getBoundingClientRect().width > 0 && hidden > 1) {
      faults.push(`${name(element)} loses ${Math.round(hidden)} px on its left: ${shorten(element.textContent)}`);
    }
  }

  // ---- contrast: what cells show must be legible in either mode
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const known = new Map(); // reading a pixel back is slow, and pages use few colours
  const rgba = (colour) => {
    if (!known.has(colour)) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = colour;
      pen.fillRect(0, 0, 1, 1);
      known.set(colour, [...pen.getImageData(0, 0, 1, 1).data]);
    }
    return known.get(colour);
  };
  const luminance = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const papers = new Map();
  const behind = (element) => {
    if (element === null) return [255, 255, 255, 255];
    if (!papers.has(element)) {
      const colour = rgba(getComputedStyle(element).backgroundColor);
      papers.set(element, colour[3] > 127 ? colour : behind(element.parentElement));
    }
    return papers.get(element);
  };
  const seen = new Set();
  const path = (element) => (element.localName === "article" ? "" : path(element.parentElement) + name(element));
  for (const element of document.querySelectorAll(":is(.cell_output.text_html, .cell_output .text_html), :is(.cell_output.text_html, .cell_output .text_html) *")) {
    const shows = element.localName === "mjx-container" || [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!shows || element.closest("svg, script, style") || (element.closest("mjx-container") && element.localName !== "mjx-container")) continue;
    if (!element.checkVisibility()) { // its style is computed afresh each time: one of each kind is asked
      const kind = path(element);
      if (seen.has(kind)) continue;
      seen.add(kind);
    }
    const [ink, paper] = [luminance(rgba(getComputedStyle(element).color)), luminance(behind(element))];
    const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    const fault = `text in ${name(element)} is hard to read, contrast ${contrast.toFixed(1)}`;
    if (contrast < 3 && !seen.has(fault)) faults.push(fault);
    seen.add(fault);
  }
  return faults;
}
