import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { expectAccessible } from "../support/accessible.ts";
import { type Browser, chromiumPath, openBrowser, type Page } from "../support/browser.ts";
import { eventsOf } from "../support/events.ts";
import { jsonClient } from "../support/json-client.ts";
import { password, testService } from "../support/service.ts";
import { listen } from "../support/uploads.ts";

const service = await testService();
const { url: origin, stop } = listen(service);
afterAll(async () => {
  await stop();
  await service.close();
});

describe.skipIf(!chromiumPath)("in Chromium", () => {
  let browser: Browser;
  /** Of the owner, and of someone without an account on a phone. */
  let owner: Page;
  let reviewer: Page;
  let studioPath = "";
  let linkPath = "";
  beforeAll(async () => {
    browser = await openBrowser();
    [owner, reviewer] = [await browser.newPage(), await browser.newPage()];
    const ann = await service.register("Ann");
    const api = jsonClient(ann);
    const { body: project } = await api("POST", "/api/projects", { name: "Tea" });
    const order = { brief: { text: "Tiny tea" }, seconds: 3, scenes: 1, resolution: { width: 108, height: 192 } };
    const { body: film } = await api("POST", `/api/projects/${project.id}/films`, order);
    const path = `/projects/${project.id}/films/${film.id}`;
    await Array.fromAsync(eventsOf(await ann.request(`/api${path}/events`)));
    studioPath = `${origin}/studio${path}`;

    await owner.look(1280, 860);
    await owner.open(`${origin}/studio`);
    const login = JSON.stringify({ email: ann.user.email, password });
    await owner.evaluate(`fetch("/api/auth/session", { method: "POST", body: ${JSON.stringify(login)},
      headers: { "content-type": "application/json", "x-reelwright-page": "1" } })`);
  });
  afterAll(async () => {
    await browser?.close();
  });

  const textOf = (page: Page, selector: string) =>
    page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.textContent`);
  const click = (page: Page, selector: string) =>
    page.evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
  const focus = (page: Page, selector: string) =>
    page.evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`);

  test("the owner makes a link, which is shown once", async () => {
    await owner.open(studioPath);
    await owner.until(`document.querySelector(".make-link")`);
    await click(owner, ".make-link button");
    await owner.until(`document.querySelectorAll(".links li").length === 1`);
    const url: string = await owner.evaluate(`document.querySelector(".new-link input").value`);
    expect(url).toMatch(/^http:\/\/localhost\/studio\/review\/[0-9a-f]{64}$/);
    linkPath = new URL(url).pathname;
    await expectAccessible(owner);
    await owner.open(studioPath);
    await owner.until(`document.querySelectorAll(".links li").length === 1`);
    expect(await textOf(owner, ".links li")).toContain("No decision yet");
    expect(await owner.evaluate("document.documentElement.outerHTML")).not.toContain(linkPath);
  });

  test("someone without an account plays the film, and comments by keyboard at the time that shows", async () => {
    await reviewer.look(360, 740);
    await reviewer.open(origin + linkPath);
    await reviewer.until(`document.querySelector("video")?.readyState >= 2`);
    expect(await textOf(reviewer, "h1")).toBe("Tiny tea");
    await expectAccessible(reviewer);
    await reviewer.look(360, 740);

    await reviewer.evaluate(`document.querySelector("video").play()`);
    await reviewer.until(`document.querySelector("video").currentTime > 0.2`);
    await focus(reviewer, "textarea");
    await reviewer.until(`document.querySelector("video").paused`);
    await reviewer.evaluate(`document.querySelector("video").currentTime = 1.2`);
    await reviewer.until(`document.querySelector(".card .button").textContent === "Comment at 0:01.2"`);
    await click(reviewer, ".card .button");
    await reviewer.until(`document.querySelectorAll(".wrong").length === 2`);
    expect(await textOf(reviewer, ".card .wrong")).toBe("Write a comment first.");

    // who it is, is asked once for comments and the decision
    await reviewer.until(`document.activeElement.autocomplete === "name"`);
    expect(await reviewer.evaluate(`document.querySelectorAll("[autocomplete=name]").length`)).toBe(1);
    await reviewer.type("Eve");
    await reviewer.key("Tab");
    await reviewer.type("More <b>steam</b>,\nplease");
    await reviewer.key("Tab");
    await reviewer.key("Enter", "Enter", "\r");
    await reviewer.until(`document.querySelectorAll(".comments li").length === 1`);
    expect(await textOf(reviewer, ".comments .said")).toBe("More <b>steam</b>,\nplease");
    expect(await textOf(reviewer, ".card [role=status]")).toBe("Your comment was sent.");

    await reviewer.evaluate(`document.querySelector("video").currentTime = 1e6`);
    await reviewer.until(`document.querySelector(".card .button").textContent === "Comment at 0:03.0"`);
    await reviewer.evaluate(`document.querySelector("video").currentTime = 0`);
    await reviewer.until(`document.querySelector(".card .button").textContent === "Comment at 0:00.0"`);
    await click(reviewer, ".comments li button");
    await reviewer.until(`document.querySelector("video").currentTime === 1.2`);
    await expectAccessible(reviewer);
  });

  test("the decision is the owner's to read, and a comment to resolve", async () => {
    await focus(reviewer, ".decide textarea");
    await reviewer.type("A second longer");
    await click(reviewer, ".decide .plain");
    await reviewer.until(`document.querySelector(".decision")`);
    expect(await textOf(reviewer, ".decision .state")).toStartWith("Eve requests changes");
    await expectAccessible(reviewer);

    await owner.open(studioPath);
    await owner.until(`document.querySelector(".links .said")`);
    expect(await textOf(owner, ".links .state")).toStartWith("Eve requests changes");
    expect(await textOf(owner, ".links .said")).toBe("A second longer");
    expect(await textOf(owner, ".comments h3")).toBe("Comments: 1 open");
    // the editor has them, too, and leads to their times
    await owner.until(`document.querySelector(".made .actions a[href*='/works/']")`);
    await click(owner, ".made .actions a[href*='/works/']");
    await owner.until(`document.querySelector(".film-comments .comments .small")`);
    await click(owner, ".film-comments .comments .small");
    await owner.until(`document.querySelector(".transport input").value === "1.2"`);
    await expectAccessible(owner);
    await owner.open(studioPath);
    await owner.until(`document.querySelector(".made video")?.readyState >= 1`);
    await click(owner, ".comments .small");
    await owner.until(`document.querySelector(".made video").currentTime === 1.2`);
    await click(owner, ".comments [type=checkbox]");
    await owner.until(`document.querySelector(".comments li").dataset.resolved === "true"`);
    expect(await textOf(owner, ".comments h3")).toBe("Comments: 0 open");
    await expectAccessible(owner);
  });

  test("a link that was taken back leads nowhere, in the reviewer's language", async () => {
    await click(owner, ".links .plain");
    await owner.until(`document.querySelectorAll(".links li").length === 0`);
    // as a phone that blocks all cookies
    const blocked = `Object.defineProperty(globalThis, "localStorage", { get() { throw new DOMException("blocked", "SecurityError"); } });`;
    await reviewer.before(blocked, async () => {
      await reviewer.open(origin + linkPath);
      await reviewer.until(`document.querySelector("h1")?.textContent === "This link is not valid."`);
      await reviewer.evaluate(
        `(() => { const choice = document.querySelector(".language select"); choice.value = "de"; choice.dispatchEvent(new Event("change", { bubbles: true })); })()`,
      );
      await reviewer.until(`document.querySelector("h1").textContent === "Dieser Link führt nirgendwohin."`);
      await expectAccessible(reviewer);
    });
  });

  test("the reviewer's page asks for no login, and nothing was refused or fetched from elsewhere", async () => {
    expect([...owner.problems, ...reviewer.problems]).toEqual([]);
    expect(reviewer.requested.filter((url) => /\/api\//.test(url) && !/\/api\/reviews\//.test(url))).toEqual([]);
    // controls of a player are pictures of the browser's own
    expect(reviewer.requested.filter((url) => !url.startsWith(origin) && !url.startsWith("data:"))).toEqual([]);
    expect(await reviewer.evaluate("document.cookie")).toBe("");
  });
});
