// Slack's own markup (`text` of messages): *bold*, _italic_, ~struck~, `code`, quotes.

import { el } from "./dom.js";
import { decode, emoji, reference } from "./refs.js";
import { codeBlock } from "./code.js";

const MARKS = { "*": "strong", _: "em", "~": "s" };
const INLINE = /`([^`\n]+)`|<([^<>\n]+)>|:([a-z0-9_+-]+):|([*_~])(?=\S)([^\n]*?\S)\4/u;
const WORD = /[\p{L}\p{N}]/u;

export function mrkdwn(text) {
  const parts = text.split(/```\n?([\s\S]*?)\n?```/);
  return el(
    "div.text",
    {},
    parts.map((part, number) => (number % 2 ? codeBlock(decode(part)) : lines(part))),
  );
}

function lines(text) {
  const made = [];
  let quote = [];
  const close = () => {
    if (quote.length) made.push(el("blockquote", {}, joined(quote)));
    quote = [];
  };
  let plain = [];
  const flush = () => {
    if (plain.some((line) => line.trim())) made.push(el("p", {}, joined(trimmed(plain))));
    plain = [];
  };
  for (const line of text.split("\n")) {
    const quoted = line.match(/^(?:&gt;|>) ?(.*)$/);
    if (quoted) {
      flush();
      quote.push(quoted[1]);
    } else {
      close();
      plain.push(line);
    }
  }
  close();
  flush();
  return made;
}

function trimmed(list) {
  const start = list.findIndex((line) => line.trim());
  const end = list.findLastIndex((line) => line.trim());
  return list.slice(start, end + 1);
}

const joined = (list) => list.map((line, number) => [number ? el("br") : "", inline(line)]);

export function inline(text) {
  const made = [];
  let rest = text;
  let before = "";
  while (rest) {
    const match = rest.match(INLINE);
    if (!match) {
      made.push(decode(rest));
      break;
    }
    const [whole, code, ref, name, mark, inner] = match;
    const left = match.index ? rest[match.index - 1] : before;
    made.push(decode(rest.slice(0, match.index)));
    let used = whole.length;
    if (code !== undefined) made.push(el("code", {}, decode(code)));
    else if (ref !== undefined) made.push(reference(ref) ?? decode(whole));
    else if (name !== undefined) made.push(emoji(name));
    else {
      // Slack asks for a border around its marks: in "a*b*" the stars stay.
      const after = rest[match.index + whole.length] ?? "";
      if (WORD.test(left) || WORD.test(after)) {
        made.push(mark);
        used = 1;
      } else made.push(el(MARKS[mark], {}, inline(inner)));
    }
    const end = match.index + used;
    before = rest[end - 1];
    rest = rest.slice(end);
  }
  return made;
}
