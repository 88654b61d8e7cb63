// Follows a script of the configuration: one act after the other, each with a picture.
import { brief, reason, tell, within } from "./channel.mjs";
import { accessibilityTree, open } from "./look.mjs";
import { shoot, tellPicture } from "./pictures.mjs";
import { DESKTOP, Watched } from "./watch.mjs";

const ACT_MS = 10000;
const EXPECT_MS = 5000;
const MAX_ACT_MS = 25000;

// Stops at the first act that fails. Returns whether the browser is still good.
export async function follow(browser, visit, where, keep) {
  const watched = await Watched.open(browser, visit.origin, DESKTOP);
  let failure = "";
  for (const [index, act] of visit.acts.entries()) {
    failure = await take(watched, visit, act);
    await tellAct(watched, { index, act, failure }, where, keep);
    if (failure) break;
  }
  for (const message of watched.notes) tell({ kind: "note", ...where, message });
  for (const message of watched.errors) tell({ kind: "fault", ...where, rule: "console-error", message });
  for (const message of watched.failed) tell({ kind: "fault", ...where, rule: "failed-request", message });
  for (const message of watched.outside) tell({ kind: "fault", ...where, rule: "needs-network", message });
  const good = await watched.close();
  tell({ kind: "visit", ...where, problem: failure, tree: "" });
  return good;
}

async function tellAct(watched, { index, act, failure }, where, keep) {
  let tree = "";
  try {
    const title = brief(`${index + 1}. ${act.line}`, 120);
    const png = await shoot(watched, { full: false });
    tellPicture(where, title, png);
    if (png) await keep(title, png);
    tree = await accessibilityTree(watched.page);
  } catch (error) {
    watched.notes.add(`After “${brief(act.line, 80)}” no picture could be taken: ${reason(error)}.`);
  }
  tell({ kind: "act", ...where, line: brief(act.line), failure, tree });
}

// Returns what went wrong, empty when nothing did.
async function take(watched, visit, act) {
  try {
    return await within(MAX_ACT_MS, act.verb, VERBS[act.verb](watched, act, visit)) ?? "";
  } catch (error) {
    return `${reason(error)}.`;
  }
}

const quick = { timeout: ACT_MS };
const brisk = { timeout: EXPECT_MS };
const at = (watched, act) => watched.page.locator(act.target);

const VERBS = {
  goto: (watched, act, visit) => open(watched, new URL(act.target, visit.base).href),
  click: (watched, act) => at(watched, act).click(quick),
  hover: (watched, act) => at(watched, act).hover(quick),
  fill: (watched, act) => at(watched, act).fill(act.value, quick),
  select: async (watched, act) => { await at(watched, act).selectOption(act.value, quick); },
  press: (watched, act) => (act.target ? at(watched, act).press(act.value, quick) : watched.page.keyboard.press(act.value)),
  scroll: (watched, act) => scroll(watched, act),
  wait: (watched, act) => (act.target
    ? at(watched, act).first().waitFor({ state: "visible", ...quick })
    : new Promise((resolve) => setTimeout(resolve, Number(act.value) * 1000))),
  text: (watched, act) => until(async () => {
    const seen = brief(await at(watched, act).innerText(brisk), 4000);
    return seen.includes(brief(act.value, 4000)) ? "" : `${act.target} shows “${brief(seen, 200)}”, not “${brief(act.value, 200)}”.`;
  }),
  visible: (watched, act) => until(async () => ((await shown(watched, act)) ? "" : `${act.target} is not visible.`)),
  hidden: (watched, act) => until(async () => ((await shown(watched, act)) ? `${act.target} is visible.` : "")),
  count: (watched, act) => until(async () => {
    const count = await at(watched, act).count();
    return count === Number(act.value) ? "" : `${act.target} is there ${count} times, not ${act.value}.`;
  }),
  url: (watched, act) => until(async () => (watched.page.url().includes(act.value) ? "" : `The address is ${brief(watched.page.url(), 200)}.`)),
};

async function shown(watched, act) {
  const visible = await Promise.all((await at(watched, act).all()).slice(0, 50).map((one) => one.isVisible()));
  return visible.includes(true);
}

async function scroll(watched, act) {
  if (act.target) await at(watched, act).scrollIntoViewIfNeeded(quick);
  else await watched.page.evaluate((end) => window.scrollTo(0, end === "top" ? 0 : document.documentElement.scrollHeight), act.value);
}

// A page needs a moment: asked again until it is as expected, or time is up.
async function until(ask) {
  const end = Date.now() + EXPECT_MS;
  for (;;) {
    const failure = await ask();
    if (!failure || Date.now() > end) return failure;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
