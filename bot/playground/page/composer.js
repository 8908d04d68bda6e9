// Where a person writes: text, files, suggestions for @people and /commands.

import { avatar } from "./avatar.js";
import { commandForm, flat } from "./command.js";
import { el, icon } from "./dom.js";
import { act, upload } from "./live.js";
import { toast, toastError } from "./notice.js";
import { personName } from "./refs.js";
import { commands, discord, state } from "./store.js";
import { t } from "./texts.js";

const MAX_FILE = 100 * 1024 * 1024;
const TYPING_EVERY_MS = 8000;
const COMMANDS = [
  ["/ask", "command_ask"],
  ["/kb list", "command_kb"],
  ["/kb search", "command_kb_search"],
  ["/kb delete", "command_kb_delete"],
  ["/teammate", "command_teammate"],
  ["/memory", "command_memory"],
  ["/settings", "command_settings"],
  ["/help", "command_help"],
];

/** What was typed and not sent, by person and place. */
const drafts = new Map();

/**
 * A composer for one place. `options`: channel, thread, forum (a post with a title is written), placeholder, hint,
 * onSent(ts), onEditLast. Has `.addFiles(list)`, `.fill(text)` and `.answer(message)`.
 */
export function composer(options) {
  const key = `${state.me}/${options.channel}/${options.thread ?? ""}`;
  const draft = drafts.get(key) ?? { text: "", files: [] };
  drafts.set(key, draft);
  const field = el("textarea.field", {
    rows: "1", placeholder: options.placeholder, "aria-label": options.placeholder,
    value: draft.text, autocomplete: "off",
  });
  const title = el("input.title-field", { placeholder: t("post_title"), "aria-label": t("post_title"), maxlength: "100", value: draft.title ?? "", hidden: !options.forum });
  const answers = el("div.answers", { hidden: true });
  const chips = el("div.chips");
  const menu = el("div.suggest", { role: "listbox", hidden: true });
  const picker = el("input", { type: "file", multiple: true, hidden: true, "aria-hidden": "true" });
  const send = el("button.send", { type: "button", title: t("send"), "aria-label": t("send") }, icon("send"));
  const clip = el("button.tool.clip", { type: "button", title: t("attach"), "aria-label": t("attach") }, icon("clip"));
  const node = el(
    "div.composer",
    {},
    menu,
    answers,
    el("div.box", {}, title, chips, el("div.line", {}, clip, field, send, picker)),
    el("div.hint", {}, el("span", {}, options.hint), el("span", {}, t("hint"))),
  );
  const suggest = suggestions(field, menu, options.channel, (command) => begin(command));
  let answered = null;
  let typed = 0;

  const refresh = () => {
    field.style.height = "auto";
    field.style.height = `${Math.min(field.scrollHeight, 220)}px`;
    const waiting = draft.files.some((f) => !f.id);
    const untitled = options.forum && !title.value.trim();
    send.disabled = waiting || untitled || (!field.value.trim() && !draft.files.length);
    chips.replaceChildren(...draft.files.map((file) => chip(file, () => {
      draft.files.splice(draft.files.indexOf(file), 1);
      refresh();
    })));
  };

  const submit = async () => {
    if (send.disabled) return;
    const body = {
      person: state.me, channel: options.channel, thread: options.thread,
      text: field.value, files: draft.files.map((f) => f.id),
      title: title.value, reply: answered?.ts,
    };
    send.disabled = true;
    const answer = await act(options.forum ? "post" : "say", body);
    if (!answer.ok) {
      toastError(answer.error);
      return refresh();
    }
    draft.text = field.value = draft.title = title.value = "";
    node.answer(null);
    draft.files.length = 0;
    refresh();
    field.focus();
    options.onSent(answer.ts);
  };

  node.addFiles = async (list) => {
    for (const file of list) {
      if (file.size > MAX_FILE) toast(t("error_too_large", { name: file.name }));
      else if (!file.size) toast(t("error_empty_file", { name: file.name }));
      else await take(file);
    }
  };
  const take = async (file) => {
    const entry = { name: file.name, id: "" };
    draft.files.push(entry);
    refresh();
    const answer = await upload(state.me, file);
    if (answer.ok) entry.id = answer.file;
    else {
      draft.files.splice(draft.files.indexOf(entry), 1);
      toast(t("error_upload", { name: file.name }));
    }
    refresh();
    field.focus();
  };
  /** The next message answers this one; null: it answers none. */
  node.answer = (message) => {
    answered = message;
    answers.hidden = !message;
    if (!message) return;
    const name = message.username || personName(message.user);
    const off = el("button.tool", { type: "button", title: t("cancel"), "aria-label": t("cancel"), onclick: () => node.answer(null) }, icon("close"));
    answers.replaceChildren(icon("curve"), el("span", {}, t("answering", { name })), off);
    field.focus();
  };
  /** Discord fills a command in field by field; one without options is simply run. */
  const begin = async (command) => {
    field.value = draft.text = "";
    refresh();
    const place = { channel: options.channel, thread: options.thread };
    const box = node.querySelector(".box");
    const done = (sent) => {
      form.replaceWith(box);
      field.focus();
      if (sent === true) options.onSent(undefined);
    };
    const form = commandForm(command, place, done);
    box.replaceWith(form);
    form.start();
  };
  const signTyping = () => {
    if (!discord || !field.value.trim() || field.value.startsWith("/") || options.forum || Date.now() - typed < TYPING_EVERY_MS) return;
    typed = Date.now();
    act("typing", { person: state.me, channel: options.channel, thread: options.thread });
  };
  node.fill = (text) => {
    field.value = draft.text = text;
    refresh();
    field.focus();
  };

  field.addEventListener("input", () => {
    draft.text = field.value;
    refresh();
    suggest.update();
    signTyping();
  });
  field.addEventListener("keydown", (event) => {
    // An input method uses Enter to take a word; that is not "send".
    if (event.isComposing || event.keyCode === 229) return;
    if (suggest.key(event)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      submit();
    } else if (event.key === "ArrowUp" && !field.value) {
      if (options.onEditLast()) event.preventDefault();
    }
  });
  title.addEventListener("input", () => {
    draft.title = title.value;
    refresh();
  });
  field.addEventListener("paste", (event) => {
    if (event.clipboardData?.files.length) {
      event.preventDefault();
      node.addFiles([...event.clipboardData.files]);
    }
  });
  field.addEventListener("blur", () => setTimeout(() => suggest.close(), 150));
  send.addEventListener("click", submit);
  clip.addEventListener("click", () => picker.click());
  picker.addEventListener("change", () => {
    node.addFiles([...picker.files]);
    picker.value = "";
  });
  queueMicrotask(refresh);
  return node;
}

