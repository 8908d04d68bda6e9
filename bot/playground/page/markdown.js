// Markdown of `markdown` blocks, as Slack shows it: CommonMark's rules for emphasis, plus tables.

import { el } from "./dom.js";
import { codeBlock } from "./code.js";
import { decode, emoji, link, reference } from "./refs.js";

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const QUOTE = /^ {0,3}>\s?(.*)$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const SMALL = { test: (line) => discordRules && line.startsWith("-# ") };
const TABLE_RULE = /^\s*\|?\s*:?-{1,}:?\s*(\|\s*:?-{1,}:?\s*)*\|?\s*$/;

/** Slack draws tables; Discord does not, and knows small print and spoilers. */
let discordRules = false;

export const markdown = (text) => el("div.text", {}, blocks(text.split("\n")));

/** Discord's Markdown: no entities, so what looks like one is what was typed. */
export function discordMarkdown(text) {
  discordRules = true;
  try {
    return markdown(text.replaceAll("&", "&amp;"));
  } finally {
    discordRules = false;
  }
}

function blocks(lines) {
  const made = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (!line.trim()) at += 1;
    else if (FENCE.test(line)) at = fence(lines, at, made);
    else if (HEADING.test(line)) at = heading(lines, at, made);
    else if (RULE.test(line)) {
      made.push(el("hr"));
      at += 1;
    } else if (QUOTE.test(line)) at = quote(lines, at, made);
    else if (ITEM.test(line)) at = list(lines, at, made);
    else if (SMALL.test(line)) at = small(lines, at, made);
    else if (isTable(lines, at)) at = table(lines, at, made);
    else at = paragraph(lines, at, made);
  }
  return made;
}

const startsBlock = (lines, at) =>
  [FENCE, HEADING, RULE, QUOTE, ITEM, SMALL].some((kind) => kind.test(lines[at])) || isTable(lines, at);

function fence(lines, at, made) {
  const mark = lines[at].match(FENCE)[1];
  let end = at + 1;
  while (end < lines.length && !lines[end].trim().startsWith(mark)) end += 1;
  made.push(codeBlock(lines.slice(at + 1, end).map(decode).join("\n")));
  return end + 1;
}

function heading(lines, at, made) {
  const [, signs, text] = lines[at].match(HEADING);
  made.push(el(`h${Math.min(signs.length + 2, 6)}`, {}, inline(text)));
  return at + 1;
}

function small(lines, at, made) {
  const start = at;
  while (at < lines.length && SMALL.test(lines[at])) at += 1;
  const text = lines.slice(start, at).map((line) => line.slice(3));
  made.push(el("div.footnote", {}, text.map((line) => el("span", {}, inline(line)))));
  return at;
}

function quote(lines, at, made) {
  const inner = [];
  while (at < lines.length && QUOTE.test(lines[at])) inner.push(lines[at++].match(QUOTE)[1]);
  made.push(el("blockquote", {}, blocks(inner)));
  return at;
}

function paragraph(lines, at, made) {
  const start = at++;
  while (at < lines.length && lines[at].trim() && !startsBlock(lines, at)) at += 1;
  const text = lines.slice(start, at).map((line) => line.trim());
  made.push(el("p", {}, inline(text.join("\n"))));
  return at;
}

function list(lines, at, made) {
  const [, indent, first] = lines[at].match(ITEM);
  const ordered = /\d/.test(first);
  const items = [];
  while (at < lines.length) {
    const item = lines[at].match(ITEM);
    if (!item || item[1].length > indent.length + 1 || /\d/.test(item[2]) !== ordered) break;
    if (item[1].length < indent.length) break;
    const inner = [item[3]];
    at += 1;
    while (at < lines.length && belongs(lines, at, indent.length)) inner.push(lines[at++]);
    items.push(el("li", {}, tight(blocks(outdent(inner)))));
  }
  made.push(el(ordered ? "ol" : "ul", ordered ? { start: parseInt(first, 10) } : {}, items));
  return at;
}

/** Deeper lines, and blank ones that are followed by deeper ones, are the item's. */
function belongs(lines, at, indent) {
  const line = lines[at];
  if (line.trim()) return line.length - line.trimStart().length > indent;
  const next = lines.slice(at + 1).find((later) => later.trim());
  return next !== undefined && next.length - next.trimStart().length > indent;
}

function outdent([first, ...rest]) {
  const depths = rest.filter((l) => l.trim()).map((l) => l.length - l.trimStart().length);
  const least = depths.length ? Math.min(...depths) : 0;
  return [first, ...rest.map((line) => line.slice(least))];
}

/** One paragraph in an item needs no space around it. */
const tight = (nodes) => nodes.map((n) => (n.tagName === "P" ? el("span.item", {}, [...n.childNodes]) : n));

const isTable = (lines, at) =>
  !discordRules && lines[at].includes("|") && at + 1 < lines.length && lines[at + 1].includes("-") && TABLE_RULE.test(lines[at + 1]);

const cells = (line) =>
  line
    .trim()
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

function table(lines, at, made) {
  const head = cells(lines[at]);
  const sides = cells(lines[at + 1]).map((rule) =>
    /^:-+:$/.test(rule) ? "middle" : /-:$/.test(rule) ? "end" : "",
  );
  const rows = [];
  at += 2;
  while (at < lines.length && lines[at].trim() && lines[at].includes("|")) rows.push(cells(lines[at++]));
  const cell = (kind, text, number) => el(kind, { class: sides[number] }, inline(text));
  made.push(
    tableOf(
      head.map((text, number) => cell("th", text, number)),
      rows.map((row) => head.map((_, number) => cell("td", row[number] ?? "", number))),
    ),
  );
  return at;
}

