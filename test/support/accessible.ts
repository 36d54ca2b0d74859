import { expect } from "bun:test";
import type { Page } from "./browser.ts";

const sizes = [
  [1280, "light"],
  [1280, "dark"],
  [360, "light"],
] as const;

/**
 * Nothing that axe finds, light and dark, wide and as narrow as a small phone, where nothing lies beside the page.
 * `part` selects what has changed since the whole page was checked: on the page of the API a check takes seconds.
 */
export async function expectAccessible(page: Page, part?: string) {
  await page.addScript(new URL(import.meta.resolve("axe-core/axe.min.js")).pathname);
  for (const [width, scheme] of sizes) {
    await page.look(width, 860, scheme);
    const found = await page.evaluate(
      `axe.run(${part ? JSON.stringify(part) : "document"}).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + " " + html)))`,
    );
    expect([width, scheme, found]).toEqual([width, scheme, []]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  }
  await page.look(1280, 860);
}
