// @ts-check
/**
 * Marks that the server has joined into one path, because browsers are slow with very many elements. Its attribute
 * `data-rows` lists the records of its subpaths (`0-99 7`), each of which begins with `M`. A mark gets an element of
 * its own, with `data-row`, when somebody selects it.
 */

/** Distance in pixels at which a pointer still hits a thin line. */
const LINE_REACH = 3;

/** A box in the coordinates of the image. @typedef {{ x0: number, y0: number, x1: number, y1: number }} Box */

/** Returns the records of the subpaths. @param {Element} path @returns {number[]} */
function listRows(path) {
  return (path.getAttribute("data-rows") ?? "").split(" ").flatMap((part) => {
    const [start, end = start] = part.split("-").map(Number);
    return Array.from({ length: end - start + 1 }, (_, index) => start + index);
  });
}

/** Returns the subpaths. @param {Element} path @returns {string[]} */
const listSubpaths = (path) => (path.getAttribute("d") ?? "").split(/(?=M)/);

/** Returns the box of a rectangle, line or circle, which are the only forms. @param {string} subpath @param {number} strokeWidth @returns {Box} */
export function measureSubpath(subpath, strokeWidth) {
  const [x, y, first = 0, second = 0] = (subpath.match(/-?\d*\.?\d+(?:e-?\d+)?/g) ?? []).map(Number);
  const half = strokeWidth / 2;
  const form = /[hHVLa]/.exec(subpath)?.[0];
  if (form === "a") return { x0: x - half, y0: y - first - half, x1: x + 2 * first + half, y1: y + first + half };
  const isRectangle = subpath.includes("v");
  const [toX, toY] = isRectangle ? [x + first, y + second] : form === "h" ? [x, y] : form === "H" ? [first, y] : form === "V" ? [x, first] : [first, second];
  return { x0: Math.min(x, toX) - half, y0: Math.min(y, toY) - half, x1: Math.max(x, toX) + half, y1: Math.max(y, toY) + half };
}

/** Returns the width of the outline of a path; 0 without one. @param {Element} path */
const readStrokeWidth = (path) => (path.hasAttribute("stroke") ? Number(path.getAttribute("stroke-width") ?? 1) : 0);

/** Lists the joined marks of an image. @param {ParentNode} root @returns {{ row: number, field: string | null, box: Box }[]} */
export function listJoinedMarks(root) {
  return [...root.querySelectorAll("[data-rows]")].flatMap((path) => {
    const [rows, strokeWidth, field] = [listRows(path), readStrokeWidth(path), path.getAttribute("data-field")];
    return listSubpaths(path).map((subpath, index) => ({ row: rows[index], field, box: measureSubpath(subpath, strokeWidth) }));
  });
}

/**
 * Gives some subpaths of a path elements of their own, right above it. The image looks the same.
 * @param {Element} path
 * @param {(row: number, index: number) => boolean} isWanted
 * @returns {Element[]} the new elements
 */
function separate(path, isWanted) {
  const rows = listRows(path);
  const isSeparate = rows.map(isWanted);
  if (!isSeparate.includes(true)) return [];
  const subpaths = listSubpaths(path);
  const elements = rows.flatMap((row, index) => {
    if (!isSeparate[index]) return [];
    const element = /** @type {Element} */ (path.cloneNode());
    element.setAttribute("d", subpaths[index]);
    element.removeAttribute("data-rows");
    element.setAttribute("data-row", String(row));
    return [element];
  });
  path.after(...elements);
  const isJoined = (/** @type {unknown} */ _, /** @type {number} */ index) => !isSeparate[index];
  path.setAttribute("d", subpaths.filter(isJoined).join(""));
  path.setAttribute("data-rows", rows.filter(isJoined).join(" "));
  if (rows.every((_, index) => isSeparate[index])) path.remove();
  return elements;
}

/** Gives all joined marks of a record elements of their own. @param {ParentNode} root @param {number} row */
export function separateRow(root, row) {
  for (const path of root.querySelectorAll("[data-rows]")) separate(path, (candidate) => candidate === row);
}

/**
 * Gives the mark below the pointer an element of its own, if a joined path is uppermost there.
 * @param {ShadowRoot | Document} root
 * @param {{ clientX: number, clientY: number }} pointer
 * @returns {Element | null} the new element
 */
export function separateAt(root, { clientX, clientY }) {
  const path = root.elementsFromPoint(clientX, clientY).find((element) => element.hasAttribute("data-row") || element.hasAttribute("data-rows"));
  if (!(path instanceof SVGGraphicsElement) || !path.hasAttribute("data-rows")) return null;
  const matrix = path.getScreenCTM();
  if (!matrix) return null;
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
  const [strokeWidth, reach] = [readStrokeWidth(path), LINE_REACH / matrix.a];
  const distances = listSubpaths(path).map((subpath) => {
    const { x0, y0, x1, y1 } = measureSubpath(subpath, strokeWidth);
    return Math.hypot(Math.max(x0 - x, 0, x - x1), Math.max(y0 - y, 0, y - y1));
  });
  const nearest = Math.min(...distances);
  const index = nearest <= reach ? distances.lastIndexOf(nearest) : -1;
  return separate(path, (_, candidate) => candidate === index)[0] ?? null;
}
