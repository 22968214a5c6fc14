// @ts-check
/* Light or dark as the reader chose it, before anything is painted: a plain script, since a module
   would come too late. */
(() => {
  try {
    const chosen = localStorage.getItem("appearance");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.appearance = chosen;
  } catch {
    // A browser that keeps nothing shows what the system has.
  }
})();
