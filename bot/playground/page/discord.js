// What a message of Discord's has beside its text: embeds, whom it answers, what it forwards.

import { el, icon } from "./dom.js";
import { discordMarkdown } from "./markdown.js";
import { personName, plain } from "./refs.js";
import { t } from "./texts.js";

const EXCERPT = 90;

/** The nodes over and in a message's body. */
export function discordContent(message) {
  if (message.loading && !message.text) return [el("p.thinking", { role: "status" }, el("i"), t("thinking"))];
  const shown = message.text ? [discordMarkdown(message.text)] : [];
  if (message.forwarded) shown.push(forwarded(message.forwarded));
  return [...shown, ...(message.embeds ?? []).map(embed)];
}

function forwarded({ text, files }) {
  return el(
    "blockquote.forwarded",
    {},
    el("small", {}, t("forwarded")),
    text && discordMarkdown(text),
    files > 0 && el("small", {}, t("files", { count: files })),
  );
}

function embed(given) {
  return el(
    "div.embed",
    {},
    given.author?.name && el("small", {}, given.author.name),
    given.title && el("b", {}, given.title),
    given.description && discordMarkdown(given.description),
    given.fields?.map((field) => el("div.field-of", {}, el("b", {}, field.name), discordMarkdown(field.value))),
    given.footer?.text && el("small", {}, given.footer.text),
  );
}

/** The line over a message that answers another, or that a command has made. */
export function lineOver(message, go) {
  if (message.asked?.command) {
    return el("div.line-over", {}, icon("curve"), el("b", {}, personName(message.asked.user)), t("used", { command: message.asked.command }));
  }
  if (!message.answers) return null;
  const { ts, user, username, text } = message.answers;
  if (!user) return el("div.line-over", {}, icon("curve"), t("deleted"));
  const words = plain(text).replace(/\s+/g, " ").trim();
  return el(
    "button.line-over",
    { type: "button", onclick: () => go(ts) },
    icon("curve"),
    el("b", {}, username || personName(user)),
    el("span", {}, words ? words.slice(0, EXCERPT) : t("a_file")),
  );
}
