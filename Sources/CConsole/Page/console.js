"use strict";
// Everything shown is put into the page as text (textContent), so that nothing of it can run.

const $ = (id) => document.getElementById(id);
let key = "";

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function row(...cells) {
  const made = element("tr");
  for (const cell of cells) made.append(cell instanceof Node ? cell : element("td", cell));
  return made;
}

async function ask(path, body) {
  const headers = {};
  if (key) headers.Authorization = "Bearer " + key;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await fetch(path, { method: body === undefined ? "GET" : "POST", headers, body });
  const told = await answer.json();
  if (answer.ok) return told;
  if (answer.status === 401) $("login").hidden = false;
  throw new Error(told.detail || "status " + answer.status);
}

// MARK: The service

const history = [];
let shownProblems = "null";
const kept = 150;
const svg = "http://www.w3.org/2000/svg";

function draw(name, values, words) {
  const most = Math.max(...values, 1e-9);
  const points = values.map((v, i) => `${(i * 300) / (kept - 1)},${58 - (56 * v) / most}`).join(" ");
  const line = document.createElementNS(svg, "polyline");
  line.setAttribute("points", points);
  $("c-" + name).replaceChildren(line);
  $("n-" + name).textContent = words;
}

// A row for each that has been: its name, how often, and that as a bar.
function drawBars(name, counts) {
  const entries = Object.entries(counts).filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]);
  const rows = entries.map(([text, n]) => {
    const bar = document.createElementNS(svg, "svg"), part = document.createElementNS(svg, "rect"), cell = element("td");
    bar.setAttribute("viewBox", "0 0 100 10");
    bar.setAttribute("preserveAspectRatio", "none");
    bar.setAttribute("aria-hidden", "true");
    part.setAttribute("width", (100 * n) / entries[0][1]);
    part.setAttribute("height", 10);
    bar.append(part);
    cell.append(bar);
    cell.className = "bar";
    return row(text, String(n), cell);
  });
  $(name).tBodies[0].replaceChildren(...(rows.length ? rows : [row("none")]));
}

function slowest(before, now, bounds) {
  const counts = now.map((n, i) => n - before[i]);
  const all = counts.reduce((a, b) => a + b, 0);
  let sum = 0;
  for (let i = 0; i < counts.length; i++) {
    sum += counts[i];
    if (all > 0 && sum >= 0.99 * all) return bounds[Math.min(i, bounds.length - 1)] / 1000;
  }
  return 0;
}

function drawAll(status) {
  history.push({ at: performance.now(), ...status.requests, total: Object.values(status.requests.refused).reduce((a, b) => a + b, 0) });
  if (history.length > kept) history.shift();
  const steps = history.slice(1).map((now, i) => {
    const before = history[i], seconds = (now.at - before.at) / 1000;
    return {
      requests: (now.answered - before.answered) / seconds,
      refusals: (now.total - before.total) / seconds,
      latency: slowest(before.times, now.times, now.bounds),
    };
  });
  const last = steps.at(-1) || { requests: 0, refusals: 0, latency: 0 };
  draw("requests", steps.map((s) => s.requests), `${last.requests.toFixed(1)}/s now, ${status.requests.answered} since the start`);
  draw("refusals", steps.map((s) => s.refusals), `${last.refusals.toFixed(1)}/s now, ${history.at(-1).total} since the start`);
  draw("latency", steps.map((s) => s.latency), last.latency ? `at most ${last.latency} ms` : "no request in the last seconds");
}

function fact(name, text, className) {
  $("facts").append(element("dt", name), element("dd", text, className));
}

function showProblems(refusal) {
  const shown = JSON.stringify(refusal);
  if (shown === shownProblems) return;
  shownProblems = shown;
  if (!refusal) return $("problems").replaceChildren();
  const rows = refusal.problems.map((p) => row(p.line === null ? "" : `line ${p.line}, column ${p.column}`, p.path, p.reason));
  const made = table(rows, `The configuration of ${refusal.time} is refused; the one before serves.`);
  made.className = "bad";
  $("problems").replaceChildren(made);
}

