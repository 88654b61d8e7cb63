// Tries the controls of a page: is something over them, and does using them do anything?
import { brief, reason, within } from "./channel.mjs";

const EXAMINED = 60;
const USED = 12;
const OPTIONS = 6;
const USE_MS = 2000;
const EFFECT_MS = 500;
const EVALUATE_MS = 5000;
const CONTROLS = "button, [role=button], summary, select, input:not([type=hidden]), textarea, a[href]";

// `reload` brings the page back to how it was before a control is used.
export async function tryControls(watched, reload, fault) {
  const found = await within(EVALUATE_MS, "looking for controls", watched.page.evaluate(examine, [CONTROLS, EXAMINED]));
  for (const control of found) {
    if (control.cover) fault("covered-control", `${brief(control.name, 80)} is covered by ${brief(control.cover, 80)}`);
  }
  const uses = found.filter((control) => !control.cover).flatMap(waysToUse).slice(0, USED);
  for (const [index, use] of uses.entries()) {
    if (index && !(await reload())) return;
    await tryOne(watched, use, fault);
    if (watched.page.isClosed()) return;
  }
}

function waysToUse(control) {
  if (control.kind === "click") return [control];
  if (control.kind !== "select") return [];
  return control.options.slice(0, OPTIONS).map((option) => (
    { ...control, option: option.index, name: `${control.name}, option “${option.label}”` }
  ));
}

async function tryOne(watched, use, fault) {
  const { page } = watched;
  try {
    const before = await state(page);
    const acted = watched.acted;
    const control = page.locator(CONTROLS).nth(use.index);
    if (use.kind === "select") await control.selectOption({ index: use.option }, { timeout: USE_MS });
    else await control.click({ timeout: USE_MS });
    const until = Date.now() + EFFECT_MS;
    let works = false;
    while (!works && Date.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      works = watched.acted > acted || (await state(page)) !== before;
    }
    fault(works ? "has-effect" : "no-effect", brief(use.name, 160));
  } catch (error) {
    watched.notes.add(brief(`${use.name} could not be used: ${reason(error)}`, 200));
  }
}

const state = (page) => within(EVALUATE_MS, "reading the page", page.evaluate(() => {
  const typed = [...document.querySelectorAll("textarea, output, input:not([type=checkbox]):not([type=radio])")];
  const text = location.href + document.documentElement.outerHTML + typed.map((one) => one.value).join("\0");
  let sum = text.length;
  for (let i = 0; i < text.length; i += 1) sum = (sum * 31 + text.charCodeAt(i)) | 0;
  return `${text.length} ${sum}`;
}));

// Runs in the page.
function examine([selector, most]) {
  const labelled = (element) => {
    const texts = [...(element.labels?.[0]?.childNodes ?? [])].filter((node) => node !== element && !node.contains(element));
    return texts.map((node) => node.textContent).join(" ");
  };
  const described = (element) => {
    const words = element.getAttribute("aria-label") || labelled(element) ||
      (element.tagName === "SELECT" ? "" : element.innerText) || element.name || element.id || "";
    const name = words.trim().replace(/\s+/g, " ").slice(0, 60);
    return element.tagName.toLowerCase() + (name ? ` “${name}”` : "");
  };
  const cover = (element) => {
    element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const box = element.getClientRects()[0];
    const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    if (!hit || element.contains(hit) || hit.contains(element)) return "";
    if ([...(element.labels ?? [])].some((label) => label.contains(hit))) return "";
    return described(hit) + (hit.id ? `#${hit.id}` : "");
  };
  const found = [];
  [...document.querySelectorAll(selector)].slice(0, most).forEach((element, index) => {
    const options = { opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true };
    if (!element.checkVisibility(options) || !element.getClientRects().length || element.disabled) return;
    const kind = element.tagName === "SELECT" ? "select"
      : element.matches("button, [role=button], summary, input[type=button], input[type=submit], input[type=checkbox], input[type=radio]")
        ? "click" : "other";
    const labels = kind === "select"
      ? [...element.options].map((option, at) => ({ index: at, label: option.label.slice(0, 40), disabled: option.disabled }))
      : [];
    const chosen = kind === "select" ? element.selectedIndex : -1;
    found.push({
      index, kind, name: described(element), cover: cover(element),
      options: labels.filter((option) => !option.disabled && option.index !== chosen),
    });
  });
  window.scrollTo(0, 0);
  return found;
}
