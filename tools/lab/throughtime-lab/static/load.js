// An extension of JupyterLab (`make lab`) for what jupyterlab_myst leaves open: it knows no bibliography, and a link to
// a page by the name that the site has, without suffix, leads nowhere. Written as a build of one would be.
"use strict";

(() => {
  const UNKNOWN = '[title="Citation Not Found"]';

  // Of each entry of a file of BibTeX its authors and year, by key.
  function sources(bibtex) {
    const found = {};
    for (const [, key, entry] of bibtex.matchAll(/^@\w+\{(\S+),$([^]*?)^\}/gm)) {
      const [authors, year] = ["author", "year"].map((name) => entry.match(new RegExp(`^ *${name} *= *\\{(.*)\\},?$`, "m"))[1]);
      const names = authors.split(" and ").map((author) => author.split(",")[0]);
      found[key] = `[${names.length > 2 ? `${names[0]} et al.` : names.join(" and ")}, ${year}]`;
    }
    return found;
  }

  // React keeps these elements: they are changed and none is taken away.
  function name(known) {
    for (const citation of document.querySelectorAll(UNKNOWN)) {
      const text = citation.lastChild;
      if (!known[text.data]) continue;
      text.data = known[text.data];
      citation.title = "";
      citation.className = "";
      citation.querySelector("svg").style.display = "none";
    }
  }

  function activate({ commands, serviceManager, shell }) {
    const read = serviceManager.contents.get("references.bib").then(({ content }) => sources(content), () => ({}));
    read.then((known) => {
      new MutationObserver(() => name(known)).observe(shell.node, { childList: true, subtree: true });
      name(known);
    });
    const open = async (path) => {
      const { content } = await serviceManager.contents.get(path.replace(/\/?[^/]*$/, ""));
      const found = content.find((file) => [`${path}.ipynb`, `${path}.md`].includes(file.path));
      const factory = found?.type === "notebook" ? "Notebook" : "Markdown Preview";
      if (found) commands.execute("docmanager:open", { path: found.path, factory });
    };
    const files = `${serviceManager.serverSettings.baseUrl}files/`;
    shell.node.addEventListener("click", (event) => {
      const address = event.target.closest(".jp-MarkdownCell a, .jp-MarkdownViewer a")?.href.split(/[?#]/)[0];
      if (!address?.startsWith(files) || /\.\w+$/.test(address)) return;
      event.preventDefault();
      event.stopPropagation(); // else JupyterLab opens what is not there
      open(decodeURIComponent(address.slice(files.length)));
    }, true);
  }

  const plugin = { id: "throughtime-lab:plugin", autoStart: true, activate };
  window._JUPYTERLAB ??= {};
  window._JUPYTERLAB["throughtime-lab"] = { init: () => {}, get: async () => () => plugin };
})();
