// A pane of messages with its composer: the channel in the middle, or a thread at the right.

import { composer } from "./composer.js";
import { el, icon, reconcile } from "./dom.js";
import { buildMessage, markOf } from "./message.js";
import { personName } from "./refs.js";
import { state, TYPING_MS, typers, zone } from "./store.js";
import { getLanguage, t } from "./texts.js";
import { day, dayName } from "./time.js";

const COMPACT_S = 300;
const NEAR_PX = 90;

/**
 * `source`: list() of messages, tips() under them, replies (Map by root; none in a thread), head(), empty(), options
 * of the composer, drop (text shown while a file hangs over it), onOpen(message, focus).
 */
export class Pane {
  constructor(node, inThread) {
    this.node = node;
    this.inThread = inThread;
    this.editing = null;
    this.place = "";
    this.headNode = el("header.pane-head");
    this.banner = el("div.banner", { hidden: true, role: "status" });
    this.list = el("div.list", { role: "log", "aria-live": "polite", tabindex: "0" });
    this.emptyNode = el("div.empty", { hidden: true });
    this.tips = el("div.tips", { hidden: true });
    this.scroll = el("div.scroll", {}, this.emptyNode, this.list, this.tips);
    this.pill = el("button.pill", { type: "button", hidden: true, onclick: () => this.toEnd() });
    this.foot = el("div.foot");
    this.typing = el("div.typing", { role: "status", hidden: true }, el("i"), el("span"));
    this.over = el("div.over", { hidden: true });
    node.replaceChildren(this.headNode, this.banner, this.scroll, this.pill, this.typing, this.foot, this.over);
    this.scroll.addEventListener("scroll", () => this.near() && (this.pill.hidden = true));
    this.listenForFiles();
    // What was at its end stays there when the window or the composer changes its height.
    this.atEnd = true;
    this.scroll.addEventListener("scroll", () => (this.atEnd = this.near()));
    new ResizeObserver(() => this.atEnd && this.toEnd()).observe(this.scroll);
  }

  near() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroll;
    return scrollHeight - scrollTop - clientHeight < NEAR_PX;
  }

  toEnd() {
    this.scroll.scrollTop = this.scroll.scrollHeight;
    this.pill.hidden = true;
  }

  /** Draw `source`; a new place gets a new composer and starts at its newest message. */
  draw(source) {
    const place = [state.me, source.composer.channel, source.composer.thread, getLanguage()].join("/");
    const moved = place !== this.place;
    if (moved) this.move(place, source);
    this.source = source;
    this.headNode.replaceChildren(...source.head().filter(Boolean));
    const stay = !moved && !this.near();
    const before = this.list.childElementCount;
    const messages = source.list();
    reconcile(this.list, this.items(messages));
    this.emptyNode.hidden = messages.length > 0;
    if (!messages.length) this.emptyNode.replaceChildren(...source.empty());
    const tips = messages.length ? (source.tips?.() ?? []) : [];
    this.tips.hidden = !tips.length;
    this.tips.replaceChildren(...tips);
    this.showTyping();
    if (!stay) this.toEnd();
    else if (this.list.childElementCount > before) this.offerEnd();
  }

  /** Who types here; asked again until the last sign is old. */
  showTyping() {
    const { channel, thread } = this.source.composer;
    const names = typers(channel, thread).map(personName);
    this.typing.hidden = !names.length;
    if (!names.length) return;
    this.typing.lastChild.textContent = t("typing", { names: names.join(", ") });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.showTyping(), TYPING_MS / 4);
  }

  move(place, source) {
    this.place = place;
    this.editing = null;
    this.list.replaceChildren();
    this.composer = composer({ ...source.composer, onEditLast: () => this.editLast(), onSent: (ts) => {
      this.toEnd();
      source.onSent?.(ts);
    } });
    this.foot.replaceChildren(this.composer);
    this.over.textContent = source.drop;
    this.list.setAttribute("aria-label", t(this.inThread ? "thread" : "messages"));
  }

  offerEnd() {
    this.pill.replaceChildren(icon("down"), t("latest"));
    this.pill.hidden = false;
  }

  items(messages) {
    const items = [];
    let last = null;
    let today = "";
    for (const message of messages) {
      const dayOf = day(message.ts, zone());
      if (!this.inThread && dayOf !== today) {
        const name = dayName(message.ts, zone());
        items.push({ key: `day-${dayOf}`, mark: name, build: () => el("div.day", {}, el("span", {}, name)) });
        last = null;
      }
      today = dayOf;
      const options = this.options(message, last);
      items.push({ key: message.ts, mark: markOf(message, options), build: () => buildMessage(message, options) });
      last = options.replies?.length || message.is_ephemeral ? null : message;
    }
    return items;
  }

  options(message, last) {
    const near = last && last.user === message.user && Number(message.ts) - Number(last.ts) < COMPACT_S;
    const alone = message.answers || message.asked || (message.thread && !this.inThread);
    const same = near && !alone && last.username === message.username && message.subtype !== "tombstone";
    return {
      compact: Boolean(same && !message.is_ephemeral),
      replies: this.inThread ? null : (this.source.replies.get(message.ts) ?? []),
      inThread: this.inThread,
      editing: this.editing === message.ts,
      flash: state.mark === message.ts,
      open: (root, focus) => this.source.onOpen(root, focus),
      onEdit: (chosen) => {
        this.editing = chosen?.ts ?? null;
        this.draw(this.source);
        if (!chosen) this.focus();
      },
      onAnswer: (answered) => this.composer.answer(answered),
      go: (ts) => (location.hash = `#/${message.channel}/${ts}`),
      onDismiss: (whisper) => {
        state.whispers = state.whispers.filter((w) => w !== whisper);
        this.draw(this.source);
      },
    };
  }

  editLast() {
    const own = this.source.list().filter((m) => m.user === state.me && m.subtype !== "tombstone");
    if (!own.length) return false;
    this.editing = own.at(-1).ts;
    this.draw(this.source);
    return true;
  }

  focus() {
    this.node.querySelector(".composer textarea")?.focus();
  }

  /** Whether the person writes here right now: then nothing else may take its place. */
  busy() {
    const field = this.node.querySelector(".composer textarea");
    return !this.node.hidden && Boolean(field?.value || this.node.contains(document.activeElement));
  }

  listenForFiles() {
    let depth = 0;
    const holdsFiles = (event) => event.dataTransfer?.types.includes("Files");
    this.node.addEventListener("dragenter", (event) => {
      if (!holdsFiles(event)) return;
      depth += 1;
      this.over.hidden = false;
    });
    this.node.addEventListener("dragleave", (event) => {
      if (!holdsFiles(event)) return;
      depth = Math.max(0, depth - 1);
      this.over.hidden = depth === 0;
    });
    this.node.addEventListener("dragover", (event) => event.preventDefault());
    this.node.addEventListener("drop", (event) => {
      event.preventDefault();
      depth = 0;
      this.over.hidden = true;
      this.composer.addFiles([...event.dataTransfer.files]);
    });
  }
}