function showStatus(status) {
  $("state").textContent = `version ${status.version}, configuration ${status.configuration.generation} since ${status.configuration.since}`;
  showProblems(status.configuration.refusal);
  drawBars("refusals", status.requests.refused);
  drawBars("clauses", status.requests.clauses);
  $("facts").replaceChildren();
  for (const part of status.parts) fact(part.name, part.state, part.state === "ok" ? "good" : "bad");
  for (const c of status.credentials) fact("credential " + c.name, `${c.provider}${c.sandbox ? ", sandbox" : ""}; ${c.previous.length ? "previous keys end " + c.previous.join(", ") : "no previous key"}`);
  for (const end of status.ends) fact(end.kind + " ends first", end.end);
  fact("sessions", `${status.sessions.count} held; the oldest is ${status.sessions.oldest} s old`);
  if (status.audit) fact("audit", `${status.audit.lines} lines, head ${status.audit.head}${status.audit.fault ? "; " + status.audit.fault : ""}`, status.audit.fault ? "bad" : "good");
  else fact("audit", "there is none");
  $("verify").hidden = !status.audit;
  if (status.audit?.verification) fact("audit, last verified", `${status.audit.verification.time}: ${verdict(status.audit.verification)}`, status.audit.verification.whole ? "good" : "bad");
  drawAll(status);
  showReplicas(status.cluster);
  showBrakes(status.brakes);
  showTrials(status.sandbox);
  if (!$("route").options.length) for (const route of status.routes) $("route").append(element("option", route));
}

// MARK: Lists, a page at a time

function lister(name, member, item, cursor) {
  let next = null, turn = 0;
  const load = async (isMore) => {
    const mine = ++turn, query = new URLSearchParams({ search: $("q-" + name).value });
    if (!isMore) next = null;
    let page;
    // A search that finds nothing in one part of a long audit goes on with the next.
    do {
      if (next !== null) query.set(cursor, next);
      page = await ask(`/console/${name}?${query}`);
      if (mine !== turn) return;
      next = page[cursor];
    } while (!page[member].length && next !== null);
    const items = page[member].map(item);
    if (isMore) $(name).append(...items); else $(name).replaceChildren(...items);
    $("m-" + name).hidden = next === null;
  };
  $("f-" + name).addEventListener("submit", (event) => { event.preventDefault(); attempt(() => load(false)); });
  $("m-" + name).addEventListener("click", () => attempt(() => load(true)));
  return load;
}

function grantCard(grant) {
  const card = element("li");
  card.append(element("strong", grant.name), element("p", grant.words));
  const list = element("ul");
  for (const held of grant.enforcement) list.append(element("li", `${held.keeper}: ${held.subject}: ${held.means}`));
  const details = element("details");
  details.append(element("summary", "Who enforces it"), list);
  card.append(details);
  return card;
}

function askRow(text) {
  let line = {};
  try { line = JSON.parse(text); } catch { return row("", "not a line of an audit", "", "", text.slice(0, 200)); }
  const what = line.key ?? line.prefix ?? line.code ?? line.action ?? "";
  return row(element("td", line.time ?? "", "time"), line.event ?? "", line.principal ?? "", line.grant ?? line.route ?? "", (line.bucket ? line.bucket + ": " : "") + what);
}

const loadGrants = lister("grants", "grants", grantCard, "after");
const loadAsks = lister("asks", "lines", askRow, "before");

// MARK: What it does

function table(rows, heading) {
  const made = element("table"), body = element("tbody");
  made.append(element("caption", heading), body);
  body.append(...rows);
  return made;
}

function outcome(word) {
  return element("td", word, word === "holds" ? "good" : word === "fails" ? "bad" : "");
}

function showInspection(told) {
  $("inspected").replaceChildren(
    element("p", `${told.kind}: ${told.verdict}`, told.verdict === "genuine" ? "good" : told.verdict === "refused" ? "bad" : ""),
    table(told.facts.map((f) => row(f.name, f.value)), "What it says"),
    table(told.checks.map((c) => row(c.name, outcome(c.outcome), c.reason)), "What the vendor checks"));
}

function showExplanation(told) {
  const parts = [element("p", told.verdict === "allow" ? `Yes, by the grant ${told.permitted.grant}.` : `No: ${told.refusal.detail}`, told.verdict === "allow" ? "good" : "bad")];
  if (told.brake) parts.push(element("p", `Stopped: ${told.brake.kind} ${told.brake.name}, by ${told.brake.by} at ${told.brake.at}: ${told.brake.reason}`, "bad"));
  for (const grant of told.grants)
    parts.push(table(grant.clauses.map((c) => row(c.subject, outcome(c.outcome), c.reason)), "Grant " + grant.name));
  if (told.enforcement.length) parts.push(table(told.enforcement.map((e) => row(e.keeper, e.subject, e.means)), "Who enforces it"));
  $("explained").replaceChildren(...parts);
}

