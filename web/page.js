"use strict";
// What the gate says about itself, once a second (GET /v1/events), as a page. Texts of records are only ever set as
// text, never as markup.

const HISTORY_S = 300;        // What the chart shows.
const WAITS_S = 60;           // What the histogram shows.
const SILENCE_MS = 5000;      // After which a connection counts as dead: an event comes each second.
const AGAIN_MS = 1000;

const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat("en");
const rateText = (n) => (n === null ? "–" : number.format(n < 10 ? Math.round(n * 10) / 10 : Math.round(n)));

// Those with the newest numbers last; only as long as the gate has counted without a restart.
let past = [];
let chart = null;
let chartLimit = "";

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// ---- words ----

function spanText(us) {
  if (us < 1e6) return Math.max(1, Math.ceil(us / 1e3)) + " ms";
  if (us < 120e6) return (Math.ceil(us / 1e5) / 10).toFixed(1) + " s";
  return Math.ceil(us / 60e6) + " min";
}

const untilText = (until, now) => (until === null || until <= now ? "" : "in " + spanText(until - now));
// Which limit a key is for is only said where there are several.
function keysText(keys) {
  const each = Object.entries(keys);
  return each.length === 1 ? each[0][1] : each.map(([limit, key]) => `${limit}: ${key}`).join(", ") || "(all records)";
}
const timeText = (us) => new Date(us / 1e3).toLocaleTimeString();

// ---- numbers over time ----

function at(seconds, last) {
  const from = last.at - seconds * 1e6;
  return past.find((one) => one.at >= from) || last;
}

function remember(live) {
  const before = past[past.length - 1];
  if (before && before.started_at !== live.started_at) past = [];
  past.push({
    at: live.at,
    started_at: live.started_at,
    delivered: live.books.delivered,
    limits: Object.fromEntries(live.limits.map((one) => [one.name, one.admitted])),
    waits: live.waits.counts,
  });
  while (past[0].at < live.at - HISTORY_S * 1e6) past.shift();
}

function rates(pick) {
  return past.map((one, i) => {
    const before = past[i - 1];
    if (!before || one.at <= before.at) return null;
    return Math.max(0, (pick(one) - pick(before)) / ((one.at - before.at) / 1e6));
  });
}

// ---- the parts of the page ----

function showState(text, kind) {
  byId("state-text").textContent = text;
  byId("dot").className = kind;
}

function showStages(live) {
  const sum = (reason) => live.routes.reduce((total, route) => total + route.waiting[reason], 0);
  const stages = [
    ["received", live.books.received, "in"], ["order", sum("order")], ["limit", sum("limit")],
    ["outage", sum("outage")], ["target", sum("target")], ["in flight", sum("in_flight")], ["retry", sum("retry")],
    ["delivered", live.books.delivered, "end"], ["dead-lettered", live.books.dead_lettered, "end"],
    ["returned", live.books.returned, "end"],
  ];
  byId("stages").replaceChildren(...stages.map(([name, count, kind]) => {
    const stage = element("li", undefined, [kind || "", count ? "" : "zero"].join(" ").trim());
    stage.dataset.stage = name;
    stage.append(element("b", number.format(count)), element("span", name));
    return stage;
  }));
  const books = live.books;
  const words = `received ${number.format(books.received)} = delivered ${number.format(books.delivered)} + ` +
      `dead-lettered ${number.format(books.dead_lettered)} + returned ${number.format(books.returned)} + ` +
      `inside ${number.format(books.inside)}`;
  byId("books").replaceChildren(
      element("span", books.closed ? "✓ The books close: " : "✗ The books do not close: ", books.closed ? "good" : "bad"),
      element("span", words, "faint"));
}

function allowedText(limit) {
  const nobody = limit.shadow ? "; a shadow limit, which nobody obeys" : "";
  if (limit.at_once !== null) return `at most ${number.format(limit.at_once)} at once${nobody}`;
  const each = limit.keyed ? " for each key" : "";
  return `allows ${rateText(limit.per_second)} each second${each}` + (limit.store === "redis" ? ", for the whole fleet" : "") + nobody;
}

function chooseLimit(live) {
  const choice = byId("limit");
  const names = live.limits.map((one) => one.name);
  if ([...choice.options].map((one) => one.value).join("\n") !== names.join("\n")) {
    const chosen = choice.value;
    choice.replaceChildren(...names.map((name) => new Option(name, name)));
    const whole = live.limits.find((one) => !one.keyed && one.per_second !== null);
    if (names.includes(chosen)) choice.value = chosen;
    else if (whole) choice.value = whole.name;
  }
  const limit = live.limits.find((one) => one.name === choice.value);
  byId("allowed").textContent = limit ? allowedText(limit) : "no limits";
  return limit;
}

