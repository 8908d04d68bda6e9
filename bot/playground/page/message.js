// One message: face, name, time, text or blocks, files, reactions, and what can be done with it.

import { avatar, faceOf } from "./avatar.js";
import { discordContent, lineOver } from "./discord.js";
import { renderBlocks } from "./blocks.js";
import { el, icon } from "./dom.js";
import { act } from "./live.js";
import { mrkdwn } from "./mrkdwn.js";
import { emoji, PALETTE, personName, plain, signName } from "./refs.js";
import { commands, discord, state, zone } from "./store.js";
import { ask, toast, toastError } from "./notice.js";
import { getLanguage, t } from "./texts.js";
import { clock, full, when } from "./time.js";

const PRESSED_MS = 2500;

/** What the look of a message depends on; it is built anew only when this changes. */
export const markOf = (message, options) =>
  JSON.stringify([message, options.replies?.map((m) => m.ts), options.compact, options.editing, options.flash, state.me, zone(), getLanguage(), discord && commands(message.channel).length]);

/**
 * `options`: compact (no face), replies (of a root, to show their count), open (open the thread),
 * inThread, editing, onEdit, onDismiss, onAnswer (answer it in place), go (to another message).
 */
export function buildMessage(message, options) {
  const gone = message.subtype === "tombstone";
  const row = el(
    "article.message",
    { class: classes(message, options, gone), tabindex: "-1", "data-ts": message.ts },
    options.compact ? sideTime(message) : gone ? avatar("") : faceOf(message),
    el(
      "div.body",
      {},
      message.is_ephemeral && whisperLine(message, options),
      lineOver(message, options.go),
      !options.compact && head(message),
      message.thread && message.ts === message.thread_ts && el("h3.title", {}, message.thread.name),
      gone ? el("p.gone", {}, t("deleted")) : content(message, options),
      !gone && (message.files ?? []).map(fileCard),
      !gone && reactions(message),
      (options.replies?.length > 0 || (message.thread && options.replies)) && threadLine(message, options),
    ),
    !gone && !message.is_ephemeral && toolbar(message, options),
  );
  return row;
}

function classes(message, options, gone) {
  const names = [];
  if (options.compact) names.push("compact");
  if (message.is_ephemeral) names.push("whisper");
  if (options.flash) names.push("flash");
  if (gone) names.push("tombstone");
  return names.join(" ");
}

const sideTime = (message) =>
  el("time.sidetime", { title: full(message.ts, zone()) }, clock(message.ts, zone()));

function head(message) {
  return el(
    "header.head",
    {},
    el("b.name", {}, message.username || personName(message.user)),
    message.bot_id && el("span.app-badge", {}, t("app")),
    el("time", { title: full(message.ts, zone()) }, clock(message.ts, zone())),
  );
}

function whisperLine(message, options) {
  return el(
    "div.whisper-line",
    {},
    icon("eye"),
    t("only_you"),
    el("button.linklike", { type: "button", onclick: () => options.onDismiss(message) }, t("dismiss")),
  );
}

function content(message, options) {
  if (options.editing) return editor(message, options);
  const press = (element, button) => pressed(message, element, button);
  if (message.markup === "discord") {
    const made = discordContent(message);
    if (message.edited && !message.bot_id) made.push(el("span.edited", {}, t("edited")));
    return [...made, ...renderBlocks(message.blocks, press)];
  }
  const shown = message.blocks ? renderBlocks(message.blocks, press) : [];
  if (!shown.length && message.text) shown.push(mrkdwn(message.text));
  if (message.edited && !message.bot_id) shown.push(el("span.edited", {}, t("edited")));
  return shown;
}

function editor(message, options) {
  const field = el("textarea.edit-field", { rows: "2", value: plain(message.text), "aria-label": t("edit") });
  const save = async () => {
    const text = field.value;
    if (text.trim() && text !== plain(message.text)) {
      const answer = await act("edit", { person: state.me, channel: message.channel, ts: message.ts, text });
      if (!answer.ok) return toastError(answer.error);
    }
    options.onEdit(null);
  };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      options.onEdit(null);
    } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      save();
    }
  });
  queueMicrotask(() => field.focus());
  return el(
    "div.editor",
    {},
    field,
    el(
      "div.editor-row",
      {},
      el("button.quiet", { type: "button", onclick: () => options.onEdit(null) }, t("cancel")),
      el("button.primary", { type: "button", onclick: save }, t("save")),
    ),
  );
}

async function pressed(message, element, button) {
  if (element.confirm && !(await ask(confirmTexts(element)))) return;
  const body = { person: state.me, channel: message.channel, ts: message.ts, action: element.action_id };
  button.disabled = true;
  // The app may leave the message as it is; then the button can be pressed again.
  setTimeout(() => (button.disabled = false), PRESSED_MS);
  const answer = await act("click", body);
  if (!answer.ok) toastError(answer.error);
}

