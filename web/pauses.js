// ---- what people pause, at all gates ----

// Only where there is a table of quotas and pauses; who may write is for the gate to say.
function pauseCells(now, what, name) {
  if (!now.quotas.table) return [];
  const pause = now.quotas.pauses.find((one) => one.what === what && one.name === name);
  return [pause ? resumeCell(pause) : {text: "pause", button: () => askToPause(what, name), title: "At all gates", label: `pause ${what} ${name}`}];
}
const pauseHeads = (now) => (now.quotas.table ? ["for all gates"] : []);

const pauseName = (one) => (one.what === "limit" ? `limit ${one.name}, key ${one.key}` : `${one.what} ${one.name}`);
const resumeCell = (pause) => ({text: "resume", button: () => resume(pause), title: "At all gates", label: `resume ${pauseName(pause)}`});

// Which of them keeps this partition from being read.
function pausedText(partition, now) {
  const route = now.routes.find((one) => one.name === partition.route);
  const names = {topic: partition.topic, route: partition.route, target: route && route.target};
  const pause = now.quotas.pauses.find((one) => names[one.what] === one.name);
  if (!pause) return "paused";
  return `paused: ${pauseName(pause)}` + (pause.by ? ` by ${pause.by}` : "") +
    (pause.since ? `, since ${clockText(pause.since * 1e3, now.at)}` : "") +
    (pause.until ? `, until ${clockText(pause.until * 1e3, now.at)}` : "") + (pause.note ? `: ${pause.note}` : "");
}

function showPauses(now) {
  byId("pauses").hidden = !now.quotas.table;
  const rows = now.quotas.pauses.map((one) => [{text: pauseName(one), kind: "key"}, one.by || "–",
    one.since ? clockText(one.since * 1e3, now.at) : "–", one.until ? clockText(one.until * 1e3, now.at) : "it is resumed",
    {text: one.note || "–", wide: true}, resumeCell(one)]);
  setText(byId("paused-total"), rows.length ? `${rows.length} of ${count(rows.length + (now.quotas.more_pauses || 0))}` : "");
  showTable("paused", "Paused at all gates", ["what", "by", "since", "until", "why", "for all gates"], rows, "nothing");
  suggestNames(now);
}

const pauseForm = byId("steer");

// What may be paused of that kind, as far as this page knows it.
function suggestNames(now) {
  const what = pauseForm.elements.what.value;
  const all = {route: now.routes.map((one) => one.name), target: now.targets.map((one) => one.name),
    topic: now.partitions.map((one) => one.topic), limit: now.limits.filter((one) => one.keyed).map((one) => one.name)}[what];
  fill(byId("names"), [...new Set(all)], () => element("option"), (option, name) => { option.value = name; });
  byId("key-of").hidden = pauseForm.elements.key.disabled = what !== "limit";
}

function askToPause(what, name) {
  pauseForm.elements.what.value = what;
  pauseForm.elements.name.value = name;
  if (live) suggestNames(live);
  pauseForm.scrollIntoView({block: "nearest"});
  pauseForm.elements.note.focus();
}

// Of a request that the gate refused: JSON, or plain text where it was not let in at all.
function refusalOf(answer, text) {
  try {
    return JSON.parse(text).error;
  } catch {
    return text.trim() || `status ${answer.status}`;
  }
}

// One at a time. What the gate said of it stays to be read, wherever it was asked for.
let writing = false;

function sayOfWriting(text, kind) {
  setText(byId("steered"), text);
  setClass(byId("steered"), kind);
  if (text) byId("steered").scrollIntoView({block: "nearest"});
}

async function write(method, pause, how) {
  if (writing) return false;
  writing = pauseForm.querySelector("button").disabled = true;
  sayOfWriting("asking the gate ...", "faint");
  let done = false;
  try {
    done = await askToWrite(method, pause, how);
  } catch (error) {
    sayOfWriting(error.name === "TimeoutError" ? "the gate does not answer; it may have done it all the same" : error.message, "bad");
  }
  writing = pauseForm.querySelector("button").disabled = false;
  return done;
}

// Whether it is written.
async function askToWrite(method, pause, how) {
  const names = [pause.what, pause.name, ...(pause.what === "limit" ? [pause.key] : [])];
  const answer = await fetch("v1/pauses/" + names.map(encodeURIComponent).join("/"),
    {method, body: how && JSON.stringify(how), signal: AbortSignal.timeout(WRITING_MS)});
  const text = await answer.text();
  if (!answer.ok) sayOfWriting(refusalOf(answer, text), "bad");
  else if (answer.status === 202) sayOfWriting(`written, but not in force here: this gate has not read it yet (${pauseName(pause)})`, "warning");
  else sayOfWriting("", "");
  return answer.ok;
}

const kThisPage = "the live page";  // For the log, where nobody says who it is.
const resume = (pause) => confirm(`Let ${pauseName(pause)} go on at all gates?`) &&
  write("DELETE", pause, {by: pauseForm.elements.by.value.trim() || kThisPage});

pauseForm.addEventListener("submit", async (event) => {
  event.preventDefault();
  const {note, by, ...pause} = Object.fromEntries([...new FormData(pauseForm)].map(([name, text]) => [name, text.trim()]));
  const how = {note, by: by || kThisPage, ...(pause.for && {for: pause.for})};
  if (await write("POST", pause, how)) pauseForm.reset();
});
pauseForm.elements.what.addEventListener("change", () => { if (live) suggestNames(live); });

