// ---- the connection ----

let connection = null;
let again = null;             // The timer of the next one.

// A page does not understand every gate: another version brings its own.
function take(text) {
  const now = JSON.parse(text);
  if (live && live.version !== now.version) return location.reload();
  try {
    show(now);
  } catch (cause) {
    throw new Error(`this page cannot show what the gate says (${cause.message}); load it again`, {cause});
  }
}

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
      for (const event of events) if (event.startsWith("data: ")) take(event.slice(6));
    }
  } catch (error) {
    if (connection !== stop) return;  // The page was left.
    lost = error.cause ? error.message : `no connection to the gate (${error.name === "AbortError" ? "it is silent" : error.message || "it ended"})`;
    showStanding();
    again = setTimeout(listen, AGAIN_MS);
  } finally {
    clearTimeout(patience);
    stop.abort();  // Else it stays open, and a browser has only six for one server.
  }
}

// ---- why does a record wait? ----

// The first of a lane is only described once, however many wait behind it.
function because(answer) {
  const place = (one) => `${one.topic} ${one.partition} @ ${one.offset}`;
  const box = element("div");
  if ("key" in answer || !answer.records.length) box.append(element("p", answer.says));
  const list = element("ul");
  let described = "";
  for (const one of answer.records) {
    const old = `${place(one)}, ${agoText(one.written, answer.at)} old, `;
    list.append(element("li", old + one.says + (one.last_error ? `; its last attempt failed: ${one.last_error}` : "")));
    if (!one.first || described === place(one.first)) continue;
    described = place(one.first);
    list.append(element("li", `the first of them, ${described}, ${one.first.says}`));
  }
  if (list.children.length) box.append(list);
  return box;
}

let questions = 0;

// Only the last question is answered, and its answer says to what and when: it stays.
async function answerWhy(fields) {
  const mine = ++questions;
  const {key, topic, partition, offset} = fields;
  const question = key === undefined ? `${topic || "?"} ${partition || "?"} @ ${offset || "?"}` : `key \u201c${key}\u201d`;
  byId("because").replaceChildren(element("p", `${question}: asking ...`, "faint"));
  let box;
  try {
    const answer = await fetch("v1/why?" + new URLSearchParams(fields));
    const body = await answer.text();
    box = answer.ok ? because(JSON.parse(body)) : element("p", body.trim());
  } catch (error) {
    box = element("p", error.message);
  }
  if (mine !== questions) return;
  byId("because").replaceChildren(element("p", `${question}, at ${clockText(Date.now() * MILLI)}:`, "faint"), box);
}

// As if somebody had typed it; a key may also be empty, which nobody can type.
function ask(fields) {
  const form = byId("why");
  for (const input of form.querySelectorAll("input")) input.value = fields[input.name] || "";
  form.scrollIntoView({block: "nearest"});
  answerWhy(fields);
}

byId("why").addEventListener("submit", (event) => {
  event.preventDefault();
  const typed = [...new FormData(byId("why"))].map(([name, text]) => [name, text.trim()]);
  answerWhy(Object.fromEntries(typed.filter(([, text]) => text)));
});

byId("pause").addEventListener("click", () => {
  paused = !paused;
  setText(byId("pause"), paused ? "Go on" : "Pause");
  showStanding();
});

byId("limit").addEventListener("change", () => { if (drawn) showChart(drawn); });

// A browser keeps pages that one may come back to, and with them their connections, of which it has six for one server.
addEventListener("pagehide", () => {
  clearTimeout(again);
  if (connection) connection.abort();
  connection = null;
});
addEventListener("pageshow", (event) => {
  if (event.persisted) listen();
});

// At once: while the gate is silent no event would draw it again.
const newColours = () => {
  chartLimit = "";
  if (drawn) showChart(drawn);
};
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", newColours);
addEventListener("resize", () => { if (chart) chart.setSize({width: byId("chart").clientWidth, height: 200}); });
listen();