function chip(file, onRemove) {
  const label = t("take_off", { name: file.name });
  return el(
    "span.chip",
    { class: file.id ? "" : "waiting" },
    icon("file"),
    el("span.chip-name", {}, file.name),
    !file.id && el("small", {}, t("uploading")),
    el("button.tool", { type: "button", title: label, "aria-label": label, onclick: onRemove }, icon("close")),
  );
}

/** The menu over the field: people behind "@", commands behind a "/" that opens the text. */
function suggestions(field, menu, channel, begin) {
  let items = [];
  let chosen = 0;

  const close = () => {
    menu.hidden = true;
    items = [];
  };
  const pick = (item) => {
    if (item.command) {
      close();
      begin(item.command);
      return;
    }
    const end = field.selectionStart;
    field.setRangeText(`${item.value} `, end - item.typed, end, "end");
    close();
    field.dispatchEvent(new Event("input"));
    close();
    field.focus();
  };
  const draw = () => {
    menu.replaceChildren(...items.map((item, number) =>
      el(
        "div.suggestion",
        {
          role: "option", "aria-selected": String(number === chosen), class: number === chosen ? "on" : "",
          onmousedown: (event) => {
            event.preventDefault();
            pick(item);
          },
        },
        item.face, el("b", {}, item.value), item.note && el("small", {}, item.note),
      )));
    menu.hidden = !items.length;
  };
  const update = () => {
    items = matches(field.value.slice(0, field.selectionStart), channel);
    chosen = 0;
    draw();
  };
  const key = (event) => {
    if (!items.length) return false;
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) {
      chosen = (chosen + steps[event.key] + items.length) % items.length;
      draw();
    } else if (event.key === "Enter" || event.key === "Tab") pick(items[chosen]);
    else if (event.key === "Escape") {
      event.stopPropagation();
      close();
    } else return false;
    event.preventDefault();
    return true;
  };
  return { update, key, close };
}

function matches(text, channel) {
  const name = text.match(/@([^\s@]*)$/);
  if (name) {
    const typed = name[1].toLowerCase();
    return [...state.people.values()]
      .filter((p) => p.id !== state.me && p.name.toLowerCase().startsWith(typed) && p.name.toLowerCase() !== typed)
      .sort((a, b) => (b.id === state.bot) - (a.id === state.bot))
      .map((p) => ({ value: `@${p.name}`, typed: typed.length + 1, face: avatar(p.id, "tiny"), note: "" }));
  }
  if (discord) return text.startsWith("/") ? offered(text.slice(1), channel) : [];
  if (/^\/[a-z ]*$/.test(text)) {
    return COMMANDS.filter(([command]) => command.startsWith(text) && command !== text).map(
      ([command, note]) => ({ value: command, typed: text.length, face: null, note: t(note) }),
    );
  }
  return [];
}

/** Commands that the bot has registered, by any part of what they are called. */
function offered(typed, channel) {
  const wanted = typed.trim().toLowerCase();
  return flat(commands(channel))
    .filter((c) => c.label.includes(wanted) || c.name.includes(wanted))
    .map((command) => ({ value: `/${command.label}`, typed: typed.length + 1, face: null, note: command.note, command }));
}
