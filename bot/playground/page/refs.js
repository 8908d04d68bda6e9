// What Slack writes in angle brackets, emoji names, and entities, as nodes.

import { el } from "./dom.js";
import { hasSign, sign } from "./signs.js";
import { discord, state } from "./store.js";

const EMOJI = {
  "+1": "👍", thumbsup: "👍", "-1": "👎", heart: "❤️", tada: "🎉", eyes: "👀", pray: "🙏",
  white_check_mark: "✅", heavy_check_mark: "✔️", x: "❌", warning: "⚠️", no_entry: "⛔",
  octagonal_sign: "🛑", stop_sign: "🛑", black_square_for_stop: "⏹️", hourglass: "⌛",
  hourglass_flowing_sand: "⏳", gear: "⚙️", mag: "🔍", bulb: "💡", memo: "📝", books: "📚",
  page_facing_up: "📄", thinking_face: "🤔", wave: "👋", smile: "😄", rocket: "🚀", clock1: "🕐",
  speech_balloon: "💬", question: "❓", exclamation: "❗", robot_face: "🤖", raised_hands: "🙌",
  compass: "🧭", mag_right: "🔎", writing_hand: "✍️", wastebasket: "🗑️", link: "🔗", white_circle: "⚪", large_blue_circle: "🔵", radio_button: "🔘",
};

const NAMES = Object.fromEntries(Object.entries(EMOJI).map(([name, sign]) => [sign, name]));

/** A sign's name; an emoji that we have no name for is its own. */
export const signName = (given) => NAMES[given] ?? given;

/** The sign of a name: drawn where we have a drawing, since not every machine has emoji. */
export function emoji(given) {
  const name = signName(given);
  if (hasSign(name)) return sign(name);
  if (EMOJI[name]) return EMOJI[name];
  return /^[\w+-]+$/.test(name) ? `:${name}:` : name;
}

export const isEmoji = (name) => Boolean(name) && (hasSign(name) || Object.hasOwn(EMOJI, name));
export const emojiText = (name) => EMOJI[name] ?? `:${name}:`;
export const PALETTE = ["+1", "heart", "tada", "eyes", "white_check_mark", "pray"];

export const decode = (text) =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

export const personName = (id) => state.people.get(id)?.name ?? id;

/** A link that can do no harm: only these schemes, in a new tab, without a referrer. */
export function link(address, ...children) {
  let url;
  try {
    url = new URL(address);
  } catch {
    return el("span", {}, ...children);
  }
  if (!["http:", "https:", "mailto:"].includes(url.protocol)) return el("span", {}, ...children);
  const here = url.origin === location.origin;
  const away = here ? {} : { target: "_blank", rel: "noopener noreferrer" };
  return el("a", { href: url.href, title: address, ...away }, ...children);
}

/** The node for `<inner>`, or null if it is no reference of Slack's. */
export function reference(inner) {
  if (discord) return marked(inner);
  const [what, label] = split(inner);
  if (/^@[UW]\w+$/.test(what)) return mention(what.slice(1));
  if (/^#C\w+$/.test(what)) {
    const id = what.slice(1);
    const name = state.channels.find((c) => c.id === id)?.name ?? label ?? id;
    return el("a.mention", { href: `#${id}` }, `#${name}`);
  }
  if (/^!(here|channel|everyone)$/.test(what)) return el("span.mention.crowd", {}, `@${what.slice(1)}`);
  if (what.startsWith("!date^")) return document.createTextNode(decode(label ?? ""));
  if (/^(https?:|mailto:)/.test(what)) {
    const address = decode(what);
    return link(address, decode(label ?? address.replace(/^mailto:/, "")));
  }
  return null;
}

/** Discord's marks: people, roles, channels, times, commands, emoji of a server. */
function marked(inner) {
  const [, kind, id] = inner.match(/^(@!?|@&|#|t:)(\d+)(?::[tTdDfFR])?$/) ?? [];
  if (kind === "@" || kind === "@!") return mention(id);
  if (kind === "@&") return el("span.mention.crowd", {}, `@${id}`);
  if (kind === "#") {
    const name = state.channels.find((c) => c.id === id)?.name;
    return el("a.mention", { href: `#/${id}` }, `#${name ?? id}`);
  }
  if (kind === "t:") return el("span", {}, new Date(Number(id) * 1000).toLocaleString());
  const [, name] = inner.match(/^\/([^:]+):\d+$/) ?? inner.match(/^a?:(\w+):\d+$/) ?? [];
  if (name) return el("span.mention", {}, inner.startsWith("/") ? `/${name}` : `:${name}:`);
  return /^https?:/.test(inner) ? link(decode(inner), decode(inner)) : null;
}

function mention(id) {
  return el("span.mention", { class: id === state.me ? "own" : "" }, `@${personName(id)}`);
}

function split(inner) {
  const bar = inner.indexOf("|");
  return bar < 0 ? [inner, undefined] : [inner.slice(0, bar), inner.slice(bar + 1)];
}

/** Text without any markup, as a person would read or type it. */
export function plain(text) {
  const typed = text.replace(/<([^<>\n]+)>/g, (whole, inner) => {
    const [what, label] = split(inner);
    if (discord && /^@!?\d+$/.test(what)) return `@${personName(what.replace(/\D/g, ""))}`;
    if (discord && what.startsWith("#")) return `#${state.channels.find((c) => `#${c.id}` === what)?.name ?? what}`;
    if (discord) return whole;
    if (what.startsWith("@")) return `@${personName(what.slice(1))}`;
    if (what.startsWith("#")) return `#${label ?? what.slice(1)}`;
    if (what.startsWith("!")) return `@${what.slice(1)}`;
    return label ?? what;
  });
  return discord ? typed : decode(typed);
}
