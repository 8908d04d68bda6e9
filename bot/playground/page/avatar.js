// Faces: the first sign of a name on a quiet colour; the bot has its own mark.

import { el } from "./dom.js";
import { state } from "./store.js";

export function avatar(id, kind = "") {
  const person = state.people.get(id);
  if (id === state.bot) {
    return el("span.avatar.bot", { class: kind, "aria-hidden": "true" }, el("img", { src: "/page/icon.svg", alt: "" }));
  }
  const first = [...(person?.name ?? "?")][0];
  const color = `color-${person?.color || "teal"}`;
  return el("span.avatar", { class: `${color} ${kind}`, "aria-hidden": "true" }, first);
}
