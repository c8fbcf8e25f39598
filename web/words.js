"use strict";
// Numbers, times and names as people read them.

const whole = new Intl.NumberFormat("en");
const count = (n) => (n === null || n === undefined ? "–" : whole.format(n));

// A rate: as close as it matters.
function rateText(n) {
  if (n === null || n === undefined) return "–";
  if (n >= 100) return whole.format(Math.round(n));
  return String(Number(n.toPrecision(n >= 1 ? 3 : 2)));
}

const [MILLI, SECOND, MINUTE, HOUR, DAY] = [1e3, 1e6, 60e6, 3600e6, 86400e6];

// A length of time in microseconds, as exact as people want it; never less than it is. No line ends between a number and its unit.
function spanText(us) {
  if (us < SECOND) return Math.max(1, Math.ceil(us / MILLI)) + "\u00a0ms";
  if (us < 2 * MINUTE) return (Math.ceil(us / 1e5) / 10).toFixed(1) + "\u00a0s";
  if (us <= 2 * HOUR) return Math.ceil(us / MINUTE) + "\u00a0min";
  const [small, each, names] = us <= 2 * DAY ? [Math.ceil(us / MINUTE), 60, ["h", "min"]] : [Math.ceil(us / HOUR), 24, ["d", "h"]];
  return `${Math.floor(small / each)}\u00a0${names[0]}` + (small % each ? ` ${small % each}\u00a0${names[1]}` : "");
}

const agoText = (at, now) => (at === null || at === undefined ? "–" : spanText(Math.max(0, now - at)));
const untilText = (until, now) => (until === null || until <= now ? "" : "in " + spanText(until - now));
const secondsText = (seconds) => (seconds === null || seconds === undefined ? "–" : spanText(seconds * SECOND));

// In the viewer's zone, of 24 hours; with the day where that is another one.
function clockText(us, now) {
  const at = new Date(us / 1e3);
  const time = at.toLocaleTimeString("en-GB", {hour12: false});
  if (!now || at.toDateString() === new Date(now / 1e3).toDateString()) return time;
  return `${at.getDate()} ${at.toLocaleDateString("en-GB", {month: "short"})} ${time}`;
}
const utcText = (us) => new Date(us / 1e3).toISOString().slice(11, 19) + " UTC";
const inUtc = (us) => new Date(us / 1e3).getTimezoneOffset() === 0;

const CAUSES = {limit: "a limit", target: "the target", retry: "their next attempt", outage: "the limiter (no answer)",
  paused: "somebody to resume them", order: "the record before them", not_before: "their own time (not_before)",
  in_flight: "the answer"};

// Which limit a key is for is only said where there are several.
function keysText(keys) {
  const each = Object.entries(keys);
  const shown = (key) => key || "(no key)";
  return each.length === 1 ? shown(each[0][1]) : each.map(([limit, key]) => `${limit}: ${shown(key)}`).join(", ") || "(all records)";
}

function waitsText(one) {
  const what = one.limit ? `limit ${one.limit}` : one.waits_for.replace("_", " ");
  return one.behind ? `${what}, behind ${keysText(one.behind)}` : what;
}

// In records: what it allows of those that bring their own cost nobody can say.
function mostText(limit) {
  if (limit.at_once !== null) return `${count(limit.at_once)} at once`;
  return limit.per_second === null ? "by the cost of each record" : `${rateText(limit.per_second)}/s`;
}

// What a limit allows, and to whom: only so can it be compared with what is used.
function allowedText(limit) {
  const each = limit.keyed ? " for each key" : limit.store === "redis" ? " for all gates" : " for this gate";
  return mostText(limit) + each + (limit.shadow ? " (shadow: not enforced)" : "");
}
