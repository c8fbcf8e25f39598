// ---- the tables that stand below the chart ----

const parts = (waiting) => Object.entries(waiting).filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1])
  .map(([reason, n]) => `${reason.replace("_", " ")} ${count(n)}`).join(", ") || "nothing";

function showRoutes(now) {
  const rows = now.routes.map((one) => [{text: one.name, kind: "name"}, {text: one.target, kind: "name"},
    rateText(rateNow((then) => then.routes[one.name] || 0)) + "/s", one.lag === null ? "–" : one.lag, secondsText(one.lag_seconds),
    {text: parts(one.waiting), wide: true}, one.dead_lettered, `${count(one.partitions_held)} of ${count(one.partitions)}`,
    ...pauseCells(now, "route", one.name)]);
  const number = (text) => ({text, number: true});
  showTable("routes", "Routes", ["route", "target", number("delivered"), number("lag"), number("oldest"), "its records wait for",
    number("dead letters"), number("partitions paused"), ...pauseHeads(now)], rows, "no routes");
}

// The permits that a share's flows have used: all of them, or those of one flow, or of one level.
function permitsOf(then, share, {flow, level}) {
  const flows = (then.shares[share] || []).filter((one) => flow === undefined || one.name === flow);
  return sum(flows, (one) => sum(Object.entries(one.permits), ([name, n]) => (level === undefined || name === level ? n : 0)));
}

function shareRows(share, last) {
  const more = (which) => Math.max(0, permitsOf(last, share.name, which) - permitsOf(at(LATE_S, last), share.name, which));
  const all = more({});
  const row = (name, which, weight, waiting) => {
    const part = all ? more(which) / all : 0;
    return [{text: share.name, kind: "name"}, {text: name, kind: "key"}, weight, rateText(rateNow((one) => permitsOf(one, share.name, which))) + "/s",
      {text: `${Math.round(100 * part)} %`, bar: part}, waiting];
  };
  const flows = share.flows.map((one) => row(one.name, {flow: one.name}, one.weight === null ? "–" : one.weight, "–"));
  const levels = share.levels.map((one) => row(share.levels.length > 1 ? `level ${one.name}` : "all", {level: one.name}, "–", one.waiting));
  return [...flows, ...levels];
}

function showShares(now) {
  byId("divided").hidden = !now.shares.length;
  const last = past[past.length - 1];
  const number = (text) => ({text, number: true});
  showTable("shares", "Shares", ["share", "flow or level", number("weight"), number("this gate uses"), "part, last minute",
    number("waiting")], now.shares.flatMap((share) => shareRows(share, last)), "no shares");
}

function showLines(now) {
  setText(byId("lines-total"), `${now.lines.length} of ${count(now.lines_total)}`);
  const rows = now.lines.map((one) => {
    const [first] = Object.values(one.keys);
    // That of the limit for which it waits, if there is one; LIMIT/burst has the key of LIMIT.
    const key = one.keys[one.limit?.replace(/\/burst$/, "")] ?? first;
    const button = key !== undefined ? () => ask({key}) : null;
    return [{text: keysText(one.keys), kind: "key", button, title: button ? "Ask why they wait" : ""}, one.route, one.waiting,
      agoText(one.oldest, now.at), {text: waitsText(one), wide: true}, secondsText(one.drain_seconds)];
  });
  const number = (text) => ({text, number: true});
  showTable("lines", "Longest lines", ["key", "route", number("waiting"), number("oldest"), "waits for", number("drains in")], rows,
    "nobody waits");
}

// What only failed last may be as well as ever, and a breaker may be open that no record may try now: whether
// something is wrong, and how bad it is, is for the troubles to say.
function stateOf(one, now) {
  const trouble = now.troubles.find((it) => it.what === "target" && it.name === one.name && it.ended === null);
  const text = (words) => (one.trouble ? `${words}: ${one.trouble}` : words);
  if (one.unusable) return {text: one.unusable, kind: "bad", wide: true};
  if (one.breaker.state !== "closed") {
    if (trouble && !isBad(trouble)) return {text: trouble.says, kind: "warning", wide: true};
    const next = untilText(one.breaker.until, now.at);
    return {text: text(`circuit breaker open, ${next ? "next try " + next : "is tried"}`), kind: "bad", wide: true};
  }
  if (one.held_until !== null) return {text: text(`paused, goes on ${untilText(one.held_until, now.at) || "now"}`), kind: "warning", wide: true};
  if (one.trouble && trouble) return {text: text("attempts fail"), kind: "warning", wide: true};
  if (one.warning) return {text: one.warning, kind: "warning", wide: true};
  return {text: one.trouble ? text("last attempt failed") : "healthy", wide: true};
}

function showTargets(now) {
  const rows = now.targets.map((one) => [{text: one.name, kind: "name"}, "target", stateOf(one, now),
    `${count(one.in_flight)} of ${count(one.max_in_flight)}`, ...pauseCells(now, "target", one.name)]);
  for (const one of now.stores) {
    const wrong = one.closed || (one.up ? "" : one.trouble || "down");
    const state = wrong ? {text: wrong, kind: "bad", wide: true} : {text: "healthy", wide: true};
    rows.push([{text: one.name, kind: "name"}, "limiter", state, "", ...pauseHeads(now).map(() => "")]);
  }
  if (now.kafka_trouble) rows.push([{text: "kafka", kind: "name"}, "source", {text: now.kafka_trouble, kind: "bad", wide: true}, "", ...pauseHeads(now).map(() => "")]);
  showTable("targets", "Targets and limiter", ["name", "what", "state", {text: "in flight", number: true}, ...pauseHeads(now)], rows, "none");
}

function partitionState(one, now) {
  if (one.stuck) return one.stuck;
  if (one.revoking) return "leaves this gate";
  if (one.paused) return pausedText(one, now);
  if (one.waiting) return "start not known yet";
  return one.held ? "paused: full" : "being read";
}

function showPartitions(now) {
  setText(byId("partitions-total"), `${now.partitions.length} of ${count(now.partitions_total)}`);
  const rows = now.partitions.map((one) => [{text: `${one.topic} ${one.partition}`, kind: "key"}, one.inside,
    one.lag === null ? "–" : one.lag, {text: partitionState(one, now), kind: one.stuck ? "bad" : "", wide: one.paused},
    {text: one.oldest ? `offset ${one.oldest.offset}, ${agoText(one.oldest.written, now.at)} old, ${one.oldest.says}` : "–", wide: true},
    one.committed < 0 ? "–" : {text: String(one.committed), kind: "number"}]);
  const number = (text) => ({text, number: true});
  showTable("partitions", "Fullest partitions", ["partition", number("in the gate"), number("lag"), "state", "its oldest record",
    number("committed")], rows, "no partitions: ask the other gates of the group");
}

function showRecent(now) {
  fill(byId("recent"), now.recent.slice().reverse(), () => {
    const item = element("li");
    item.append(element("time"), element("span"));
    return item;
  }, (item, one) => {
    setClass(item, one.severity === "info" ? "" : one.severity);
    setText(item.children[0], clockText(one.at, now.at));
    item.children[0].dateTime = new Date(one.at / 1e3).toISOString();
    item.children[0].title = utcText(one.at);
    setText(item.children[1], `${one.severity === "info" ? "" : `${one.severity}: `}${one.what}: ${one.detail}`);
  });
}