function newChart(limit) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const axis = {stroke: colour("--faint"), grid: {stroke: colour("--rule"), width: 1}, ticks: {show: false}};
  const whole = (plot, value) => (value === null || value === undefined ? "–" : rateText(value));
  const series = [{}, {label: "delivered/s", stroke: colour("--good"), width: 1.5, value: whole}];
  if (limit) series.push({label: "admitted/s", stroke: colour("--mark"), width: 2, value: whole});
  if (limit && !limit.keyed && limit.per_second !== null) {
    series.push({label: "allowed/s", stroke: colour("--bad"), dash: [6, 4], width: 1.5, value: whole});
  }
  byId("chart").replaceChildren();
  return new uPlot({
    width: byId("chart").clientWidth, height: 220, series, axes: [axis, {...axis, size: 56}],
    scales: {y: {range: (plot, least, most) => [0, Math.max(1, most * 1.1)]}}, cursor: {drag: {x: false, y: false}},
  }, series.map(() => []), byId("chart"));
}

function showChart(live) {
  const limit = chooseLimit(live);
  const wanted = JSON.stringify([limit && limit.name, limit && limit.per_second]);
  if (!chart || chartLimit !== wanted) {
    if (chart) chart.destroy();
    chart = newChart(limit);
    chartLimit = wanted;
  }
  const data = [past.map((one) => one.at / 1e6), rates((one) => one.delivered)];
  if (limit) data.push(rates((one) => one.limits[limit.name] || 0));
  while (data.length < chart.series.length) data.push(past.map(() => limit.per_second));
  chart.setData(data);
}

// The gate counts into 28 classes: here they are put together, so that they fit on a phone.
const WAIT_CLASSES = [[1e3, "1 ms"], [1e4, "10 ms"], [1e5, "0.1 s"], [1e6, "1 s"], [1e7, "10 s"], [6e7, "1 min"],
  [6e8, "10 min"], [Infinity, "more"]];

function showWaits(live) {
  const earlier = at(WAITS_S, past[past.length - 1]);
  const sums = WAIT_CLASSES.map(() => 0);
  let place = 0;
  live.waits.counts.forEach((count, i) => {
    const bound = i < live.waits.bounds.length ? live.waits.bounds[i] : Infinity;
    while (bound > WAIT_CLASSES[place][0]) ++place;
    sums[place] += count - (earlier.waits[i] || 0);
  });
  const total = sums.reduce((a, b) => a + b, 0);
  const most = Math.max(1, ...sums);
  const seconds = Math.round((live.at - earlier.at) / 1e6);
  byId("waits-of").textContent = `${number.format(total)} permits in the last ${seconds} s; up to …`;
  byId("waits").replaceChildren(...WAIT_CLASSES.flatMap(([, name], i) => {
    const bar = element("i");
    bar.style.width = `${(100 * sums[i]) / most}%`;
    return [element("span", name, "faint"), bar, element("span", number.format(sums[i]))];
  }));
}

function showTable(id, heads, rows, empty) {
  const row = (cells, name) => {
    const made = element("tr");
    made.append(...cells.map((cell) => {
      const [text, className] = Array.isArray(cell) ? cell : [cell, ""];
      return element(name, typeof text === "number" ? number.format(text) : text,
                     className || (typeof text === "number" ? "number" : ""));
    }));
    return made;
  };
  const body = rows.length ? rows.map((cells) => row(cells, "td")) : [row([[empty, "faint"]], "td")];
  byId(id).replaceChildren(row(heads, "th"), ...body);
}

function showRoutes(live) {
  const parts = (waiting) => Object.entries(waiting).filter(([, count]) => count > 0)
      .sort((a, b) => b[1] - a[1]).map(([reason, count]) => `${reason.replace("_", " ")} ${number.format(count)}`);
  showTable("routes", ["route", "waits for", ["inside", "number"], ["delivered", "number"], ["dead-lettered", "number"]],
            live.routes.map((one) => [[one.name, "key"], [parts(one.waiting).join(", ") || "nothing", "says"], one.inside,
              one.delivered, one.dead_lettered]), "no routes");
}

function showLines(live) {
  byId("lines-total").textContent = `the ${live.lines.length} longest of ${number.format(live.lines_total)} lines`;
  showTable("lines", ["keys", "route", ["waiting", "number"], "waits for", "until"],
            live.lines.map((one) => [[keysText(one.keys), "key"], one.route, one.waiting,
              [one.limit ? `${one.waits_for}: ${one.limit}` : one.waits_for, "says"], untilText(one.until, live.at)]),
            "nobody waits");
}

