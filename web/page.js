// What the gate says about itself, once a second (GET /v1/events), as a page.

const HISTORY_S = 300;        // What the chart shows.
const LATE_S = 60;            // What "How late" and the rates show.
const SILENCE_MS = 5000;      // After which a connection counts as dead: an event comes each second.
const AGAIN_MS = 1000;
const WRITING_MS = 10000;     // After which a pause that was asked for is given up: the gate answers within two seconds.

// Those with the newest numbers last; only as long as the gate has counted without a restart.
let past = [];
let chart = null;
let chartLimit = "";
let live = null;              // The last event.
let drawn = null;             // The event that the page shows: an older one while it is paused, or something is selected.
let paused = false;
let lost = "";                // Why nothing new is shown, as that there is no connection; empty while something is.

// ---- numbers over time ----

function at(seconds, last) {
  const from = last.at - seconds * SECOND;
  return past.find((one) => one.at >= from) || last;
}

function remember(now) {
  const before = past[past.length - 1];
  if (before && (before.started_at !== now.started_at || now.at < before.at)) past = [];
  past.push({
    at: now.at,
    started_at: now.started_at,
    routes: Object.fromEntries(now.routes.map((one) => [one.name, one.delivered])),
    delivered: now.books.delivered,
    limits: Object.fromEntries(now.limits.map((one) => [one.name, one.admitted])),
    shares: Object.fromEntries(now.shares.map((one) => [one.name, one.flows])),
    waits: now.waits.counts,
    delays: now.delays.counts,
  });
  while (past[0].at < now.at - HISTORY_S * SECOND) past.shift();
}

const perSecond = (later, earlier, pick) =>
  (later.at <= earlier.at ? null : Math.max(0, (pick(later) - pick(earlier)) / ((later.at - earlier.at) / SECOND)));

// Over the last few seconds, so that it can be read.
function rateNow(pick, known = past) {
  const last = known[known.length - 1];
  return known.length < 2 ? null : perSecond(last, at(5, last), pick);
}

const rates = (known, pick) => known.map((one, i) => (i ? perSecond(one, known[i - 1], pick) : null));

// ---- the top of the page ----

function showState(text, kind) {
  setText(byId("state-text"), text);
  setClass(byId("dot"), kind);
}

const isBad = (one) => one.ended === null && one.severity === "bad";

// No connection, paused, or what the gate says of itself. Also while nothing below moves: a page that is paused may lose its
// connection, and have it again.
function showStanding() {
  const old = drawn ? `; the numbers are of ${clockText(drawn.at, Date.now() * MILLI)}` : "";
  const held = !lost && !paused && drawn !== live;
  setText(byId("held"), held ? `; ${isSelecting() ? "something is selected" : "a button in a table has the focus"}${old}` : "");
  document.body.classList.toggle("stale", lost !== "");
  if (lost) return showState(`${paused ? "paused, and " : ""}${lost}; trying again${old}`, "bad");
  if (paused) return showState(`paused${old}`, "");
  if (!live) return;
  const bad = live.troubles.some(isBad);
  showState(live.ready ? (bad ? "ready, but something is wrong" : "ready") : live.why_not_ready,
    live.ready && !bad ? "good" : "bad");
}

// Not by its colour alone.
const severityOf = (one) => (isBad(one) ? "error: " : one.ended === null ? "warning: " : "");
const nameOf = (one) => (one.name ? `${one.what} ${one.name}` : one.what.replace("_", " "));

// For those who listen: what has begun or ended since the last event, and not the seconds and records that the strip counts.
let told = new Map();         // Of each name the severity.

function tellTroubles(troubles) {
  const lasting = troubles.filter((one) => one.ended === null);
  const names = lasting.map(nameOf);
  const changes = [...lasting.filter((one) => told.get(nameOf(one)) !== one.severity).map((one) => `${severityOf(one)}${nameOf(one)}: ${one.says}`),
    ...[...told.keys()].filter((name) => !names.includes(name)).map((name) => `${name}: over`)];
  told = new Map(lasting.map((one) => [nameOf(one), one.severity]));
  if (changes.length) setText(byId("told"), changes.join("; "));
}

