// A block of code with a copy button.

import { el } from "./dom.js";
import { t } from "./texts.js";

export function codeBlock(text) {
  const button = el("button.copy", { type: "button" }, t("copy"));
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = t("copied");
    setTimeout(() => (button.textContent = t("copy")), 1500);
  });
  return el("div.codeblock", {}, button, el("pre", { tabindex: "0" }, el("code", {}, text)));
}