function verdict(told) {
  return `${told.whole ? "whole" : "NOT WHOLE"}: lines ${told.first} to ${told.last}, head ${told.head}`;
}

function showVerification(told) {
  const rows = told.problems.map((p) => row(p.kind, `${p.file}, line ${p.line}`, p.reason));
  if (told.moreProblems) rows.push(row("", "", `and ${told.moreProblems} more`));
  $("verified").replaceChildren(element("p", verdict(told), told.whole ? "good" : "bad"), ...(rows.length ? [table(rows, "What is wrong")] : []));
}

async function attempt(work, place) {
  try { return await work(); } catch (error) {
    if (place) place.replaceChildren(element("p", error.message, "bad"));
    else $("state").textContent = error.message;
    return null;
  }
}

function onSubmit(form, place, work) {
  $(form).addEventListener("submit", (event) => { event.preventDefault(); attempt(work, $(place)); });
}

onSubmit("f-inspect", "inspected", async () => showInspection(await ask("/console/inspect", JSON.stringify({ text: $("text").value }))));
onSubmit("f-explain", "explained", async () => {
  const parameters = JSON.parse($("parameters").value || "{}");
  showExplanation(await ask("/explain", JSON.stringify({ caller: $("caller").value, route: $("route").value, parameters })));
});

$("verify").addEventListener("click", () => attempt(async () => {
  $("verified").textContent = "Verifying…";
  showVerification(await ask("/console/verify", "{}"));
}, $("verified")));

// MARK: Replicas

function showReplicas(cluster) {
  if (!cluster) return $("replicas").replaceChildren();
  fact("this replica", `${cluster.instance}${cluster.fault ? "; " + cluster.fault : ""}`, cluster.fault ? "bad" : "good");
  const rows = cluster.replicas.map((r) => row(r.instance,
    r.silence === null ? element("td", "is gone", "bad") : `heard ${r.silence} ms ago`,
    r.leases === null ? "" : `${r.leases} leases, ${r.failedLeases} without an answer`,
    r.audit ? `${r.audit.file}: ${r.audit.lines} lines, head ${r.audit.head}, told at ${r.audit.time}` : "no audit"));
  $("replicas").replaceChildren(table(rows, "Replicas, their leases and the heads of their audits"));
}

// MARK: The brake

let shownBrakes = "null";

function showBrakes(brakes) {
  const shown = JSON.stringify(brakes);
  if (shown === shownBrakes) return;
  shownBrakes = shown;
  $("brake").hidden = !brakes;
  const cards = (brakes ?? []).filter((b) => b.state === "inForce").map((b) => {
    const card = element("li"), button = element("button", "Release it");
    card.append(element("strong", `${b.kind} ${b.name}`, "bad"), element("p", `by ${b.by} at ${b.at}${b.until ? ", until " + b.until : ""}: ${b.reason}`), button);
    button.addEventListener("click", () => attempt(async () => {
      const reason = prompt("Why is it free again?");
      if (reason) await order({ kind: b.kind, name: b.name, reason, release: true });
    }, $("braked")));
    return card;
  });
  $("brakes").replaceChildren(...(cards.length ? cards : [element("li", "nothing is stopped")]));
}

async function order(what) {
  const told = await ask("/brakes", JSON.stringify(what)), b = told.brake;
  const parts = [element("p", `${b.state === "inForce" ? "Stopped" : "Released"}: ${b.kind} ${b.name}`, "good")];
  const rows = (told.issuedBefore ?? []).map((c) => row(c.credential, told.recorded ? `${c.count}${c.until ? ", the last until " + c.until : ""}${c.endless ? `; ${c.endless} never end` : ""}` : "not known",
    c.revocations.map((r) => `${r.subject}: ${r.means}`).join("; ")));
  if (rows.length) parts.push(table(rows, "What was issued before is still out; at the vendor this ends it"));
  $("braked").replaceChildren(...parts);
  showBrakes((await ask("/brakes")).brakes);
}

onSubmit("f-brake", "braked", async () => {
  const what = { kind: $("brake-kind").value, name: $("brake-name").value, reason: $("brake-reason").value };
  if ($("brake-for").value) what.for = $("brake-for").value;
  await order(what);
});

// MARK: The sandbox

let trials = [];

