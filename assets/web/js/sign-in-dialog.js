// @ts-check
/** The dialog that renews an expired session over the page, so that the user loses no input. */

import { ApiError, del, get, post, readPageUserId } from "./api.js";
import { h } from "./core.js";
import { getText } from "./texts.js";
import { createField, openDialog, toSentence } from "./ui.js";

/** @typedef {{ id: string, name: string }} Person */

/** Value of the dialog's promise after a sign-in. */
const SIGNED_IN = "signed-in";

/**
 * Returns the user that the server rendered the page for. The id is empty on pages without one.
 * @returns {Person}
 */
function readPageUser() {
  const name = document.querySelector("#account .who")?.textContent?.trim() ?? "";
  return { id: readPageUserId(), name };
}

/** Whether a user is the one of the page. @param {Person} user @param {Person} pageUser */
const isPageUser = (user, pageUser) => (pageUser.id ? user.id === pageUser.id : user.name === pageUser.name);

/**
 * Asks for e-mail, password and, for an account with a second factor, a code until the user of the page is signed in. Reloads the page if another user
 * signs in and agrees.
 * @returns {Promise<boolean>} whether the user of the page is signed in; false if the dialog was dismissed
 */
export async function askSignIn() {
  const pageUser = readPageUser();
  for (;;) {
    const user = await openSignInDialog(pageUser);
    if (!user) return false;
    if (isPageUser(user, pageUser)) return true;
    if (await confirmReload(user, pageUser)) {
      location.reload();
      // The waiting requests must not continue as another user.
      return new Promise(() => {});
    }
    await del("/session", { isBackground: true });
  }
}

/**
 * Watches for a sign-in in another tab, with single sign-on for example. When the user comes back to this tab, calls
 * `onSignedIn` if somebody is signed in. Returns a function that ends it.
 * @param {(user: Person) => void} onSignedIn
 */
function watchOtherTabs(onSignedIn) {
  const check = async () => {
    if (document.visibilityState !== "visible") return;
    const response = await get("/user", { isBackground: true }).catch(() => null);
    if (response) onSignedIn(response.data);
  };
  document.addEventListener("visibilitychange", check);
  window.addEventListener("focus", check);
  return () => {
    document.removeEventListener("visibilitychange", check);
    window.removeEventListener("focus", check);
  };
}

/**
 * Opens the dialog. Returns the user who signed in, or null if the dialog was dismissed.
 * @param {Person} pageUser
 * @returns {Promise<Person | null>}
 */
async function openSignInDialog(pageUser) {
  /** @type {Person | null} */
  let user = null;
  const attrs = { required: true, autocapitalize: "none", spellcheck: "false" };
  const emailInput = h("input", { ...attrs, type: "text", name: "email", inputmode: "email", autocomplete: "username", autofocus: true });
  const passwordInput = h("input", { ...attrs, type: "password", name: "password", autocomplete: "current-password" });
  const codeInput = h("input", { type: "text", name: "code", inputmode: "numeric", autocomplete: "one-time-code", autocapitalize: "none", spellcheck: "false" });
  const codeField = createField(getText("api.code"), codeInput);
  codeField.hidden = true;
  const signIn = async () => {
    try {
      const credentials = { email: emailInput.value.trim(), password: passwordInput.value };
      const { data } = await post("/session", codeField.hidden ? credentials : { ...credentials, code: codeInput.value }, { isBackground: true });
      user = data;
    } catch (error) {
      if (!(error instanceof ApiError && error.isSignedOut)) throw error;
      const isFirstQuestion = error.code === "second_factor_required" && codeField.hidden;
      if (error.code.startsWith("second_factor_")) {
        codeField.hidden = false;
        codeInput.required = true;
      }
      if (!isFirstQuestion) dialog.setError(toSentence(error.detail || error.title));
      (error.code.startsWith("second_factor_") ? codeInput : passwordInput).select();
      return false;
    }
  };
  const dialog = openDialog({
    title: getText("api.signInAgain"),
    className: "sign-in",
    body: [
      h("p", null, pageUser.name ? getText("api.sessionOfExpired", { name: pageUser.name }) : getText("api.sessionExpired")),
      createField(getText("api.emailOrUsername"), emailInput),
      createField(getText("api.password"), passwordInput),
      codeField,
      h("p", null, h("a", { href: "/sign-in", target: "_blank", rel: "noopener" }, getText("api.otherTab"))),
    ],
    actions: [{ label: getText("common.cancel"), value: "" }, { label: getText("api.signIn"), value: SIGNED_IN, run: signIn }],
  });
  const stopWatching = watchOtherTabs((other) => {
    user = other;
    dialog.close(SIGNED_IN);
  });
  const result = await dialog.closed;
  stopWatching();
  return result === SIGNED_IN ? user : null;
}

/**
 * Asks whether to reload the page for another user.
 * @param {Person} user
 * @param {Person} pageUser
 * @returns {Promise<boolean>}
 */
async function confirmReload(user, pageUser) {
  const { closed } = openDialog({
    title: getText("api.reloadQuestion"),
    body: h("p", null, getText("api.otherUser", { owner: pageUser.name, name: user.name })),
    actions: [{ label: getText("api.signInAs", { name: pageUser.name }), value: "" }, { label: getText("common.reload"), value: "reload", run: () => true }],
  });
  return (await closed) === "reload";
}
