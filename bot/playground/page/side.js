// The left side: whether the bot is there, channels, conversations, who the person is.

import { avatar } from "./avatar.js";
import { el, icon } from "./dom.js";
import { discord, state, threads, unread } from "./store.js";
import { getLanguage, t } from "./texts.js";

/** Languages, each by its own name. */
const ZH = "中文";
const EN = "English";

export function drawSide(node, on) {
  const channels = state.channels.filter((c) => !c.im);
  const directs = state.channels.filter((c) => c.im);
  node.replaceChildren(
    el(
      "div.brand",
      {},
      el("img", { src: "/page/icon.svg", alt: "", width: "30", height: "30" }),
      el("div", {}, el("b", {}, "Threadmate"), el("small", {}, t(discord ? "guild" : "workspace"))),
    ),
    el(
      "div.status",
      { class: state.connected ? "on" : "", role: "status" },
      el("i", { "aria-hidden": "true" }),
      t(state.connected ? "bot_on" : "bot_off"),
    ),
    el("nav", { "aria-label": t("channels") }, el("h2", {}, t("channels")), channels.map((c) => [entry(c, on), discord && threadEntries(c, on)])),
    el("nav", { "aria-label": t("directs") }, el("h2", {}, t("directs")), directs.map((c) => entry(c, on))),
    el("div.grow"),
    el("div.who", {}, el("h2", {}, t("you_are")), el("div.people", { role: "radiogroup", "aria-label": t("you_are") }, people(on))),
    settings(on),
  );
}

function entry(channel, on) {
  const current = channel.id === state.channel;
  const count = current ? 0 : unread(channel.id);
  return el(
    "button.entry",
    {
      type: "button",
      class: `${current ? "current" : ""} ${count ? "unread" : ""}`,
      "aria-current": current ? "page" : null,
      "data-channel": channel.id,
      onclick: () => on.channel(channel.id),
    },
    channel.im ? avatar(state.bot, "tiny") : mark(channel),
    el("span.entry-name", {}, channel.im ? "Threadmate" : channel.name),
    count > 0 && el("span.badge", {}, count > 99 ? "99+" : count),
  );
}

const SHOWN_THREADS = 5;

export const mark = (channel) =>
  el("span.hash", { "aria-hidden": "true" }, channel.forum ? icon("forum") : "#");

/** Discord lists the threads that are at work under their channel. */
function threadEntries(channel, on) {
  if (channel.forum) return null;
  return threads(channel.id).slice(0, SHOWN_THREADS).map(({ ts, name }) =>
    el(
      "button.entry.under",
      {
        type: "button",
        class: state.channel === channel.id && state.thread === ts ? "current" : "",
        title: name,
        onclick: () => on.thread(channel.id, ts),
      },
      icon("curve"),
      el("span.entry-name", {}, name),
    ));
}

const people = (on) =>
  [...state.people.values()]
    .filter((person) => !person.is_bot)
    .map((person) => {
      const current = person.id === state.me;
      return el(
        "button.person",
        {
          type: "button",
          role: "radio",
          "aria-checked": String(current),
          class: current ? "current" : "",
          title: t("speak_as", { name: person.name }),
          "data-person": person.id,
          onclick: () => on.person(person.id),
        },
        avatar(person.id, "small"),
        el("span.person-text", {}, el("b", {}, person.name), el("small", {}, `${[person.locale.startsWith("zh") ? ZH : EN, zoneName(person.tz)].filter(Boolean).join(" · ")}`)),
      );
    });

const zoneName = (zone) => zone.split("/").at(-1).replaceAll("_", " ");

function settings(on) {
  const dark = document.documentElement.dataset.theme === "dark";
  const theme = t(dark ? "to_light" : "to_dark");
  return el(
    "div.settings",
    {},
    el(
      "button.quiet.language",
      { type: "button", title: t("language"), "aria-label": t("language"), onclick: on.language },
      el("span", { class: getLanguage() === "zh" ? "current" : "" }, ZH),
      el("span", { class: getLanguage() === "en" ? "current" : "" }, EN),
    ),
    el("button.tool", { type: "button", title: theme, "aria-label": theme, onclick: on.theme }, icon(dark ? "sun" : "moon")),
  );
}
