// Looks at one page as a reader would: loads it wide and narrow, in light and dark, and tries it.
import { readFileSync } from "node:fs";

import { brief, reason, tell, within } from "./channel.mjs";
import { tryControls } from "./controls.mjs";
import { describeImage, isImage, openImage } from "./image.mjs";
import { shoot, tellPicture } from "./pictures.mjs";
import { DESKTOP, MOBILE, Watched } from "./watch.mjs";

const OPEN_MS = 10000;
const QUICK_MS = OPEN_MS / 3;
const BUSY_MS = 5000;
const LOAD_MS = 5000;
const IDLE_MS = 2000;
const TREE_CHARACTERS = 4000;
const TREE_MS = 5000;
const AXE_MS = 10000;
const DEVICES = [["desktop", DESKTOP], ["mobile", MOBILE]];

// Returns whether the page is there, and why not.
export async function open(watched, url, { wait = true } = {}) {
  try {
    const answer = await within(OPEN_MS + 1000, "opening the page", watched.page.goto(url, { waitUntil: "domcontentloaded", timeout: OPEN_MS }));
    if (answer && answer.status() >= 400) return `It answers with status ${answer.status()}.`;
  } catch (error) {
    return whatStopped(watched) ?? `It does not load: ${reason(error)}.`;
  }
  return wait ? settled(watched) : atPlace(watched);
}

async function settled(watched) {
  await settle(watched);
  return atPlace(watched);
}

function atPlace(watched) {
  if (watched.page.isClosed()) return whatStopped(watched) ?? "It was closed while it loaded.";
  return watched.isAway ? `It goes away to ${brief(watched.wanted, 120)}.` : "";
}

const whatStopped = (watched) => [...watched.notes].find((note) => /without end|crashed|download/.test(note));

async function settle(watched) {
  try {
    await within(LOAD_MS, "loading", watched.page.waitForLoadState("load", { timeout: LOAD_MS }));
  } catch {
    watched.isUnsettled = true;
  }
  await within(IDLE_MS, "waiting for silence", watched.page.waitForLoadState("networkidle", { timeout: IDLE_MS })).catch(() => {});
}

export async function accessibilityTree(page) {
  try {
    const tree = await within(TREE_MS, "the accessibility tree", page.locator("body").ariaSnapshot({ timeout: TREE_MS }));
    return tree.length > TREE_CHARACTERS ? `${tree.slice(0, TREE_CHARACTERS)}\n… shortened` : tree;
  } catch (error) {
    return `(no accessibility tree: ${reason(error)})`;
  }
}

// Whether the page's scripts do not let go: then not even 1 can be worked out on it. Waiting for an
// answer of the network is something else.
async function isBusy(watched) {
  try {
    await within(BUSY_MS, "a word with the page", watched.page.evaluate("1"));
    return false;
  } catch (error) {
    return /did not end/.test(error.message);
  }
}

// Whether an empty page is there at once: if not, it is the machine that is slow.
async function isMachineQuick(browser) {
  const watched = await Watched.open(browser, "data:", DESKTOP);
  const began = Date.now();
  const problem = await open(watched, "data:text/html,quick", { wait: false });
  await watched.close();
  return !problem && Date.now() - began < QUICK_MS;
}

// Tells everything about one visit; `keep` gets each picture for the comparison. Returns whether
// the browser is still good; or "busy", and nothing is told, for a page that is to be tried again
// in a new browser because it keeps this one busy.
export async function look(browser, visit, where, keep, { isLast, fresh }) {
  const seen = new Look(visit, where, keep);
  for (const [device, options] of isImage(visit.url) ? DEVICES.slice(0, 1) : DEVICES) {
    await seen.on(browser, device, options);
    if (seen.busy && !isLast) return "busy";
    if (seen.problem || seen.ended || !seen.good) break;
  }
  if (seen.busy && (await isMachineQuick(await fresh()))) {
    seen.good = true; // the new one
    const limit_s = (OPEN_MS + BUSY_MS) / 1000;
    seen.fault("not-responding", `its scripts keep it busy; in two browsers it gave no sign within ${limit_s} s`);
  }
  seen.tellAll();
  return seen.good;
}

// What is gathered of one page, wide and narrow.
class Look {
  good = true;
  ended = false;
  busy = false;
  problem = "";
  #tree = "";
  #faults = new Set();
  #all = { errors: new Set(), failed: new Set(), outside: new Set(), notes: new Set() };