const confirmTexts = ({ confirm, style }) => ({
  title: plain(confirm.title?.text ?? ""),
  text: plain(confirm.text?.text ?? ""),
  yes: plain(confirm.confirm?.text ?? "OK"),
  no: plain(confirm.deny?.text ?? t("cancel")),
  danger: (confirm.style ?? style) === "danger",
});

function fileCard(file) {
  if (file.mode === "tombstone") {
    return el("div.file.gone", {}, icon("file"), t("file_gone"));
  }
  return el(
    "a.file",
    { href: `/file/${file.id}`, download: file.name, title: t("download", { name: file.name }) },
    el("span.file-kind", { "data-kind": file.filetype }, file.filetype.slice(0, 4)),
    el("span.file-text", {}, el("b", {}, file.title || file.name), el("small", {}, size(file.size))),
    icon("down"),
  );
}

function size(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(bytes < 10240 ? 1 : 0)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function reactions(message) {
  if (!message.reactions?.length) return null;
  return el("div.reactions", {}, message.reactions.map((reaction) => {
    const mine = reaction.users.includes(state.me);
    const names = reaction.users.map(personName).join(", ");
    return el(
      "button.reaction",
      {
        type: "button",
        class: mine ? "mine" : "",
        title: `:${signName(reaction.name)}: ${names}`,
        "aria-pressed": String(mine),
        "aria-label": t("react_with", { name: reaction.name, count: reaction.count }),
        onclick: () => react(message, reaction.name, !mine),
      },
      el("span", {}, emoji(reaction.name)),
      el("span.count", {}, reaction.count),
    );
  }));
}

async function react(message, name, on) {
  const answer = await act("react", { person: state.me, channel: message.channel, ts: message.ts, name, on });
  if (!answer.ok && !["already_reacted", "no_reaction"].includes(answer.error)) toastError(answer.error);
}

function threadLine(message, options) {
  const { replies } = options;
  const people = [...new Set(replies.map((m) => m.user))].slice(0, 4);
  const count = replies.length === 1 ? t("reply_one") : t("replies", { count: replies.length });
  return el(
    "button.thread-line",
    { type: "button", onclick: () => options.open(message) },
    el("span.faces", {}, people.map((id) => faceOf(replies.find((m) => m.user === id), "tiny"))),
    message.thread && message.ts !== message.thread_ts && el("b.thread-name", {}, message.thread.name),
    el("span.count", {}, count),
    replies.length > 0 && el("span.when", {}, t("last_reply", { time: when(replies.at(-1).ts, zone()) })),
  );
}

function toolbar(message, options) {
  const own = message.user === state.me;
  const tool = (name, label, onclick) =>
    el("button.tool", { type: "button", title: label, "aria-label": label, onclick }, icon(name));
  const palette = el("div.palette", { hidden: true }, PALETTE.map((name) =>
    el("button.tool", { type: "button", "aria-label": name, onclick: () => {
      palette.hidden = true;
      const mine = message.reactions?.some((r) => r.name === name && r.users.includes(state.me));
      react(message, name, !mine);
    } }, emoji(name))));
  return el(
    "div.toolbar",
    {},
    palette,
    discord && appsMenu(message, tool),
    tool("smile", t("react"), () => (palette.hidden = !palette.hidden)),
    discord && tool("answer", t("answer"), () => options.onAnswer(message)),
    !options.inThread && tool("reply", t("reply"), () => options.open(message, true)),
    own && !message.bot_id && tool("edit", t("edit"), () => options.onEdit(message)),
    own && !message.bot_id && tool("bin", t("remove"), () => remove(message)),
  );
}

/** Discord's menu of a message: what apps offer for it. */
function appsMenu(message, tool) {
  const offered = commands(message.channel).filter((command) => command.menu);
  if (!offered.length || message.is_ephemeral) return null;
  const menu = el("div.apps", { hidden: true, role: "menu" }, el("small", {}, t("apps")), offered.map((command) =>
    el("button.app-entry", { type: "button", role: "menuitem", onclick: async () => {
      menu.hidden = true;
      const body = { person: state.me, channel: message.channel, ts: message.ts, name: command.name };
      const answer = await act("menu", body);
      if (!answer.ok) toastError(answer.error);
    } }, command.label)));
  return [menu, tool("apps", t("apps"), () => (menu.hidden = !menu.hidden))];
}

async function remove(message) {
  const texts = { title: t("remove_ask"), text: "", yes: t("remove"), no: t("cancel"), danger: true };
  if (!(await ask(texts))) return;
  const answer = await act("delete", { person: state.me, channel: message.channel, ts: message.ts });
  if (!answer.ok) toast(t("error_other", { error: answer.error }));
}
