"use strict";
// Fetches the page again when the server says that something changed, and puts the new part in place.
(() => {
  const places = () => document.getElementById("live");
  const pause_ms = 10000;
  let busy = false, again = false;
  async function refresh() {
    if (busy) { again = true; return; }
    busy = true;
    try {
      const answer = await fetch(location.href, {headers: {Accept: "text/html"}});
      if (answer.ok) {
        const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
        if (!fresh) { location.reload(); return; }
        const old = places(), focused = old.contains(document.activeElement) && document.activeElement.getAttribute("href");
        const open = [...old.querySelectorAll("details")].map((one) => one.open);
        old.replaceChildren(...fresh.childNodes);
        [...old.querySelectorAll("details")].forEach((one, index) => { one.open = open[index] ?? one.open; });
        if (focused) [...old.querySelectorAll("a")].find((one) => one.getAttribute("href") === focused)?.focus();
      }
    } catch { /* the network is away: the next event, or the next turn, tries again */ }
    busy = false;
    if (again) { again = false; refresh(); }
  }
  function poll() { setTimeout(async () => { await refresh(); poll(); }, pause_ms); }
  const address = places()?.dataset.events;
  if (!address) return;
  const source = new EventSource(address);
  source.addEventListener("changed", refresh);
  source.addEventListener("ended", () => { source.close(); location.reload(); });
  source.addEventListener("error", () => { if (source.readyState === EventSource.CLOSED) poll(); });
  addEventListener("pagehide", () => source.close());
})();