function showTroubles(now) {
  const lasting = now.troubles.filter((one) => one.ended === null);
  const ended = now.troubles.filter((one) => one.ended !== null);
  byId("troubles").hidden = !now.troubles.length;
  fill(byId("lasting"), lasting, () => {
    const item = element("li");
    item.append(element("b"), element("span"));
    return item;
  }, (item, one) => {
    const bad = one.severity === "bad";
    setClass(item, bad ? "bad" : "");
    setText(item.children[0], severityOf(one) + nameOf(one));
    const parts = [one.says];
    if (one.since !== null) parts.push(`since ${clockText(one.since, now.at)} (${agoText(one.since, now.at)})`);
    if (one.next !== null) parts.push((bad ? "next try " : "goes on ") + (untilText(one.next, now.at) || "now"));
    if (one.waiting !== null) parts.push(`${count(one.waiting)} records wait`);
    setText(item.children[1], parts.join(" · "));
  });
  byId("over").hidden = !ended.length;
  setText(byId("over-count"), `over in the last ten minutes: the last ${ended.length}`);
  fill(byId("ended"), ended, () => element("li"), (item, one) => setText(item,
    `${nameOf(one)}: ${one.says}, from ${clockText(one.since, now.at)} to ${clockText(one.ended, now.at)} ` +
    `(${spanText(one.ended - one.since)})`));
}

// ---- the record's way ----

const stage = (name) => document.querySelector(`[data-stage="${name}"]`);
const sum = (list, pick) => list.reduce((total, one) => total + (pick(one) || 0), 0);

// Of each cause: how many, of which so many are not the first of their lane, and the limits by name. Targets that are down are a
// cause of their own, with the records that are to be tried there again, so that those of the others do not look as if something
// were wrong.
function causesOf(now) {
  const down = new Set(now.troubles.filter((one) => one.what === "target" && isBad(one)).map((one) => one.name));
  const dead = now.routes.filter((one) => down.has(one.target));
  const alive = now.routes.filter((one) => !down.has(one.target));
  const some = now.routes.some((one) => one.waiting.not_before) ? ["not_before"] : [];
  const of_target = ["target", "retry"];
  const cause = (reason, routes, reasons = [reason]) => {
    const all = (field) => sum(reasons, (each) => sum(routes, (one) => one[field][each]));
    return {reason, records: all("waiting"), behind: all("behind"), limits: [], down: [], bad: reason === "outage"};
  };
  const all = ["limit", "target", "retry", "outage", "paused", "order", ...some].map((reason) =>
    cause(reason, of_target.includes(reason) ? alive : now.routes));
  all[0].limits = now.limits.filter((one) => one.waiting).sort((a, b) => b.waiting - a.waiting);
  if (dead.length) {
    all.splice(2, 0, {...cause("target", dead, of_target), down: [...new Set(dead.map((one) => one.target))], bad: true});
  }
  return all;
}

function causeText({reason, behind, limits, down}) {
  const which = limits.map((one) => {
    const keys = one.keys === null ? "" : ` (${count(one.keys_full)} of ${count(one.keys)} lines)`;
    return `${one.name} ${count(one.waiting)}${keys}`;
  });
  const notes = [which.join(", "), behind ? `${count(behind)} behind another` : ""].filter(Boolean);
  const name = down.length ? `${down.length > 1 ? "targets that are" : "a target that is"} down: ${down.join(", ")}` : CAUSES[reason];
  return name + (notes.length ? ` – ${notes.join("; ")}` : "");
}

