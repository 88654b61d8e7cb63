// Prints the page on standard input to the channel as a PDF: no script runs, nothing is fetched.
// Ends with 2 where there is no browser at the path it is given, with 3 and a reason where the browser fails.
import { existsSync, readFileSync, writeSync } from "node:fs";

import { FLAGS, reason } from "./channel.mjs";

const [, , executablePath, seconds] = process.argv;
const timeout = Number(seconds) * 1000;
if (!existsSync(executablePath)) process.exit(2);
const { chromium } = (await import("/opt/assay/playwright/package/index.js")).default;

async function print(html) {
  const browser = await chromium.launch({ executablePath, args: FLAGS, timeout });
  const context = await browser.newContext({ javaScriptEnabled: false, offline: true });
  await context.route("**/*", (route) => route.abort());
  const page = await context.newPage();
  await page.setContent(html, { timeout });
  return page.pdf({ printBackground: true, preferCSSPageSize: true, outline: true, tagged: true });
}

try {
  let rest = await print(readFileSync(0, "utf8"));
  const channel = Number(process.env.ASSAY_CHANNEL_FD);
  while (rest.length) rest = rest.subarray(writeSync(channel, rest));
} catch (error) {
  console.error(reason(error));
  process.exit(3);
}
process.exit(0); // the browser ends with the sandbox
