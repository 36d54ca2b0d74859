import { expect, test } from "bun:test";
import fc from "fast-check";
import { parsePage } from "../../../src/readers/web/parse.ts";
import { candidatesInSet } from "../../../src/readers/web/pictures.ts";

const blank = "data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==";

const imagesOf = (markup: string) => parsePage(`<title>Shop</title>${markup}`).images;

test.each([
  ["data-src", `<img src="${blank}" data-src="/a.jpg">`],
  ["data-lazy-src", `<img src="/wp-content/plugins/x/blank.gif" data-lazy-src="/a.jpg">`],
  ["data-original", `<img src="/img/loading-spinner.gif" data-original="/a.jpg">`],
  ["data-lazy", `<img data-lazy="/a.jpg">`],
  ["data-srcset", `<img src="/low.jpg" data-srcset="/a_200x.jpg 200w, /a.jpg 1200w" data-sizes="auto">`],
  ["data-lazy-srcset", `<img src="${blank}" data-lazy-srcset="/a-150x150.jpg 150w,/a.jpg 1024w">`],
  ["a small src beside data-src", `<img src="/a_20x.jpg" data-src="/a.jpg">`],
  [
    "a zoomed picture",
    `<img src="/a-600x600.jpg" data-src="/a-600x600.jpg" data-large_image="/a.jpg" data-large_image_width="1200">`,
  ],
  ["a link around it", `<a href="/a.jpg"><img src="/a-100x100.jpg"></a>`],
  ["srcset alone", `<img srcset="/a.jpg 640w, /low.jpg 40w">`],
  ["densities", `<img src="/low.jpg" srcset="/low.jpg 1x, /a.jpg 2x">`],
  ["a picture", `<picture><source srcset="/low.webp 300w"><source srcset="/a.jpg 900w"><img src="/low.jpg"></picture>`],
  [
    "a lazy picture",
    `<picture><source data-srcset="/a.jpg 900w"><img src="${blank}" data-src="/low-300x300.jpg"></picture>`,
  ],
  ["a picture without img", `<picture><source srcset="/a.jpg"></picture>`],
  ["a picture of another type", `<picture><source type="image/jxl" srcset="/b.jxl 2000w"><img src="/a.jpg"></picture>`],
  ["noscript", `<img src="${blank}" class="lazy"><noscript><img src="/a.jpg"></noscript>`],
  [
    "a placeholder and noscript",
    `<img src="/placeholder.png"><noscript><picture><source srcset="/a.jpg 1x"><img src="/low.jpg"></picture></noscript>`,
  ],
  ["a style", `<div style="height: 9px; background-image: url('/a.jpg')"></div>`],
  ["a style with entities", `<div style="background:#fff url(&quot;/a.jpg&quot;) no-repeat"></div>`],
  ["data-bg", `<div class="lazyload" data-bg="/a.jpg"></div>`],
  ["data-bgset", `<div data-bgset="/low.jpg 300w, /a.jpg 1800w"></div>`],
  ["data-background-image", `<section data-background-image="/a.jpg"></section>`],
  ["a preload", `<link rel="preload" as="image" href="/low.jpg" imagesrcset="/low.jpg 400w, /a.jpg 1600w">`],
  ["sizes in an attribute", `<img src="/low.jpg" data-a-dynamic-image='{"/low.jpg":[100,100],"/a.jpg":[1500,1500]}'>`],
  ["widths", `<img data-src="/a_{width}x.jpg" data-widths="[180, 360, 1296]" src="${blank}">`],
  ["Wix", `<wow-image data-image-info='{"imageData":{"uri":"/a.jpg","width":1200}}'><img src="${blank}"></wow-image>`],
  ["image_src", `<link rel="image_src" href="/a.jpg">`],
  ["amp-img", `<amp-img src="/a.jpg" width="800" height="600"></amp-img>`],
])("finds a picture by %s", (_, markup) => {
  expect(imagesOf(markup).map((address) => address.replace("_1296x", ""))).toEqual(["/a.jpg"]);
});

test("finds the pictures of a list in an attribute, and of Magento's gallery", () => {
  const list = JSON.stringify([
    { thumb: "/a-100x100.jpg", full: "/a.jpg" },
    { thumb: "/b-100x100.jpg", full: "/b.jpg" },
  ]);
  expect(imagesOf(`<div data-product_thumbnails='${list}'></div>`)).toEqual(["/a.jpg", "/b.jpg"]);
  expect(imagesOf(`<div data-gallery="${list.replaceAll('"', "&quot;")}"></div>`)).toEqual(["/a.jpg", "/b.jpg"]);
  const script = `{"[data-gallery-role]": {"mage/gallery/gallery": {"mixins":["x"], "data": ${list.replaceAll("/", "\\/")}, "options": {}}}}`;
  expect(imagesOf(`<script type="text/x-magento-init">${script}</script>`)).toEqual(["/a.jpg", "/b.jpg"]);
});

test("tells a picture once, at the largest size that the page names", () => {
  const markup = `<meta property="og:image" content="https://x.example/m_600x.jpg?v=1">
<img src="//x.example/m_100x.jpg?v=1"><img src="//x.example/m_1024x.jpg?v=1"><img src="/other.jpg">`;
  expect(imagesOf(markup)).toEqual(["//x.example/m_1024x.jpg?v=1", "/other.jpg"]);
});

test("what stands for a picture is none", () => {
  const names = [
    "blank.gif",
    "1x1.png",
    "pixel.gif",
    "placeholder-300x300.png",
    "woocommerce-placeholder.png",
    "loader.svg",
  ];
  expect(imagesOf(names.map((name) => `<img src="/x/${name}">`).join(""))).toEqual([]);
  expect(imagesOf('<img src="/lazy-chair.jpg"><img src="/blank-canvas-bag.jpg">')).toHaveLength(2);
});

test("reads lists of sizes with commas in their addresses, and without spaces", () => {
  const set = "https://x.example/w_400,h_300/a.jpg 400w,https://x.example/w_800,h_600/a.jpg 800w, b.jpg,";
  expect(candidatesInSet(set, 600)).toEqual([
    { address: "https://x.example/w_400,h_300/a.jpg", width: 400 },
    { address: "https://x.example/w_800,h_600/a.jpg", width: 800 },
    { address: "b.jpg", width: 600 },
  ]);
  expect(() => fc.assert(fc.property(fc.string(), (text) => void candidatesInSet(text, 1)))).not.toThrow();
});