function showTrials(list) {
  if (JSON.stringify(list) === JSON.stringify(trials)) return;
  trials = list;
  $("try").hidden = !list.length;
  $("trial").replaceChildren(...list.map((t) => element("option", `${t.grant} (${t.route})`)));
  chooseTrial();
}

function chooseTrial() {
  const trial = trials[$("trial").selectedIndex];
  if (!trial) return;
  $("trial-caller").value = trial.caller ?? "";
  chooseKey();
}

// The grant's key or prefix as it is for the caller, up to what the service alone fills in.
function rendered(template, caller) {
  const [, kind, id, subject] = /^(\w+):([^/]*)(?:\/(.*))?$/.exec(caller) ?? ["", "", "", ""];
  const text = template.replaceAll("${caller.id}", () => subject ?? id).replaceAll("${caller.source}", () => `${kind}-${id}`);
  return text.split("${")[0];
}

function chooseKey() {
  const trial = trials[$("trial").selectedIndex], file = $("file").files[0];
  if (!trial) return;
  const key = rendered(trial.key, $("trial-caller").value);
  $("trial-key").value = file && (key === "" || key.endsWith("/")) ? key + file.name : key;
}

async function isSame(one, other) {
  const [a, b] = (await Promise.all([one.arrayBuffer(), other.arrayBuffer()])).map((buffer) => new Uint8Array(buffer));
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

// Asks for a URL, and sends a request by it.
async function byURL(place, parameters, body) {
  const trial = trials[$("trial").selectedIndex];
  const inquiry = { caller: $("trial-caller").value, route: trial.route, grant: trial.grant, parameters };
  const minted = await ask("/console/mint", JSON.stringify(inquiry));
  place.append(element("p", `Countersign: a URL for ${minted.method}, until ${minted.expiresAt}`, "good"));
  const answer = await fetch(minted.url, { method: minted.method, headers: minted.headers, body, credentials: "omit" });
  if (!answer.ok) throw new Error(`The sandbox refuses it: status ${answer.status}: ${(await answer.text()).slice(0, 500)}`);
  return { minted, answer };
}

async function tryUpload() {
  const file = $("file").files[0], name = $("trial-key").value, place = element("div");
  $("tried").replaceChildren(place);
  const upload = { method: "PUT", key: name }, trial = trials[$("trial").selectedIndex];
  if (trial.signsType) upload.contentType = file.type || "application/octet-stream";
  if (trial.signsLength) upload.header = { "content-length": file.size };
  // A type that is not signed must not be sent.
  const put = await byURL(place, upload, trial.signsType ? file : new Blob([file]));
  place.append(element("p", `The sandbox: stored ${put.minted.bucket}/${put.minted.key}`, "good"));
  const got = await byURL(place, { method: "GET", key: name });
  const stored = await got.answer.blob(), type = got.answer.headers.get("Content-Type");
  if (!(await isSame(file, stored))) throw new Error("The sandbox gives other bytes than were stored.");
  place.append(element("p", `The sandbox: read back the same ${stored.size} bytes, ${type}`, "good"));
  if (!/^image\/(png|jpeg|gif|webp)$/.test(type)) return;
  const image = element("img");
  image.alt = "What is stored as " + put.minted.key;
  image.src = URL.createObjectURL(stored);
  image.addEventListener("load", () => URL.revokeObjectURL(image.src));
  place.append(image);
}

$("trial").addEventListener("change", chooseTrial);
$("file").addEventListener("change", chooseKey);
$("trial-caller").addEventListener("input", chooseKey);
$("f-try").addEventListener("submit", async (event) => {
  event.preventDefault();
  try { await tryUpload(); } catch (error) { $("tried").append(element("p", error.message, "bad")); }
});

onSubmit("login", "state", async () => { key = $("key").value; $("login").hidden = true; $("key").value = ""; start(); });

async function refreshAsks() {
  // Who reads older pages or searches is not interrupted.
  if ($("q-asks").value || $("asks").children.length > 50) return;
  await loadAsks(false);
}

let timer = null;
async function start() {
  if (timer) clearInterval(timer);
  const status = await attempt(() => ask("/console/status"));
  if (!status) return;
  showStatus(status);
  await attempt(() => loadGrants(false));
  if (status.audit) await attempt(() => loadAsks(false));
  else $("n-asks").textContent = "The configuration has no audit, so nothing is on record.";
  timer = setInterval(() => attempt(async () => {
    const now = await ask("/console/status");
    showStatus(now);
    if (now.audit) await refreshAsks();
  }), 2000);
}
start();
