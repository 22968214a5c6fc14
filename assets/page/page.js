// Tells the page around the frame which height the chart needs at the width of the frame, so that the embed
// code with a script can follow. The size reveals nothing else, so any page may receive it.
(() => {
  "use strict";
  if (parent === window) return;
  const { width, height } = document.querySelector(".picture > svg").viewBox.baseVal;
  const bar = document.querySelector("main > .bar");
  const sendHeight = () => {
    const needed = Math.ceil((innerWidth * height) / width + (bar ? bar.offsetHeight : 0));
    parent.postMessage({ type: "chartroom-height", height: needed }, "*");
  };
  addEventListener("resize", sendHeight);
  sendHeight();
})();

// Keyboard navigation between the marks of the image: one tab stop, arrow keys move between marks. The
// focused mark shows its title as a tooltip. Of marks with the same part, row, field and title, only the
// first one can be focused. Marks without a title cannot be focused.
(() => {
  "use strict";
  // The container has the listeners, because browsers add a tab stop to an SVG with focus listeners.
  const container = document.querySelector(".picture");
  const svg = container.querySelector("svg");
  const tooltip = document.querySelector(".tip");
  const getLabel = (mark) => mark.querySelector(":scope > title")?.textContent ?? "";
  const seenMarks = new Set();
  const marks = [...svg.querySelectorAll("[data-part]")].filter((mark) => {
    const { part, row, field } = mark.dataset;
    const identity = JSON.stringify([part, row, field, getLabel(mark)]);
    const isNew = getLabel(mark) !== "" && !seenMarks.has(identity);
    seenMarks.add(identity);
    return isNew;
  });
  if (marks.length === 0) return;

  // With focusable marks the SVG is a group, not a single image.
  const [title, description] = (svg.getAttribute("aria-labelledby") ?? "").split(" ");
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-labelledby", title);
  svg.setAttribute("aria-describedby", description);
  marks.forEach((mark, index) => {
    mark.setAttribute("role", "img");
    mark.setAttribute("aria-label", getLabel(mark));
    mark.setAttribute("tabindex", index === 0 ? "0" : "-1");
  });

  let currentIndex = 0;
  const setTabStop = (index) => {
    marks[currentIndex].setAttribute("tabindex", "-1");
    currentIndex = Math.min(Math.max(index, 0), marks.length - 1);
    marks[currentIndex].setAttribute("tabindex", "0");
  };
  const hideTooltip = () => {
    tooltip.hidden = true;
  };
  const showTooltip = (mark) => {
    const box = mark.getBoundingClientRect();
    tooltip.textContent = getLabel(mark);
    tooltip.hidden = false;
    const { width, height } = tooltip.getBoundingClientRect();
    const left = box.left + box.width / 2 - width / 2;
    const top = box.top - height - 8;
    const clamp = (position, max) => Math.max(4, Math.min(position, max - 4));
    tooltip.style.left = `${clamp(left, innerWidth - width)}px`;
    tooltip.style.top = `${clamp(top < 4 ? box.bottom + 8 : top, innerHeight - height)}px`;
  };

  container.addEventListener("focusin", (event) => {
    const index = marks.indexOf(event.target);
    if (index < 0) return;
    setTabStop(index);
    showTooltip(marks[index]);
  });
  container.addEventListener("focusout", hideTooltip);
  addEventListener("resize", () => {
    if (!tooltip.hidden) showTooltip(marks[currentIndex]);
  });
  container.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const steps = {
      ArrowRight: 1,
      ArrowDown: 1,
      ArrowLeft: -1,
      ArrowUp: -1,
      PageDown: 10,
      PageUp: -10,
      Home: -Infinity,
      End: Infinity,
    };
    if (event.key === "Escape") hideTooltip();
    const step = steps[event.key];
    if (step === undefined || !marks.includes(event.target)) return;
    event.preventDefault();
    setTabStop(currentIndex + step);
    marks[currentIndex].focus();
  });
})();
