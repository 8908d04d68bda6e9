// The page: what is open, who the person is, and everything drawn anew when something changes.

import { avatar } from "./avatar.js";
import { el, icon } from "./dom.js";
import { follow } from "./live.js";
import { toast } from "./notice.js";
import { Pane } from "./pane.js";
import { drawSide, mark } from "./side.js";
import * as store from "./store.js";
import { examples, getLanguage, setLanguage, t } from "./texts.js";

const { discord, state } = store;
const FIRST_PERSON = discord ? "1100000000000000012" : "U0NORA";
const FIRST_PERSON_ZH = discord ? "1100000000000000011" : "U0LIN";
/** Who one is depends on the look: each has people of its own. */
const PERSON = discord ? "member" : "person";
const FLASH_MS = 2400;
const WIDE_PX = 1000;

const side = document.getElementById("side");
const shade = document.getElementById("shade");
const threadNode = document.getElementById("thread");
const main = new Pane(document.getElementById("channel"), false);
const right = new Pane(threadNode, true);
/** The root that the person just posted here: its first answer opens the thread. */
let awaited = "";
/** A slash command has no message of its own: the bot posts the root, naming the person. */
const COMMAND = "/";

function remember(name, value) {
  try {
    localStorage.setItem(`threadmate.${name}`, value);
  } catch {
    // Private windows may forbid it; then the choice lasts as long as the page.
  }
}

function recall(name) {
  try {
    return localStorage.getItem(`threadmate.${name}`);
  } catch {
    return null;
  }
}

// Drawing

let drawing = false;

function draw() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    drawNow();
  });
}

function drawNow() {
  const channel = store.channelOf(state.channel);
  if (!channel) return;
  if (document.visibilityState === "visible") store.markSeen(channel.id);
  drawSide(side, { channel: openChannel, thread: openThreadOf, person: become, language: switchLanguage, theme: switchTheme });
  main.draw(channelSource(channel));
  const hint = state.online ? t(discord ? "bot_off_discord" : "bot_off_hint") : t("page_off");
  main.banner.hidden = state.online && state.connected;
  main.banner.textContent = hint;
  threadNode.hidden = !state.thread;
  document.getElementById("app").classList.toggle("with-thread", Boolean(state.thread));
  if (state.thread) right.draw(threadSource(channel));
  document.title = `${channel.im ? "Threadmate" : `#${channel.name}`} · ${t("workspace")}`;
}

const title = (channel) => (channel.im ? "Threadmate" : channel.name);

const topic = (channel) => (channel.im ? t("topic_direct") : t(`topic_${channel.topic}`));

function channelSource(channel) {
  const menu = el(
    "button.tool.menu",
    { type: "button", title: t("menu"), "aria-label": t("menu"), onclick: () => showSide(true) },
    icon("menu"),
  );
  return {
    list: () => store.roots(channel.id),
    replies: store.repliesByRoot(channel.id),
    head: () => [
      menu,
      channel.im ? avatar(state.bot, "small") : mark(channel),
      el("h1", {}, title(channel)),
      el("p", {}, topic(channel)),
    ],
    empty: () => emptyState(channel),
    tips: () => (store.hasAnswers(channel.id) ? [] : [tips(channel)]),
    drop: channel.im ? t("drop_direct") : t("drop_channel", { name: channel.name }),
    composer: {
      channel: channel.id,
      forum: channel.forum,
      placeholder: channel.forum ? t("write_post") : channel.im
        ? t("write_direct", { name: "Threadmate" })
        : t("write_channel", { name: channel.name }),
      hint: t(channel.im ? "hint_direct" : channel.forum ? "hint_forum" : "hint_channel"),
    },
    onSent: (ts) => {
      awaited = ts ?? COMMAND;
      // The answer may be here before the word that the question was taken.
      const answered = ts && store.repliesByRoot(channel.id).get(ts)?.length;
      if (answered && !right.busy() && innerWidth >= WIDE_PX) openThread(ts);
    },
    onOpen: (message, focus) => openThread(message.ts, focus),
  };
}

function threadSource(channel) {
  const close = el(
    "button.tool",
    { type: "button", title: t("close_thread"), "aria-label": t("close_thread"), onclick: closeThread },
    icon("close"),
  );
  return {
    list: () => store.thread(channel.id, state.thread),
    replies: new Map(),
    head: () => [el("h1", {}, store.find(channel.id, state.thread)?.thread?.name ?? t("thread")), el("p", {}, channel.im ? "" : `#${channel.name}`), close],
    empty: () => [el("p", {}, t("deleted"))],
    drop: t("drop_thread"),
    composer: {
      channel: channel.id,
      thread: state.thread,
      placeholder: t("write_thread"),
      hint: t(discord ? "hint_channel" : "hint_thread"),
    },
    onOpen: () => {},
  };
}

function emptyState(channel) {
  return [
    el("div.empty-art", { "aria-hidden": "true" }, el("i"), el("i"), el("i")),
    el("h2", {}, t(channel.im ? "empty_direct_title" : channel.forum ? "empty_forum_title" : "empty_title")),
    el("p", {}, t(channel.im ? "empty_direct_text" : channel.forum ? "empty_forum_text" : "empty_text")),
    tips(channel),
  ];
}

/** Questions to begin with; a click writes one into the composer. */
function tips(channel) {
  const questions = examples(channel.im ? "direct" : channel.name);
  return el("div.examples", {}, el("small", {}, t("try_these")), questions.map((text) =>
    el("button.example", { type: "button", onclick: () => main.composer.fill(text) }, text)));
}

// Moving about

