// What the page knows: one object, filled by the server's stream, read by everything that draws.

export const TYPING_MS = 10000;

export const state = {
  me: "",
  bot: "",
  connected: false,
  online: false,
  people: new Map(),
  channels: [],
  messages: new Map(),
  whispers: [],
  /** What a person is offered behind "/" and in a message's menu: { guild, direct }. */
  commands: { guild: [], direct: [] },
  /** Who types where: "channel/thread/user" to when it was seen. */
  typing: new Map(),
  channel: "",
  thread: "",
  seen: new Map(),
  mark: "",
};

export const me = () => state.people.get(state.me) ?? { name: "", tz: "UTC", locale: "en" };
const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
export const zone = () => me().tz || HERE;
export const discord = document.documentElement.dataset.look === "discord";
export const channelOf = (id) => state.channels.find((channel) => channel.id === id);
export const isRoot = (m) => !m.thread_ts || m.thread_ts === m.ts || m.subtype === "thread_broadcast";

const byTime = (a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0);

export function take(change) {
  switch (change.type) {
    case "snapshot":
      Object.assign(state, { me: change.me, bot: change.bot, connected: change.connected });
      state.people = new Map(change.people.map((person) => [person.id, person]));
      state.channels = change.channels;
      state.commands = change.commands ?? { guild: [], direct: [] };
      state.messages = new Map(change.channels.map((channel) => [channel.id, new Map()]));
      change.messages.forEach(keep);
      if (!channelOf(state.channel)) {
        state.channel = state.channels[0]?.id ?? "";
        state.thread = "";
      }
      break;
    case "message":
      keep(change.message);
      state.typing.delete(typingKey(change.message.channel, change.message.thread_ts, change.message.user));
      break;
    case "gone":
      state.messages.get(change.channel)?.delete(change.ts);
      break;
    case "whisper":
      state.whispers = [...state.whispers.filter((w) => w.ts !== change.message.ts), change.message];
      break;
    case "unwhisper":
      state.whispers = state.whispers.filter((w) => w.ts !== change.ts);
      break;
    case "typing":
      if (change.user !== state.me) state.typing.set(typingKey(change.channel, change.thread, change.user), Date.now());
      break;
    case "bot":
      state.connected = change.connected;
      break;
  }
}

function keep(message) {
  if (!state.messages.has(message.channel)) state.messages.set(message.channel, new Map());
  state.messages.get(message.channel).set(message.ts, message);
}

const typingKey = (channel, thread, user) => `${channel}/${thread ?? ""}/${user}`;

/** Who types in a place now; a sign lasts ten seconds. */
export function typers(channel, thread) {
  const place = typingKey(channel, thread, "");
  const now = Date.now();
  return [...state.typing]
    .filter(([key, at]) => key.startsWith(place) && now - at < TYPING_MS)
    .map(([key]) => key.slice(place.length));
}

const all = (channel) => [...(state.messages.get(channel)?.values() ?? [])].sort(byTime);

export const find = (channel, ts) => state.messages.get(channel)?.get(ts);

/** Messages of the channel itself, with the whispers that belong among them. */
export function roots(channel) {
  const whispers = state.whispers.filter((w) => w.channel === channel && !w.thread_ts);
  return [...all(channel).filter(isRoot), ...whispers].sort(byTime);
}

export function thread(channel, root) {
  const among = (m) => m.ts === root || m.thread_ts === root;
  const whispers = state.whispers.filter((w) => w.channel === channel && w.thread_ts === root);
  return [...all(channel).filter(among), ...whispers].sort(byTime);
}

/** All replies of a channel by their root, in one walk. */
export function repliesByRoot(channel) {
  const found = new Map();
  for (const message of all(channel)) {
    if (!message.thread_ts || message.thread_ts === message.ts) continue;
    if (!found.has(message.thread_ts)) found.set(message.thread_ts, []);
    found.get(message.thread_ts).push(message);
  }
  return found;
}

/** Whether the bot was asked here already: replies to files alone do not count. */
export const hasAnswers = (channel) =>
  all(channel).some((m) => !m.bot_id && m.text.includes(`<@${state.bot}>`)) ||
  (channelOf(channel)?.im && all(channel).length > 0);

const seenKey = (channel) => `${state.me}/${channel}`;

export function markSeen(channel) {
  const newest = all(channel).at(-1)?.ts ?? "0";
  state.seen.set(seenKey(channel), newest);
}

/** How many messages of others came since the person last looked. */
export function unread(channel) {
  const seen = state.seen.get(seenKey(channel));
  if (seen === undefined) return 0;
  return all(channel).filter((m) => m.ts > seen && m.user !== state.me).length;
}

/** After a person's first look at the workspace nothing counts as new. */
export function firstLook() {
  for (const { id } of state.channels) if (!state.seen.has(seenKey(id))) markSeen(id);
}

/** Threads of a channel that are not archived, the newest first: { ts, name }. */
export const threads = (channel) =>
  all(channel)
    .filter((m) => m.thread && !m.thread.archived)
    .map((m) => ({ ts: m.ts, name: m.thread.name }))
    .reverse();

/** The commands that may be used in a channel. */
export const commands = (channel) => state.commands[channelOf(channel)?.im ? "direct" : "guild"] ?? [];
