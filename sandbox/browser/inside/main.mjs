// Starts one browser for all pages of both sides; told what to do by JSON on standard input.
import { existsSync, readFileSync } from "node:fs";

import { follow } from "./acts.mjs";
import { FLAGS, reason, tell, within } from "./channel.mjs";
import { look } from "./look.mjs";
import { compare } from "./pictures.mjs";
import { CommandSite, FolderSite } from "./site.mjs";

const { chromium } = (await import("/opt/assay/playwright/package/index.js")).default;
const ALIKE = ["--force-color-profile=srgb", "--font-render-hinting=none", "--disable-lcd-text"];
const LAUNCH_MS = 40000;
const plan = JSON.parse(readFileSync(0, "utf8"));
const until = Date.now() + plan.deadline_s * 1000;
const site = plan.served ? new CommandSite(plan.served) : new FolderSite(plan.port);
let browser = null;

async function goodBrowser() {
  if (browser?.isConnected()) return browser;
  browser = await chromium.launch({ executablePath: plan.chromium, args: [...FLAGS, ...ALIKE], timeout: LAUNCH_MS });
  tell({ kind: "browser", version: browser.version() });
  return browser;
}

async function endBrowser() {
  const ending = browser;
  browser = null;
  if (ending) await within(5000, "ending the browser", ending.close()).catch(() => {});
}

async function fresh() {
  await endBrowser();
  return goodBrowser();
}

async function take(side, visit, pictures) {
  const where = { side, visit: visit.id };
  const keep = async (title, png) => {
    const key = `${visit.id} ${title}`;
    if (side === "base") pictures.set(key, png);
    else if (pictures.has(key)) await compare(browser, visit.id, title, pictures.get(key), png);
  };
  try {
    const way = visit.acts ? follow : look;
    let good = await way(await goodBrowser(), visit, where, keep, { isLast: false, fresh });
    if (good === "busy") good = await way(await fresh(), visit, where, keep, { isLast: true, fresh });
    if (!good) await endBrowser();
  } catch (error) {
    tell({ kind: "broken", ...where, problem: `The browser gave up: ${reason(error)}.` });
    await endBrowser();
  }
}

// Pictures of base that an earlier run took, where each side needs a run of its own.
function known() {
  return new Map(plan.before.map(({ visit, title, file }) => [`${visit} ${title}`, readFileSync(file)]));
}

const pictures = known();
if (!existsSync(plan.chromium)) {
  tell({ kind: "needs", problem: `There is no Chromium at ${plan.chromium} in the sandbox.` });
  process.exit(0);
}
for (const { side, folder } of plan.sides) {
  const problem = await site.start(folder);
  if (problem) tell({ kind: "server", side, problem, said: site.said() });
  for (const visit of problem ? [] : plan.visits) {
    site.root = `${folder}/${visit.root}`;
    if (Date.now() < until) await take(side, visit, pictures);
    else tell({ kind: "broken", side, visit: visit.id, problem: "There was no time left for it." });
  }
  await site.stop();
}
await endBrowser();
tell({ kind: "end" });
process.exit(0);
