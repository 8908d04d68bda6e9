// Blocks of a message as nodes.

import { el } from "./dom.js";
import { markdown, tableOf } from "./markdown.js";
import { inline, mrkdwn } from "./mrkdwn.js";
import { decode, emoji, emojiText, link, personName, reference } from "./refs.js";
import { t } from "./texts.js";

/** The nodes of `blocks`; `press(element, button)` is called for a click. */
export function renderBlocks(blocks, press) {
  return blocks.map((block) => RENDER[block.type]?.(block, press)).filter(Boolean);
}

const RENDER = {
  markdown: (block) => markdown(block.text ?? ""),
  header: (block) => el("h3.text", {}, textOf(block.text)),
  divider: () => el("hr"),
  section: (block, press) =>
    el(
      "div.section",
      {},
      el(
        "div.grow",
        {},
        block.text && body(block.text),
        block.fields && el("div.fields", {}, block.fields.map(body)),
      ),
      block.accessory && element(block.accessory, press),
    ),
  context: (block) => el("div.footnote", {}, block.elements.map((e) => el("span", {}, contextPart(e)))),
  actions: (block, press) => el("div.actions", {}, block.elements.map((e) => element(e, press))),
  image: (block) => link(block.image_url, t("image", { name: block.alt_text ?? "" })),
  table: (block) => {
    const [head = [], ...rows] = block.rows ?? [];
    const row = (kind) => (cell) => el(kind, {}, cellOf(cell));
    return tableOf(head.map(row("th")), rows.map((cells) => cells.map(row("td"))));
  },
  rich_text: (block) => el("div.text", {}, (block.elements ?? []).map(rich)),
};

const body = (text) => (text.type === "mrkdwn" ? mrkdwn(text.text) : el("div.text", {}, textOf(text)));

const textOf = (text) =>
  decode(text?.text ?? "").replace(/:([a-z0-9_+-]+):/g, (whole, name) => emojiText(name));

function contextPart(part) {
  if (part.type === "image") return part.alt_text ?? "";
  if (part.type !== "mrkdwn") return textOf(part);
  return part.text.split("\n").map((line, number) => [number ? el("br") : "", inline(line)]);
}

function element(given, press) {
  if (given.type !== "button") return null;
  const props = { type: "button", class: given.style ?? "", disabled: given.disabled };
  const button = el("button.action", props, textOf(given.text));
  button.dataset.action = given.action_id;
  // A link button opens its address and tells the app as well.
  if (given.url) button.addEventListener("click", () => link(given.url).click());
  button.addEventListener("click", () => press(given, button));
  return button;
}

const cellOf = (cell) => (cell.type === "rich_text" ? (cell.elements ?? []).map(rich) : decode(cell.text ?? ""));

function rich(part) {
  switch (part.type) {
    case "rich_text_section":
      return el("span", {}, part.elements.map(rich));
    case "rich_text_quote":
      return el("blockquote", {}, part.elements.map(rich));
    case "rich_text_preformatted":
      return el("pre", {}, part.elements.map(rich));
    case "rich_text_list":
      return el(part.style === "ordered" ? "ol" : "ul", {}, part.elements.map((e) => el("li", {}, rich(e))));
    case "text":
      return styled(part);
    case "link":
      return link(part.url, part.text ?? part.url);
    case "emoji":
      return emoji(part.name);
    case "user":
      return reference(`@${part.user_id}`) ?? personName(part.user_id);
    default:
      return null;
  }
}

function styled(part) {
  const style = part.style ?? {};
  let node = part.text;
  if (style.code) node = el("code", {}, node);
  if (style.bold) node = el("strong", {}, node);
  if (style.italic) node = el("em", {}, node);
  if (style.strike) node = el("s", {}, node);
  return node;
}
