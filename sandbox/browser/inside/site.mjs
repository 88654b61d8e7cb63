// What the pages come from: our own server of files, or the command that serves the project.
import { spawn } from "node:child_process";
import { createReadStream, promises as files } from "node:fs";
import http from "node:http";
import path from "node:path";

const TYPES = {
  ".html": "text/html; charset=utf-8", ".htm": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8", ".json": "application/json",
  ".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg",
  ".gif": "image/gif", ".webp": "image/webp", ".ico": "image/x-icon", ".txt": "text/plain; charset=utf-8",
  ".woff": "font/woff", ".woff2": "font/woff2", ".ttf": "font/ttf", ".xml": "application/xml",
  ".wasm": "application/wasm", ".mp4": "video/mp4", ".webm": "video/webm", ".mp3": "audio/mpeg",
};
const CONFINE = new URL("./confine.py", import.meta.url).pathname;
const SAID_CHARACTERS = 4000;

// Serves one folder at a time on one port, so that both sides have the same addresses.
export class FolderSite {
  root = ""; // set for each visit
  #server = http.createServer((request, response) => this.#answer(request, response));

  constructor(port) {
    this.port = port;
  }

  async start() {
    if (!this.#server.listening) {
      await new Promise((resolve, reject) => {
        this.#server.once("error", reject).listen(this.port, "localhost", resolve);
      });
    }
    return "";
  }

  async stop() {
    this.#server.closeAllConnections();
  }

  async #answer(request, response) {
    const found = await this.#file(request.url ?? "/");
    if (!found) {
      response.writeHead(404, { "content-type": "text/plain" }).end("There is no such file.");
      return;
    }
    const type = TYPES[path.extname(found).toLowerCase()] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type, "cache-control": "no-store" });
    createReadStream(found).on("error", () => response.destroy()).pipe(response);
  }

  async #file(url) {
    try {
      const name = decodeURIComponent(new URL(url, "http://localhost").pathname);
      let found = path.join(this.root, path.normalize("/" + name));
      if ((await files.stat(found)).isDirectory()) found = path.join(found, "index.html");
      return (await files.stat(found)).isFile() ? found : "";
    } catch {
      return "";
    }
  }
}

// Runs the configured line and waits until its address answers, whatever the answer is.
export class CommandSite {
  #child = null;
  #said = "";

  constructor({ line, url, environment, folder, listen_s: listenS }) {
    Object.assign(this, { line, url, environment, folder, listenS });
  }

  async start() {
    this.#child = spawn("/usr/bin/python3", ["-S", CONFINE, this.line], {
      cwd: this.folder, env: this.environment, stdio: ["ignore", "pipe", "pipe"], detached: true,
    });
    const hear = (data) => (this.#said = (this.#said + data).slice(-SAID_CHARACTERS));
    this.#child.stdout.on("data", hear);
    this.#child.stderr.on("data", hear);
    this.#child.on("error", (error) => hear(String(error)));
    const until = Date.now() + this.listenS * 1000;
    while (Date.now() < until) {
      if (await this.#answers()) return "";
      if (this.#child.exitCode !== null) return `The server ended with code ${this.#child.exitCode}.`;
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    return `Nothing answered at ${this.url} within ${this.listenS} s.`;
  }

  said() {
    return this.#said;
  }

  async stop() {
    try {
      process.kill(-this.#child.pid, "SIGKILL");
    } catch {
      // it ended by itself
    }
  }

  async #answers() {
    try {
      const answer = await fetch(this.url, { redirect: "manual", signal: AbortSignal.timeout(5000) });
      await answer.body?.cancel();
      return true;
    } catch {
      return false;
    }
  }
}
