// Faces: the first sign of a name on a quiet colour; the bot has its own mark.

import { el } from "./dom.js";
import { emoji, isEmoji, signName } from "./refs.js";
import { state } from "./store.js";

const COLORS = ["teal", "plum", "amber", "moss", "slate"];

export function avatar(id, kind = "") {
  const person = state.people.get(id);
  if (id === state.bot) {
    return el("span.avatar.bot", { class: kind, "aria-hidden": "true" }, el("img", { src: "/page/icon.svg", alt: "" }));
  }
  const first = [...(person?.name ?? "?")][0];
  const color = `color-${person?.color || "teal"}`;
  return el("span.avatar", { class: `${color} ${kind}`, "aria-hidden": "true" }, first);
}

/** The face of a message: a teammate of the bot's speaks under a name and face of its own. */
export function faceOf(message, kind = "") {
  if (!message.username) return avatar(message.user, kind);
  if (message.face?.startsWith(`${location.origin}/`)) {
    return el("span.avatar", { class: kind, "aria-hidden": "true" }, el("img", { src: message.face, alt: "" }));
  }
  const [first] = message.username;
  const name = message.icons?.emoji?.replaceAll(":", "") ?? signName(first);
  if (isEmoji(name) || /\p{Extended_Pictographic}/u.test(name)) return el("span.avatar.teammate", { class: kind, "aria-hidden": "true" }, emoji(name));
  const color = COLORS[[...message.username].reduce((sum, c) => sum + c.codePointAt(0), 0) % COLORS.length];
  return el("span.avatar", { class: `color-${color} ${kind}`, "aria-hidden": "true" }, first);
}
