// @ts-check
/* Applies the chosen light or dark appearance before the first paint. A classic script, because a
   module runs after the first paint. */
(() => {
  try {
    const chosen = localStorage.getItem("appearance");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.appearance = chosen;
  } catch {
    // Without storage the page uses the system setting.
  }
})();
