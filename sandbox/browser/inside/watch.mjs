// Opens pages and writes down what they do that nobody sees: errors, failed requests, dialogs, pop-ups.
import { brief, within } from "./channel.mjs";

const DIALOGS = 10;
const POPUPS = 5;
const MESSAGES = 40;
const CLOSE_MS = 5000;
export const DESKTOP = { viewport: { width: 1280, height: 800 } };
export const MOBILE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const ALIKE = {
  deviceScaleFactor: 1, locale: "en-US", timezoneId: "UTC", reducedMotion: "reduce",
  colorScheme: "light", acceptDownloads: false, serviceWorkers: "block",
};

export class Watched {
  errors = new Set();
  failed = new Set();
  outside = new Set();
  notes = new Set();
  wanted = ""; // the last address that the page itself went to
  acted = 0; // requests, dialogs and pop-ups so far
  #dialogs = 0;
  #popups = 0;

  static async open(browser, origin, device) {
    const watched = new Watched();
    watched.origin = origin;
    watched.context = await browser.newContext({ ...ALIKE, ...device });
    watched.page = await watched.context.newPage();
    watched.#listen();
    return watched;
  }

  // False when the browser does not let go of it: then a new browser is needed.
  async close() {
    try {
      await within(CLOSE_MS, "closing the page", this.context.close());
      return true;
    } catch {
      return false;
    }
  }

  get isAway() {
    return !this.page.url().startsWith(this.origin) && this.page.url() !== "about:blank";
  }

  #add(set, text) {
    if (set.size < MESSAGES) set.add(brief(text));
    else set.add("… and more");
  }

  #listen() {
    const { page, context } = this;
    page.on("pageerror", (error) => this.#add(this.errors, `${error.name}: ${error.message}`));
    page.on("console", (message) => this.#console(message));
    page.on("dialog", (dialog) => this.#dialog(dialog));
    page.on("crash", () => this.#add(this.notes, "The page crashed."));
    page.on("download", (download) => {
      this.#add(this.notes, `It starts a download (${download.suggestedFilename()}), which was refused.`);
    });
    page.on("request", (request) => this.#requested(request));
    page.on("requestfailed", (request) => this.#failed(request, request.failure()?.errorText ?? "failed"));
    page.on("response", (response) => {
      if (response.status() >= 400) this.#failed(response.request(), `status ${response.status()}`);
    });
    context.on("page", (opened) => this.#popup(opened));
  }

  #requested(request) {
    this.acted += 1;
    if (request.isNavigationRequest() && request.frame() === this.page.mainFrame()) this.wanted = request.url();
  }

  #console(message) {
    // The browser's own words about a request that failed: told with the requests.
    if (message.type() !== "error" || message.text().startsWith("Failed to load resource")) return;
    this.#add(this.errors, message.text());
  }

  #failed(request, why) {
    if (request.isNavigationRequest() && request.frame() === this.page.mainFrame()) return;
    const url = request.url();
    if (why === "net::ERR_ABORTED" || url.endsWith("/favicon.ico")) return;
    const isOurs = url.startsWith(this.origin);
    this.#add(isOurs ? this.failed : this.outside, `${request.resourceType()} ${isOurs ? url.slice(this.origin.length) : url}: ${why}`);
  }

  #dialog(dialog) {
    // Leaving is ours to decide; everything else is answered with no.
    if (dialog.type() === "beforeunload") {
      dialog.accept().catch(() => {});
      return;
    }
    this.acted += 1;
    this.#dialogs += 1;
    if (this.#dialogs === 1) this.#add(this.notes, `It opens a dialog (${dialog.type()}: ${brief(dialog.message(), 80)}), which was dismissed.`);
    dialog.dismiss().catch(() => {});
    if (this.#dialogs < DIALOGS) return;
    this.#add(this.notes, `It opens dialogs without end; after ${DIALOGS} the page was closed.`);
    this.page.close().catch(() => {});
  }

  #popup(opened) {
    if (opened === this.page) return;
    this.acted += 1;
    this.#popups += 1;
    if (this.#popups === 1) this.#add(this.notes, "It opens another window, which was closed.");
    opened.close().catch(() => {});
    if (this.#popups < POPUPS) return;
    this.#add(this.notes, `It opens windows without end; after ${POPUPS} the page was closed.`);
    this.page.close().catch(() => {});
  }
}
