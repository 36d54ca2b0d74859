import { expect } from "bun:test";
import type { Page } from "./browser.ts";

/** The quickest that finds the same: no rule that applies reads style sheets, and elements are told by their HTML. */
const all = { resultTypes: ["violations"], selectors: false, preload: { assets: ["media"] } };
/** Those that a dark scheme, which changes colors alone, can break. */
const colors = { ...all, runOnly: ["color-contrast", "link-in-text-block"] };

const looks = [
  [1280, "light", all],
  [1280, "dark", colors],
  [360, "light", all],
] as const;

/**
 * Nothing that axe finds, light and dark, wide and as narrow as a small phone, where nothing lies beside the page.
 * `part` selects what has changed since the whole page was checked: on the page of the API a check takes seconds.
 */
export async function expectAccessible(page: Page, part?: string) {
  if (!(await page.evaluate(`"axe" in globalThis`)))
    await page.addScript(new URL(import.meta.resolve("axe-core/axe.min.js")).pathname);
  const checked = part ? JSON.stringify(part) : "document";
  for (const [width, scheme, options] of looks) {
    await page.look(width, 860, scheme);
    const found = await page.evaluate(
      `axe.run(${checked}, ${JSON.stringify(options)}).then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + " " + html)))`,
    );
    expect([width, scheme, found]).toEqual([width, scheme, []]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
  }
  await page.look(1280, 860);
}
