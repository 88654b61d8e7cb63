// Takes pictures, and compares two of them in an empty page of the browser.
import { brief, tell, within } from "./channel.mjs";

const MAX_HEIGHT = 5000;
const MAX_WIDTH = 1280;
const SHOT_MS = 15000;
const MEASURE_MS = 5000;
const MAX_BYTES = 4_000_000;

// The whole page down to MAX_HEIGHT; the view alone when that is too large to keep.
export async function shoot(watched, { full }) {
  const { page } = watched;
  const options = { animations: "disabled", caret: "hide", timeout: SHOT_MS };
  if (full) {
    const measuring = page.evaluate(() => [document.documentElement.clientWidth, document.documentElement.scrollHeight]);
    const [across, down] = (await within(MEASURE_MS, "measuring the page", measuring)).map((size) => Number(size) || 0);
    if (down > MAX_HEIGHT) watched.notes.add(`It is ${down} pixels high; the picture ends at ${MAX_HEIGHT}.`);
    const least = page.viewportSize();
    // A page that does not adapt to a narrow screen is laid out wider than it.
    const width = Math.max(least.width, Math.min(across, MAX_WIDTH));
    const clip = { x: 0, y: 0, width, height: Math.max(least.height, Math.min(down, MAX_HEIGHT)) };
    const whole = await within(SHOT_MS, "the picture", page.screenshot({ ...options, fullPage: true, clip }));
    if (whole.length <= MAX_BYTES) return whole;
    watched.notes.add("The picture of the whole page is too large to keep; it shows the first screen.");
  }
  const view = await within(SHOT_MS, "the picture", page.screenshot(options));
  return view.length <= MAX_BYTES ? view : null;
}

export function tellPicture(where, title, png) {
  if (png) tell({ kind: "picture", ...where, title, png: png.toString("base64") });
}

// Tells a picture in which what differs is red and the rest is pale, where anything differs.
export async function compare(browser, visit, title, before, after) {
  if (before.equals(after)) {
    tell({ kind: "difference", visit, title, changed: 0, pixels: 0 });
    return;
  }
  try {
    const page = await emptyPage(browser);
    const urls = [before, after].map((png) => "data:image/png;base64," + png.toString("base64"));
    const found = await within(SHOT_MS, "comparing", page.evaluate(difference, urls));
    tell({ kind: "difference", visit, title, ...found });
  } catch (error) {
    tell({ kind: "note", visit, side: "head", message: `The pictures of ${title} could not be compared: ${brief(error.message, 120)}` });
  }
}

const emptyPages = new WeakMap();

async function emptyPage(browser) {
  if (!emptyPages.has(browser)) emptyPages.set(browser, await (await browser.newContext()).newPage());
  return emptyPages.get(browser);
}

// Runs in the empty page.
async function difference(urls) {
  const [one, other] = await Promise.all(urls.map(async (url) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    return image;
  }));
  const width = Math.max(one.width, other.width);
  const height = Math.max(one.height, other.height);
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const drawing = canvas.getContext("2d", { willReadFrequently: true });
  const pixels = (image) => {
    drawing.clearRect(0, 0, width, height);
    drawing.drawImage(image, 0, 0);
    return drawing.getImageData(0, 0, width, height);
  };
  const a = pixels(one).data;
  const result = pixels(other);
  const b = result.data;
  let changed = 0;
  for (let i = 0; i < b.length; i += 4) {
    // Anti-aliasing moves a channel by a little; an eye does not see it.
    const far = Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]) + Math.abs(a[i + 3] - b[i + 3]) > 24;
    const pale = 215 + Math.round((0.3 * b[i] + 0.59 * b[i + 1] + 0.11 * b[i + 2]) * 40 / 255);
    b.set(far ? [210, 20, 30, 255] : [pale, pale, pale, 255], i);
    changed += far ? 1 : 0;
  }
  if (!changed) return { changed: 0, pixels: width * height };
  drawing.putImageData(result, 0, 0);
  return { changed, pixels: width * height, png: canvas.toDataURL("image/png").split(",")[1] };
}