function showPartitions(live) {
  byId("partitions-total").textContent = `${live.partitions.length} of ${number.format(live.partitions_total)}`;
  const state = (one) => one.stuck || (one.revoking ? "leaves this gate" : one.held ? "full, so not read on" : "read");
  showTable("partitions", ["partition", ["inside", "number"], "state", "its oldest record", ["committed", "number"]],
            live.partitions.map((one) => [[`${one.topic}-${one.partition}`, "key"], one.inside, [state(one), one.stuck ? "bad" : ""],
              [one.oldest ? `${number.format(one.oldest.offset)} ${one.oldest.says}` : "–", "says"],
              one.committed < 0 ? "–" : one.committed]), "no partitions: ask the group's other gates");
}

function showTargets(live) {
  const trouble = (one) => one.unusable || one.trouble || one.warning;
  const well = (one) => {
    if (trouble(one)) return [trouble(one), "bad"];
    if (one.breaker.state !== "closed") return [`breaker ${one.breaker.state} ${untilText(one.breaker.until, live.at)}`, "warning"];
    if (one.held_until !== null) return [`left alone ${untilText(one.held_until, live.at)}`, "warning"];
    return ["well", "good"];
  };
  const rows = live.targets.map((one) => [[one.name, "key"], "target", well(one), one.in_flight]);
  for (const one of live.stores) rows.push([[one.name, "key"], "limiter", one.up ? ["well", "good"] : [one.trouble || "down", "bad"], ""]);
  if (live.kafka_trouble) rows.push([["kafka", "key"], "source", [live.kafka_trouble, "bad"], ""]);
  showTable("targets", ["name", "what", "state", ["in flight", "number"]], rows, "none");
}

function showRecent(live) {
  byId("recent").replaceChildren(...live.recent.slice().reverse().map((one) => {
    const item = element("li", undefined, one.severity === "info" ? "" : one.severity);
    const time = element("time", timeText(one.at));
    item.append(time, element("span", `${one.what}: ${one.detail}`));
    return item;
  }));
}

function show(live) {
  byId("main").hidden = false;
  byId("instance").textContent = `${live.instance} · ${live.version}`;
  document.title = `Einlass ${live.instance}`;
  showState(live.ready ? "ready" : live.why_not_ready, live.ready ? "good" : "bad");
  remember(live);
  showStages(live);
  showChart(live);
  showWaits(live);
  showRoutes(live);
  showLines(live);
  showPartitions(live);
  showTargets(live);
  showRecent(live);
}

// ---- the connection ----

let connection = null;
let away = false;

// Not an EventSource: that does not say why a connection ended, and a silent one is as good as none.
async function listen() {
  const stop = connection = new AbortController();
  let patience = setTimeout(() => stop.abort(), SILENCE_MS);
  try {
    const answer = await fetch("v1/events", {signal: stop.signal, cache: "no-store"});
    if (!answer.ok) throw new Error((await answer.text()).trim() || `HTTP ${answer.status}`);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = "";;) {
      const {value, done} = await reader.read();
      if (done) throw new Error("the gate ended the connection");
      clearTimeout(patience);
      patience = setTimeout(() => stop.abort(), SILENCE_MS);
      const events = (text + value).split("\n\n");
      text = events.pop();
      for (const event of events) if (event.startsWith("data: ")) show(JSON.parse(event.slice(6)));
    }
  } catch (error) {
    if (away) return;
    const why = error.name === "AbortError" ? "it is silent" : error.message;
    showState(`no connection to the gate (${why}); trying again`, "bad");
    setTimeout(() => { if (!away) listen(); }, AGAIN_MS);
  } finally {
    clearTimeout(patience);
  }
}

byId("why").addEventListener("submit", async (event) => {
  event.preventDefault();
  const fields = [...new FormData(event.target)].map(([name, text]) => [name, text.trim()]).filter(([, text]) => text);
  let lines;
  try {
    const answer = await fetch("v1/why?" + new URLSearchParams(fields));
    const body = await answer.text();
    lines = answer.ok ? because(JSON.parse(body)) : [body.trim()];
  } catch (error) {
    lines = [error.message];
  }
  byId("because").replaceChildren(...lines.map((line) => element("li", line)));
});

function because(answer) {
  const place = (one) => `${one.topic}-${one.partition}@${one.offset}`;
  const lines = "key" in answer ? [answer.says] : answer.records.length ? [] : [answer.says];
  for (const one of answer.records) {
    lines.push(`${place(one)} ${one.says}` + (one.last_error ? `; its last attempt failed: ${one.last_error}` : ""));
    if (one.first) lines.push(`the first of them, ${place(one.first)}, ${one.first.says}`);
  }
  return lines;
}

// A browser keeps pages that one may come back to, and with them their connections, of which it has six for one server.
addEventListener("pagehide", () => {
  away = true;
  connection.abort();
});
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  away = false;
  listen();
});

const newColours = () => { chartLimit = ""; };
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", newColours);
addEventListener("resize", () => { if (chart) chart.setSize({width: byId("chart").clientWidth, height: 220}); });
listen();