export function tableOf(head, rows) {
  const body = el("tbody", {}, rows.map((row) => el("tr", {}, row)));
  return el("div.table", { tabindex: "0" }, el("table", {}, el("thead", {}, el("tr", {}, head)), body));
}

// Inline

const SPACE = /^\s?$/u;
const SIGN = /[\p{P}\p{S}]/u;
const TAGS = { 1: "em", 2: "strong" };

export function inline(text) {
  const made = [];
  let plain = "";
  const flush = () => {
    if (plain) made.push(decode(plain));
    plain = "";
  };
  let at = 0;
  while (at < text.length) {
    const found = special(text, at);
    if (!found) plain += text[at++];
    else {
      flush();
      made.push(found.node);
      at = found.end;
    }
  }
  flush();
  return made;
}

/** What starts at `at`: {node, end}; null for plain text. */
function special(text, at) {
  const rest = text.slice(at);
  switch (text[at]) {
    case "\\":
      return /^\\[\p{P}\p{S}]/u.test(rest) ? { node: rest[1], end: at + 2 } : null;
    case "\n":
      return { node: el("br"), end: at + 1 };
    case "`":
      return code(text, at);
    case "!":
      return rest[1] === "[" ? labelled(text, at + 1) : null;
    case "[":
      return labelled(text, at);
    case "<":
      return angle(rest, at);
    case ":":
      return named(rest, at);
    case "|":
      return spoiler(text, at);
    case "h":
      return bare(text, rest, at);
    case "*":
    case "_":
    case "~":
      return emphasis(text, at);
    default:
      return null;
  }
}

function code(text, at) {
  const mark = text.slice(at).match(/^`+/)[0];
  const close = text.slice(at + mark.length).search(new RegExp(`(?<!\`)${mark}(?!\`)`));
  if (close < 0) return { node: mark, end: at + mark.length };
  const start = at + mark.length;
  const inner = text.slice(start, start + close).replace(/^ (.+) $/, "$1");
  return { node: el("code", {}, decode(inner)), end: start + close + mark.length };
}

function labelled(text, at) {
  const match = text.slice(at).match(/^\[((?:[^[\]\\]|\\.|\[[^\]]*\])*)\]\(\s*<?([^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*)>?[^)]*\)/);
  if (!match) return null;
  return { node: link(decode(match[2]), inline(match[1])), end: at + match[0].length };
}

function angle(rest, at) {
  const match = rest.match(/^<([^<>\n]+)>/);
  const node = match && reference(match[1]);
  return node ? { node, end: at + match[0].length } : null;
}

function named(rest, at) {
  const match = rest.match(/^:([a-z0-9_+-]+):/);
  const sign = match && emoji(match[1]);
  return sign && sign !== match[0] ? { node: sign, end: at + match[0].length } : null;
}

function spoiler(text, at) {
  const found = discordRules && text.slice(at).match(/^\|\|([^\n]+?)\|\|/);
  if (!found) return null;
  const node = el("span.spoiler", { tabindex: "0" }, inline(found[1]));
  node.addEventListener("click", () => node.classList.add("seen"));
  return { node, end: at + found[0].length };
}

function bare(text, rest, at) {
  if (at && /[\w/]/.test(text[at - 1])) return null;
  const match = rest.match(/^https?:\/\/[^\s<>*，。；！？、）】」』"'`]+/);
  if (!match) return null;
  const address = match[0].replace(/[.,:;!?)\]]+$/, "");
  return { node: link(decode(address), decode(address)), end: at + address.length };
}

function emphasis(text, at) {
  const sign = text[at];
  const run = runAt(text, at);
  const size = sign === "~" ? run : Math.min(run, 2);
  if (size > 2 || !opens(text, at, run)) return { node: text.slice(at, at + run), end: at + run };
  for (const length of size === 2 ? [2, 1] : [1]) {
    const close = closing(text, at + length, sign, length);
    if (close < 0) continue;
    const inner = inline(text.slice(at + length, close));
    return { node: el(sign === "~" ? "s" : TAGS[length], {}, inner), end: close + length };
  }
  return { node: text.slice(at, at + run), end: at + run };
}

function runAt(text, at) {
  let end = at;
  while (text[end] === text[at]) end += 1;
  return end - at;
}

function closing(text, from, sign, length) {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === "`") at = code(text, at).end - 1;
    else if (text[at] === sign) {
      const run = runAt(text, at);
      const fits = length === 2 ? run >= 2 : run === 1 || run >= 3;
      if (fits && at > from && closes(text, at, run)) return run > length ? at + run - length : at;
      at += run - 1;
    }
  }
  return -1;
}

/** CommonMark: a run opens emphasis if it is left-flanking; `_` never inside a word. */
function opens(text, at, run) {
  const before = text[at - 1] ?? " ";
  const after = text[at + run] ?? " ";
  const left = !SPACE.test(after) && (!SIGN.test(after) || SPACE.test(before) || SIGN.test(before));
  return left && (text[at] !== "_" || SPACE.test(before) || SIGN.test(before));
}

function closes(text, at, run) {
  const before = text[at - 1] ?? " ";
  const after = text[at + run] ?? " ";
  const right = !SPACE.test(before) && (!SIGN.test(before) || SPACE.test(after) || SIGN.test(after));
  return right && (text[at] !== "_" || SPACE.test(after) || SIGN.test(after));
}
