// Draws in place: what is there is changed and not made again, so that a selection, the focus and the place to which
// somebody has scrolled stay. Texts of records are only ever set as text, never as markup.

const byId = (id) => document.getElementById(id);

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function setClass(node, name) {
  if (node.className !== name) node.className = name;
}

// As many children as there are items, the same as before where there were some.
function fill(parent, items, make, update) {
  while (parent.children.length > items.length) parent.lastElementChild.remove();
  while (parent.children.length < items.length) parent.append(make());
  items.forEach((item, i) => update(parent.children[i], item, i));
}

// A cell is a text, a number, or {text, kind, wide, title, button, label, bar}; a label says more than the text of the button. A head is a text, or {text, number}.
function setCell(node, cell, head) {
  const it = cell !== null && typeof cell === "object" ? cell : {text: cell};
  const isNumber = typeof it.text === "number" || head.number;
  setClass(node, [isNumber ? "number" : "", it.kind || "", it.wide ? "says" : ""].filter(Boolean).join(" "));
  const text = typeof it.text === "number" ? count(it.text) : it.text;
  if (node.dataset.label !== head.text) node.dataset.label = head.text;
  if ((it.title || "") !== node.title) node.title = it.title || "";
  if (it.bar !== undefined) return setBar(node, text, it.bar);
  if (!it.button) return setText(node, text);
  if (!node.firstElementChild) node.replaceChildren(element("button", "", "link"));
  const button = node.firstElementChild;
  setText(button, text);
  if (it.label && button.getAttribute("aria-label") !== it.label) button.setAttribute("aria-label", it.label);
  button.onclick = it.button;
}

// A part of the whole, from 0 to 1, with its number.
function setBar(node, text, part) {
  if (!node.firstElementChild) node.replaceChildren(element("span"), element("i", "", "bar"));
  setText(node.firstElementChild, text);
  node.lastElementChild.style.width = `${(100 * part).toFixed(1)}%`;
}

function showTable(id, caption, heads, rows, empty) {
  const table = byId(id);
  const all = heads.map((head) => (typeof head === "string" ? {text: head} : head));
  if (!table.tHead) {
    table.createCaption().textContent = caption;
    table.createTHead().insertRow();
    table.createTBody();
  }
  // Each time: after a reload of the gate a table may have other columns.
  fill(table.tHead.rows[0], all, () => element("th"), (cell, head) => {
    cell.scope = "col";
    setText(cell, head.text);
    setClass(cell, head.number ? "number" : "");
  });
  const shown = rows.length ? rows : [[{text: empty, kind: "faint"}]];
  fill(table.tBodies[0], shown, () => element("tr"), (row, cells) => {
    fill(row, cells, () => element(row.children.length ? "td" : "th"), (node, cell, i) => setCell(node, cell, all[i]));
    row.cells[0].scope = "row";
    if (rows.length === 0) row.cells[0].colSpan = all.length;
    else row.cells[0].removeAttribute("colspan");
  });
}

// Whether something is selected there.
const isSelecting = (part = document.body) => {
  const selection = getSelection();
  return !selection.isCollapsed && part.contains(selection.anchorNode);
};
// Rows are told by their place: Enter would else be for whoever has come there meanwhile.
const isChoosing = () => Boolean(document.querySelector("table button:focus-visible"));
