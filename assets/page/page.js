// Keyboard navigation between the marks of the image: one tab stop, arrow keys move between marks.
(() => {
  "use strict";
  // The container listens, because browsers add a tab stop to an SVG with focus listeners.
  const picture = document.querySelector(".picture");
  const svg = picture.querySelector("svg");
  const tip = document.querySelector(".tip");
  const label = (mark) => mark.querySelector(":scope > title")?.textContent ?? "";
  const seen = new Set();
  const marks = [...svg.querySelectorAll("[data-part]")].filter((mark) => {
    const { part, row, field } = mark.dataset;
    const name = JSON.stringify([part, row, field, label(mark)]);
    const isNew = label(mark) !== "" && !seen.has(name);
    seen.add(name);
    return isNew;
  });
  if (marks.length === 0) return;

  // With focusable marks the SVG is a group, not a single image.
  const [title, about] = (svg.getAttribute("aria-labelledby") ?? "").split(" ");
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-labelledby", title);
  svg.setAttribute("aria-describedby", about);
  marks.forEach((mark, index) => {
    mark.setAttribute("role", "img");
    mark.setAttribute("aria-label", label(mark));
    mark.setAttribute("tabindex", index === 0 ? "0" : "-1");
  });

  let now = 0;
  const setTabStop = (index) => {
    marks[now].setAttribute("tabindex", "-1");
    now = Math.min(Math.max(index, 0), marks.length - 1);
    marks[now].setAttribute("tabindex", "0");
  };
  const hide = () => {
    tip.hidden = true;
  };
  const show = (mark) => {
    const at = mark.getBoundingClientRect();
    tip.textContent = label(mark);
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const left = at.left + at.width / 2 - width / 2;
    const top = at.top - height - 8;
    const within = (place, most) => Math.max(4, Math.min(place, most - 4));
    tip.style.left = `${within(left, innerWidth - width)}px`;
    tip.style.top = `${within(top < 4 ? at.bottom + 8 : top, innerHeight - height)}px`;
  };

  picture.addEventListener("focusin", (event) => {
    const index = marks.indexOf(event.target);
    if (index < 0) return;
    setTabStop(index);
    show(marks[index]);
  });
  picture.addEventListener("focusout", hide);
  addEventListener("resize", () => {
    if (!tip.hidden) show(marks[now]);
  });
  picture.addEventListener("keydown", (event) => {
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
    if (event.key === "Escape") hide();
    const step = steps[event.key];
    if (step === undefined || !marks.includes(event.target)) return;
    event.preventDefault();
    setTabStop(now + step);
    marks[now].focus();
  });
})();
