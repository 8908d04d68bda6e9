// A short notice at the foot of the page, and a question with two answers.

import { el } from "./dom.js";
import { hasText, t } from "./texts.js";

const SHOWN_MS = 5000;
let timer = 0;

export function toast(text) {
  const node = document.getElementById("toast");
  node.textContent = text;
  node.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => (node.hidden = true), SHOWN_MS);
}

export function toastError(error) {
  if (error === "offline") return toast(t("page_off"));
  toast(hasText(`error_${error}`) ? t(`error_${error}`) : t("error_other", { error }));
}

/** True if the person says yes. */
export function ask({ title, text, yes, no, danger }) {
  const dialog = document.getElementById("confirm");
  const answer = (value) => () => dialog.close(value);
  const buttons = el(
    "div.editor-row",
    {},
    el("button.quiet", { type: "button", onclick: answer("no") }, no),
    el("button.primary", { type: "button", class: danger ? "danger" : "", onclick: answer("yes") }, yes),
  );
  dialog.replaceChildren(el("h2", {}, title), el("p", {}, text), buttons);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}
