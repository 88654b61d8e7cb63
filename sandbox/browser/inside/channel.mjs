// Tells the host what was seen: one JSON object a line, on the private channel.
import { writeSync } from "node:fs";

const descriptor = Number(process.env.ASSAY_CHANNEL_FD);
const TEXT_CHARACTERS = 500;
export const FLAGS = [
  "--disable-dev-shm-usage", "--disable-quic", "--no-first-run", "--disable-sync", "--disable-gpu",
  "--disable-background-networking", "--disable-component-update", "--disable-extensions",
];

export function tell(record) {
  let rest = Buffer.from(JSON.stringify(record) + "\n");
  while (rest.length) rest = rest.subarray(writeSync(descriptor, rest));
}

export function brief(value, characters = TEXT_CHARACTERS) {
  const text = String(value).replace(/\s+/g, " ").trim();
  return text.length > characters ? text.slice(0, characters - 1) + "…" : text;
}

// Ends a wait that the page could make endless. What is still going on is left to the browser's end.
export async function within(milliseconds, what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    const problem = new Error(`${what} did not end within ${milliseconds / 1000} s`);
    timer = setTimeout(() => reject(problem), milliseconds);
  });
  promise.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

// The first line of what Playwright says, without its call log and colours.
export function reason(error) {
  const said = String(error?.message ?? error).replace(/\x1b\[\d+m/g, "");
  return brief(said.split("\n")[0].replace(/^(page|locator)\.\w+: /, "").replace(/\.$/, ""));
}
