// @ts-check
/** The choice whether the first row of a source has headings, which is part of the fragment of its address. */

/** @typedef {"" | "present" | "absent"} HeadingChoice `""`: the cells decide. */

const CHOICE = /^header=(present|absent)$/;

/** Separates the choice from an address. @param {string} address @returns {{ address: string, choice: HeadingChoice }} */
export function splitHeadingChoice(address) {
  const [path, ...fragments] = address.split("#");
  const parts = fragments.join("#").split("&");
  const choice = parts.map((part) => CHOICE.exec(part)?.[1]).find(Boolean);
  if (!choice) return { address, choice: "" };
  const rest = parts.filter((part) => !CHOICE.test(part)).join("&");
  return { address: rest ? `${path}#${rest}` : path, choice: /** @type {HeadingChoice} */ (choice) };
}

/** Adds the choice to an address without one. @param {string} address @param {string} choice */
export const joinHeadingChoice = (address, choice) => (choice ? `${address}${address.includes("#") ? "&" : "#"}header=${choice}` : address);