  constructor(visit, where, keep) {
    Object.assign(this, { visit, where, keep });
  }

  fault(rule, message) {
    this.#faults.add(JSON.stringify([rule, brief(message)]));
  }

  async on(browser, device, options) {
    const watched = await Watched.open(browser, this.visit.origin, options);
    try {
      this.problem = await this.#opened(watched, device);
      if (/Timeout|did not end/.test(this.problem)) this.busy = await isBusy(watched);
      if (!this.problem) await this.#examined(watched, device);
    } catch (error) {
      this.ended = true;
      this.busy = await isBusy(watched);
      this.fault("not-examined", `${device}: ${whatStopped(watched) ?? reason(error)}`);
    }
    this.good = (await watched.close()) && this.good;
    if (watched.isUnsettled) this.fault("not-settled", "it does not finish loading");
    for (const name of Object.keys(this.#all)) watched[name].forEach((text) => this.#all[name].add(text));
  }

  async #opened(watched, device) {
    if (isImage(this.visit.url)) return openImage(watched, this.visit.url);
    const began = Date.now();
    const problem = await open(watched, this.visit.url, { wait: false });
    const isQuick = !problem && Date.now() - began < QUICK_MS;
    if (isQuick && device === "desktop") this.fault("quick", `in less than ${Math.round(QUICK_MS / 1000)} s`);
    return problem || settled(watched);
  }

  async #examined(watched, device) {
    await takePictures(watched, device, this.where, this.keep);
    if (isImage(this.visit.url)) this.#tree = await describeImage(watched, this.visit.url);
    else if (device === "desktop") this.#tree = await examine(watched, this.visit, this.fault.bind(this));
  }

  tellAll() {
    const { where, problem } = this;
    // How long a page takes depends on the machine too: that alone shows nothing.
    if (problem) this.fault(/Timeout|did not end/.test(problem) ? "not-examined" : "not-loaded", problem);
    this.#all.errors.forEach((text) => this.fault("console-error", text));
    this.#all.failed.forEach((text) => this.fault("failed-request", text));
    this.#all.outside.forEach((text) => this.fault("needs-network", text));
    this.#all.notes.forEach((message) => tell({ kind: "note", ...where, message }));
    for (const one of this.#faults) {
      const [rule, message] = JSON.parse(one);
      tell({ kind: "fault", ...where, rule, message });
    }
    tell({ kind: "visit", ...where, problem, tree: this.#tree });
  }
}

async function takePictures(watched, device, where, keep) {
  const light = await shoot(watched, { full: true });
  await watched.page.emulateMedia({ colorScheme: "dark" });
  const dark = await shoot(watched, { full: true });
  await watched.page.emulateMedia({ colorScheme: "light" });
  const told = [[`${device}, light`, light]];
  if (light && dark && !light.equals(dark)) told.push([`${device}, dark`, dark]);
  for (const [title, png] of told) {
    tellPicture(where, title, png);
    if (png) await keep(title, png);
  }
}

async function examine(watched, visit, fault) {
  const tree = await accessibilityTree(watched.page);
  if (!visit.axe) watched.notes.add("Accessibility was not looked at: axe-core is not installed.");
  if (visit.axe && !(await runAxe(watched, visit.axe, fault))) return tree;
  const reload = async () => !(await open(watched, visit.url, { wait: false }));
  await tryControls(watched, reload, fault);
  return tree;
}

// Returns whether the page is still free to be tried.
async function runAxe(watched, file, fault) {
  try {
    await within(AXE_MS, "axe-core", watched.page.evaluate(readFileSync(file, "utf8")));
    const found = await within(AXE_MS, "axe-core", watched.page.evaluate(async () => {
      const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
      return violations.filter((one) => ["serious", "critical"].includes(one.impact))
        .map((one) => ({ id: one.id, help: one.help, targets: one.nodes.map((node) => String(node.target)) }));
    }));
    for (const { id, help, targets } of found) {
      targets.slice(0, 20).forEach((target) => fault("axe", `${id} (${help}) at ${brief(target, 120)}`));
    }
    return true;
  } catch (error) {
    fault("not-examined", `axe-core could not look at it: ${reason(error)}`);
    return false;
  }
}
