// Times of messages in the zone of the person who reads them.

import { getLanguage, t } from "./texts.js";

const formats = new Map();

function format(zone, options) {
  const locale = getLanguage() === "zh" ? "zh-CN" : "en-GB";
  const key = JSON.stringify([locale, zone, options]);
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(locale, { timeZone: zone, ...options }));
  return formats.get(key);
}

const date = (ts) => new Date(Number(ts) * 1000);

export const clock = (ts, zone) =>
  format(zone, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(date(ts));

export const full = (ts, zone) =>
  format(zone, { dateStyle: "full", timeStyle: "long" }).format(date(ts));

/** A day as something to compare. */
export const day = (ts, zone) =>
  format(zone, { year: "numeric", month: "2-digit", day: "2-digit" }).format(date(ts));

export function dayName(ts, zone) {
  const now = Date.now() / 1000;
  if (day(ts, zone) === day(now, zone)) return t("today");
  if (day(ts, zone) === day(now - 86400, zone)) return t("yesterday");
  return format(zone, { weekday: "long", month: "long", day: "numeric" }).format(date(ts));
}

export const when = (ts, zone) =>
  day(ts, zone) === day(Date.now() / 1000, zone)
    ? clock(ts, zone)
    : format(zone, { month: "short", day: "numeric" }).format(date(ts)) + " " + clock(ts, zone);