function openChannel(id) {
  showSide(false);
  if (id !== state.channel) {
    state.channel = id;
    state.thread = "";
    awaited = "";
  }
  location.replace(`#/${id}`);
  draw();
  requestAnimationFrame(() => main.focus());
}

function openThreadOf(channel, ts) {
  if (channel !== state.channel) openChannel(channel);
  showSide(false);
  openThread(ts, true);
}

function openThread(ts, focus) {
  state.thread = ts;
  awaited = "";
  draw();
  if (focus) requestAnimationFrame(() => right.focus());
}

function closeThread() {
  state.thread = "";
  draw();
  requestAnimationFrame(() => main.focus());
}

function showSide(on) {
  side.classList.toggle("open", on);
  shade.hidden = !on;
  if (on) side.querySelector("button")?.focus();
}

function become(person) {
  remember(PERSON, person);
  state.whispers = [];
  state.thread = "";
  awaited = "";
  follow(person, changed, (online) => {
    if (state.online !== online) {
      state.online = online;
      draw();
    }
  });
}

function switchLanguage() {
  setLanguage(getLanguage() === "zh" ? "en" : "zh");
  remember("language", getLanguage());
  draw();
}

function switchTheme() {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  remember("theme", next);
  draw();
}

/** `#/C1/1700.1`: a channel, and a message in it. */
function openHash() {
  const [, channel, ts] = location.hash.match(/^#\/?(\w+)(?:\/([\d.]+))?$/) ?? [];
  if (!channel || !store.channelOf(channel)) return;
  const moved = channel !== state.channel;
  if (moved) state.thread = "";
  state.channel = channel;
  const message = ts && store.find(channel, ts);
  if (message) {
    if (message.thread_ts) state.thread = message.thread_ts;
    state.mark = ts;
    setTimeout(() => {
      state.mark = "";
      draw();
    }, FLASH_MS);
    requestAnimationFrame(() => requestAnimationFrame(() =>
      document.querySelectorAll(`[data-ts="${ts}"]`).forEach((node) => node.scrollIntoView({ block: "center" }))));
  }
  if (moved || message) draw();
}

// What comes in

function changed(change) {
  if (change.type === "failed") return fail(change);
  const known = state.me;
  store.take(change);
  if (change.type === "snapshot") {
    store.firstLook();
    if (known !== state.me) openHash();
  }
  const { message } = change;
  if (awaited === COMMAND && message && store.isRoot(message) && names(message, state.me)) awaited = message.ts;
  const answers = change.type !== "snapshot" && message?.thread_ts && message.thread_ts === awaited;
  if (answers && !right.busy() && innerWidth >= WIDE_PX && message.channel === state.channel) openThread(awaited);
  draw();
}

const names = (message, person) =>
  message.asked ? message.asked.user === person : message.user === state.bot && message.text.includes(`<@${person}>`);

function fail(change) {
  const command = change.command || t("click_failed");
  toast(t(`failed_${change.error}`, { command }));
}

// Start

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !document.querySelector("dialog[open]")) {
    if (side.classList.contains("open")) showSide(false);
    else if (state.thread) closeThread();
  }
  if (event.altKey && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    const at = state.channels.findIndex((c) => c.id === state.channel);
    const step = event.key === "ArrowDown" ? 1 : -1;
    openChannel(state.channels.at((at + step) % state.channels.length).id);
  }
});
/** The place in the page that a link of Slack's or Discord's leads to, or an empty text. */
function placeOf(link) {
  const [, channel, message] = (discord && link?.href.match(/\/channels\/\d+\/(\d+)\/(\d+)$/)) || [];
  return channel ? `#/${placeOfThread(channel)}/${tsOf(message)}` : placeInSlack(link);
}

/** A thread's messages stand in its parent here. */
const placeOfThread = (id) =>
  store.channelOf(id)?.id ?? state.channels.find((c) => store.find(c.id, tsOf(id)))?.id ?? id;

/** A Discord id is milliseconds since 2015 above 22 bits; the page's stamps hold both parts. */
function tsOf(id) {
  const ms = (BigInt(id) >> 22n) + 1420070400000n;
  const low = (BigInt(id) & 0x3fffffn).toString().padStart(7, "0");
  return `${ms / 1000n}.${(ms % 1000n).toString().padStart(3, "0")}${low}`;
}

function placeInSlack(link) {
  if (!link?.href.startsWith(location.origin)) return "";
  const [, channel, digits] = link.href.match(/\/archives\/(\w+)\/p(\d{7,})$/) ?? [];
  return channel ? `#/${channel}/${digits.slice(0, -6)}.${digits.slice(-6)}` : "";
}

// A permalink of this workspace moves about in the page, instead of loading it anew.
document.addEventListener("click", (event) => {
  const place = placeOf(event.target.closest?.("a"));
  if (!place) return;
  event.preventDefault();
  location.hash = place;
});
// A file that misses a pane must not make the browser leave the page.
for (const kind of ["dragover", "drop"]) addEventListener(kind, (event) => event.preventDefault());
addEventListener("hashchange", openHash);
document.addEventListener("visibilitychange", draw);
shade.addEventListener("click", () => showSide(false));

const wanted = new URLSearchParams(location.search);
const chinese = navigator.language.startsWith("zh");
setLanguage(wanted.get("language") ?? recall("language") ?? (chinese ? "zh" : "en"));
document.documentElement.dataset.theme =
  wanted.get("theme") ?? recall("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
become(wanted.get("person") ?? recall(PERSON) ?? (chinese ? FIRST_PERSON_ZH : FIRST_PERSON));

