import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** That of CHROMIUM_PATH or of the PATH; tests of pages are skipped where there is none. */
export const chromiumPath = process.env.CHROMIUM_PATH ?? Bun.which("chromium") ?? undefined;

// biome-ignore lint/suspicious/noExplicitAny: the protocol has answers of any shape
type Answer = any;
type Command = (method: string, params?: object) => Promise<Answer>;

export type Browser = { newPage(): Promise<Page>; close(): Promise<void> };

/** Chromium without a window, over the DevTools protocol. */
export async function openBrowser(): Promise<Browser> {
  const folder = await mkdtemp(join(tmpdir(), "reelwright-chromium-"));
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--lang=en-US"];
  const options = { stdin: "ignore", stdout: "ignore", stderr: "pipe" } as const;
  const browser = Bun.spawn([chromiumPath!, ...flags, `--user-data-dir=${folder}`, "about:blank"], options);
  const connection = await connect(await debuggingAddress(browser.stderr));
  return {
    async newPage() {
      const { browserContextId } = await connection.send("Target.createBrowserContext");
      const { targetId } = await connection.send("Target.createTarget", { url: "about:blank", browserContextId });
      const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
      return openPage((method, params) => connection.send(method, params, sessionId), connection.events, sessionId);
    },
    async close() {
      connection.close();
      browser.kill();
      await browser.exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function debuggingAddress(stderr: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stderr) {
    text += new TextDecoder().decode(chunk);
    const [, address] = /DevTools listening on (ws:\S+)/.exec(text) ?? [];
    if (address) return address;
  }
  throw new Error(`Chromium did not start: ${text}`);
}

type Listener = (event: { method: string; params: Answer; sessionId?: string }) => void;

async function connect(address: string) {
  const socket = new WebSocket(address);
  const answers = new Map<number, PromiseWithResolvers<Answer>>();
  const listeners = new Set<Listener>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result, error, ...event } = JSON.parse(String(data));
    if (id === undefined) for (const listener of listeners) listener(event);
    else if (error) answers.get(id)?.reject(new Error(error.message));
    else answers.get(id)?.resolve(result);
  });
  // a test that waited too long has lost its browser: the next ones fail at once
  socket.addEventListener("close", () => {
    for (const { reject } of answers.values()) reject(new Error("Chromium has ended."));
    answers.clear();
  });
  await new Promise((resolve) => socket.addEventListener("open", resolve));
  let lastId = 0;
  return {
    events: listeners,
    close: () => socket.close(),
    send(method: string, params: object = {}, sessionId?: string): Promise<Answer> {
      if (socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error("Chromium has ended."));
      const answer = Promise.withResolvers<Answer>();
      lastId += 1;
      answers.set(lastId, answer);
      socket.send(JSON.stringify({ id: lastId, method, params, sessionId }));
      return answer.promise;
    },
  };
}

export type Page = Awaited<ReturnType<typeof openPage>>;

async function openPage(send: Command, events: Set<Listener>, sessionId: string) {
  /** What a person would find in the console: errors, and what the policy of the page has refused. */
  const problems: string[] = [];
  const requested: string[] = [];
  /** Of documents that are loaded. Each navigation has another one. */
  const loaded = new Set<string>();
  events.add(({ method, params, sessionId: from }) => {
    if (from !== sessionId) return;
    if (method === "Runtime.exceptionThrown") problems.push(params.exceptionDetails.exception?.description ?? "error");
    // the console also notes each answer above 399, which pages handle
    if (method === "Log.entryAdded" && params.entry.source !== "network") problems.push(params.entry.text);
    if (method === "Network.requestWillBeSent") requested.push(params.request.url);
    if (method === "Page.lifecycleEvent" && params.name === "load") loaded.add(params.loaderId);
  });
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await send(`${domain}.enable`);
  await send("Page.setLifecycleEventsEnabled", { enabled: true });

  /** Evaluates an expression in the page, which may be a promise. */
  const evaluate = async (expression: string): Promise<Answer> => {
    const { result, exceptionDetails } = await send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
      // as if a person had clicked: without, videos do not play
      userGesture: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  /** Resolves once the expression is true: the page looks at each frame. */
  const until = (condition: string) =>
    evaluate(`new Promise((resolve) => {
      const look = () => { try { if (${condition}) return resolve(true); } catch {} setTimeout(look, 30); };
      look();
    })`).catch((error) => {
      throw new Error(`Waited in vain for ${condition}`, { cause: error });
    });
  const key = async (name: string, code = name, text?: string) => {
    const codes: Record<string, number> = { Tab: 9, Enter: 13, Escape: 27, " ": 32 };
    const event = { key: name, code, windowsVirtualKeyCode: codes[name] ?? 0, ...(text && { text }) };
    await send("Input.dispatchKeyEvent", { type: "keyDown", ...event });
    await send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
  };
  return {
    problems,
    requested,
    evaluate,
    until,
    key,
    type: (text: string) => send("Input.insertText", { text }),
    /** Presses the mouse on the middle of an element, moves it by so many pixels, and lets go. */
    async drag(selector: string, x: number, y: number) {
      const box = await evaluate(
        `(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`,
      );
      const at = (part: number) => ({ x: box.x + x * part, y: box.y + y * part, button: "left", clickCount: 1 });
      await send("Input.dispatchMouseEvent", { type: "mousePressed", ...at(0) });
      for (const part of [0.5, 1])
        await send("Input.dispatchMouseEvent", { type: "mouseMoved", buttons: 1, ...at(part) });
      await send("Input.dispatchMouseEvent", { type: "mouseReleased", ...at(1) });
    },
    async open(url: string) {
      const { loaderId } = await send("Page.navigate", { url });
      // the answer comes before the document: until then, scripts run in the one that is left
      while (!loaded.has(loaderId)) {
        await send("Page.getFrameTree");
        await Bun.sleep(10);
      }
    },
    /** Runs a script before those of each page that is opened meanwhile. */
    async before(script: string, act: () => Promise<void>) {
      const { identifier } = await send("Page.addScriptToEvaluateOnNewDocument", { source: script });
      await act();
      await send("Page.removeScriptToEvaluateOnNewDocument", { identifier });
    },
    /** A window of this size in pixels, light or dark. */
    async look(width: number, height: number, scheme: "light" | "dark" = "light") {
      await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 600 });
      await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    },
    async screenshot(whole = true): Promise<Uint8Array> {
      const { data } = await send("Page.captureScreenshot", { format: "png", captureBeyondViewport: whole });
      return Buffer.from(data, "base64");
    },
    /** Runs a script of a file, which the policy of the page does not bind. */
    async addScript(path: string) {
      await evaluate(`${await Bun.file(path).text()}; undefined`);
    },
  };
}