function showWay(now) {
  const lag = now.routes.some((one) => one.lag !== null) ? sum(now.routes, (one) => one.lag) : null;
  const ages = now.routes.map((one) => one.lag_seconds).filter((one) => one !== null);
  setText(stage("lag"), count(lag));
  setText(byId("lag-age"), lag && ages.length ? `oldest ${secondsText(Math.max(...ages))}` : "");
  const causes = causesOf(now);
  const most = Math.max(1, ...causes.map((one) => one.records));
  fill(byId("causes"), causes, () => {
    const item = element("li");
    item.append(element("b"), element("span"), element("i"));
    return item;
  }, (item, one) => {
    item.children[0].dataset.stage = one.down.length ? "target_down" : one.reason;
    setClass(item, one.records === 0 ? "zero" : one.bad ? "bad" : "");
    setText(item.children[0], count(one.records));
    setText(item.children[1], causeText(one));
    item.children[2].style.width = `${(100 * one.records / most).toFixed(1)}%`;
  });
  setText(stage("in_flight"), count(sum(now.routes, (one) => one.waiting.in_flight)));
  const most_at_once = count(sum(now.targets, (one) => one.max_in_flight));
  setText(byId("flight-of"), `in ${count(sum(now.targets, (one) => one.in_flight))} of ${most_at_once} requests`);
  for (const name of ["delivered", "dead_lettered", "returned", "filtered"]) setText(stage(name), count(now.books[name]));
  byId("filtered").hidden = now.books.filtered === 0;
  setText(byId("delivered-rate"), `${rateText(rateNow((one) => one.delivered))}/s`);
  showBooks(now.books);
}

function showBooks(books) {
  const words = `received ${count(books.received)} = delivered ${count(books.delivered)} + ` +
      `dead-lettered ${count(books.dead_lettered)} + returned ${count(books.returned)} + ` +
      (books.filtered > 0 ? `filtered ${count(books.filtered)} + ` : "") + `in the gate ${count(books.inside)}`;
  const box = byId("books");
  if (!box.firstElementChild) box.append(element("span"), element("span", "", "faint"));
  setText(box.children[0], books.closed ? "✓ The totals add up: " : "✗ The totals do not add up: ");
  setClass(box.children[0], books.closed ? "good" : "bad");
  setText(box.children[1], words);
}

// ---- limits ----

function showLimits(now) {
  const rows = now.limits.map((one) => [{text: one.name, kind: "name"}, allowedText(one),
    rateText(rateNow((then) => then.limits[one.name] || 0)) + "/s", one.waiting,
    one.keys === null ? "–" : `${count(one.keys_full)} of ${count(one.keys)}`]);
  showTable("limits", "Limits", ["limit", "allows", {text: "this gate uses", number: true}, {text: "waiting", number: true},
    {text: "lines at it", number: true}], rows, "no limits");
}

function chooseLimit(now) {
  const choice = byId("limit");
  const names = now.limits.map((one) => one.name);
  if ([...choice.options].map((one) => one.value).join("\n") !== names.join("\n")) {
    const chosen = choice.value;
    choice.replaceChildren(...names.map((name) => new Option(name, name)));
    const shared = now.limits.find((one) => !one.keyed && one.per_second !== null);
    if (names.includes(chosen)) choice.value = chosen;
    else if (shared) choice.value = shared.name;
  }
  return now.limits.find((one) => one.name === choice.value);
}

// The line of what is allowed is only there where this gate may be compared with it, or says of whom it is.
const hasLine = (limit) => limit && !limit.keyed && limit.per_second !== null;

function chartText(limit, used) {
  if (!limit) return "Delivered each second";
  const uses = `This gate uses ${rateText(used)}/s of ${limit.name}`;
  if (limit.keyed) return `${uses}, over all keys; each key may use ${mostText(limit)}`;
  if (limit.per_second === null) return `${uses}; at most ${mostText(limit)}`;
  if (limit.store === "memory") return `${uses}; this gate may use ${rateText(limit.per_second)}/s (dashed)`;
  return `${uses}; all gates together may use ${rateText(limit.per_second)}/s (dashed), and this page shows this gate's part`;
}

function newChart(limit) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const axis = {stroke: colour("--faint"), grid: {stroke: colour("--rule"), width: 1}, ticks: {show: false}};
  const series = [{}, {stroke: colour("--mark"), width: 2, fill: colour("--soft"), points: {show: false}}];
  if (hasLine(limit)) series.push({stroke: colour("--faint"), dash: [6, 4], width: 1.5, points: {show: false}});
  byId("chart").replaceChildren();
  const times = {...axis, space: 90, incrs: [15, 30, 60, 120], values: (plot, splits) => splits.map((one) => clockText(one * SECOND))};
  return new uPlot({
    width: byId("chart").clientWidth, height: 200, series, axes: [times, {...axis, size: 56, values: (plot, splits) => splits.map(rateText)}], legend: {show: false},
    scales: {y: {range: (plot, least, most) => [0, Math.max(1, most * 1.1)]}}, cursor: {show: false},
  }, series.map(() => []), byId("chart"));
}

