// Opens an image file on a page of our own: how it looks, its size, and what an SVG says. On that page
// an SVG's scripts do not run, and the browser's own page around an image is nobody's fault.
import { within } from "./channel.mjs";

const OPEN_MS = 10000;
const DECODE_MS = 5000;
const TEXT_CHARACTERS = 4000;
const KINDS = /\.(svg|png|jpe?g|gif|webp|avif|bmp|ico)$/i;

export const isImage = (url) => KINDS.test(new URL(url).pathname);

const quoted = (text) => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");

const around = (url) => `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width">
<title>Image</title><style>body {margin: 0} img {max-width: 100%}</style><img alt="" src="${quoted(url)}">`;

// Returns whether it is there, and why not.
export async function openImage(watched, url) {
  const page = `${new URL(url).origin}/assay-image-${Date.now()}.html`;
  await watched.page.route(page, (route) => route.fulfill({ contentType: "text/html; charset=utf-8", body: around(url) }));
  await watched.page.goto(page, { waitUntil: "domcontentloaded", timeout: OPEN_MS });
  const decoded = watched.page.evaluate(() => document.images[0].decode().then(() => true, () => false));
  return (await within(DECODE_MS, "showing the image", decoded)) ? "" : "It is no image that a browser can show.";
}

// Its size and, of an SVG, its texts.
export async function describeImage(watched, url) {
  const said = watched.page.evaluate(async (source) => {
    const image = document.images[0];
    const size = `image, ${image.naturalWidth} x ${image.naturalHeight} pixels`;
    if (!new URL(source).pathname.toLowerCase().endsWith(".svg")) return size;
    const drawn = new DOMParser().parseFromString(await (await fetch(source)).text(), "image/svg+xml");
    const texts = [...drawn.querySelectorAll("title, desc, text")].map((one) => `${one.localName}: ${one.textContent.trim()}`);
    return [size, ...texts].join("\n");
  }, url);
  return (await within(DECODE_MS, "reading the image", said)).slice(0, TEXT_CHARACTERS);
}