function showChart(now) {
  const limit = chooseLimit(now);
  const wanted = JSON.stringify([limit && limit.name, limit && limit.per_second]);
  if (!chart || chartLimit !== wanted) {
    if (chart) chart.destroy();
    chart = newChart(limit);
    chartLimit = wanted;
  }
  const pick = (one) => (limit ? one.limits[limit.name] || 0 : one.delivered);
  const known = past.filter((one) => one.at <= now.at);  // While the page is paused more is known than it shows.
  const data = [known.map((one) => one.at / SECOND), rates(known, pick)];
  if (hasLine(limit)) data.push(known.map(() => limit.per_second));
  chart.setData(data);
  setText(byId("chart-of"), chartText(limit, rateNow(pick, known)));
}

// ---- how late ----

// The gate counts into many classes: here they are put together, so that they fit on a phone.
const CLASSES = [[MILLI, "1 ms"], [10 * MILLI, "10 ms"], [100 * MILLI, "0.1 s"], [SECOND, "1 s"], [10 * SECOND, "10 s"],
  [MINUTE, "1 min"], [10 * MINUTE, "10 min"], [HOUR, "1 h"], [DAY, "1 d"], [Infinity, "more"]];

function classed(now, name) {
  const earlier = at(LATE_S, past[past.length - 1])[name];
  const sums = CLASSES.map(() => 0);
  let place = 0;
  now[name].counts.forEach((n, i) => {
    const bound = i < now[name].bounds.length ? now[name].bounds[i] : Infinity;
    while (bound > CLASSES[place][0]) ++place;
    sums[place] += n - (earlier[i] || 0);
  });
  return sums;
}

// The upper bound of the class in which that part of them lies; none where there were none.
function quantile(now, name, part) {
  const earlier = at(LATE_S, past[past.length - 1])[name];
  const more = now[name].counts.map((n, i) => n - (earlier[i] || 0));
  const all = more.reduce((a, b) => a + b, 0);
  let before = 0;
  for (let i = 0; all && i < more.length; ++i) {
    before += more[i];
    if (before >= part * all) return i < now[name].bounds.length ? now[name].bounds[i] : null;
  }
  return null;
}

function showLate(now) {
  const last = past[past.length - 1];
  setText(byId("late-of"), `last ${Math.round((now.at - at(LATE_S, last).at) / SECOND)} s`);
  const [waits, delays] = [classed(now, "waits"), classed(now, "delays")];
  const bar = (all, i) => ({text: all[i], bar: all[i] / Math.max(1, ...all)});
  showTable("late", "How long records waited for a permit, and how old they were when they were delivered",
    ["up to", "wait for a permit", "age at delivery"], CLASSES.map(([, name], i) => [name, bar(waits, i), bar(delays, i)]), "");
  const [half, most] = [quantile(now, "delays", 0.5), quantile(now, "delays", 0.99)];
  setText(byId("delay"), half === null ? "" : `half within ${spanText(half)}` + (most === null ? "" : `, 99 % within ${spanText(most)}`));
}

function show(now) {
  remember(now);
  live = now;
  lost = "";
  setText(byId("clock"), clockText(now.at) + (inUtc(now.at) ? " UTC" : ` (${utcText(now.at)})`));
  if (!paused && !isSelecting() && !isChoosing()) drawn = now;
  showStanding();
  if (!paused) tellTroubles(now.troubles);
  // What is wrong is said also while nothing else moves.
  if (!paused && !isSelecting(byId("troubles"))) showTroubles(now);
  if (drawn !== now) return;
  byId("main").hidden = false;
  setText(byId("instance"), now.instance);
  document.title = `Einlass ${now.instance}`;
  for (const part of [showWay, showLimits, showChart, showLate, showRoutes, showShares, showLines, showTargets, showPauses,
    showPartitions, showRecent]) part(now);
  setText(byId("about"), `Version ${now.version}, up ${agoText(now.started_at, now.at)}, configuration of ` +
      `${clockText(now.configured_at, now.at)}.`);
}
