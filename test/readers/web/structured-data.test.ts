import { expect, test } from "bun:test";
import fc from "fast-check";
import { parsePage } from "../../../src/readers/web/parse.ts";
import { amountIn, currencyOf } from "../../../src/readers/web/prices.ts";

const mug = { name: "Mug", description: "Steel.", price: { amount: 24.9, currency: "EUR" } };
const offer = (price: unknown, priceCurrency: unknown = "EUR") => ({ "@type": "Offer", price, priceCurrency });
const product = { "@type": "Product", name: "Mug", description: "Steel." };
const script = (text: string) => `<script type="application/ld+json">${text}</script>`;
const json = (data: unknown) => script(JSON.stringify(data));

test.each([
  [
    "raw line breaks",
    script(
      `{"@type":"Product","name":"Mug","description":"Steel\n.","offers":{"price":24.90,"priceCurrency":"EUR"}}`.replace(
        "\n",
        "",
      ),
    ),
  ],
  [
    "a line break and a tab in a string",
    script(
      `{"@type":"Product","name":"\tMug","description":"\nSteel.","offers":{"price":24.90,"priceCurrency":"EUR"}}`,
    ),
  ],
  [
    "trailing commas",
    script(
      `{"@type":"Product","name":"Mug","description":"Steel.","offers":[{"price":"24.90","priceCurrency":"EUR",},],}`,
    ),
  ],
  ["comments of HTML", script(`<!-- ${JSON.stringify({ ...product, offers: offer("24.90") })} -->`)],
  ["CDATA", script(`\n//<![CDATA[\n${JSON.stringify({ ...product, offers: offer("24.90") })}\n//]]>\n`)],
  ["a semicolon at the end", script(`${JSON.stringify({ ...product, offers: offer("24.90") })};`)],
  ["encoded quotes", script(JSON.stringify({ ...product, offers: offer("24.90") }).replaceAll('"', "&quot;"))],
  ["a type with parameters", json({ ...product, offers: offer("24.90") }).replace("ld+json", "ld+json; charset=utf-8")],
  [
    "a graph with references",
    json({
      "@graph": [
        { "@type": "WebPage", mainEntity: { "@id": "#p" } },
        { "@id": "#o", ...offer("24.90") },
        { "@id": "#p", ...product, offers: { "@id": "#o" } },
      ],
    }),
  ],
  ["a page about it", json({ "@type": "ItemPage", mainEntity: { ...product, offers: offer(24.9) } })],
  [
    "types with addresses",
    json({ ...product, "@type": ["http://www.schema.org/Product", "schema:Thing"], offers: offer(24.9) }),
  ],
  [
    "a value with its language",
    json({ ...product, name: [{ "@value": "Mug", "@language": "en" }], offers: offer(24.9) }),
  ],
  [
    "a group of variants",
    json({
      ...product,
      "@type": "ProductGroup",
      hasVariant: [
        { "@type": "Product", name: "Mug red", offers: offer("24.90") },
        { "@type": "Product", name: "Mug blue", offers: offer("24.90") },
      ],
    }),
  ],
  [
    "variants beside their group",
    json([
      { "@type": "Product", name: "Mug red", isVariantOf: { "@id": "#g" }, offers: offer("24.90") },
      { ...product, "@type": "ProductGroup", "@id": "#g" },
    ]),
  ],
  [
    "offers in offers",
    json({
      ...product,
      offers: {
        "@type": "AggregateOffer",
        lowPrice: "24.90",
        highPrice: "24.90",
        priceCurrency: "EUR",
        offers: [offer("24.90")],
      },
    }),
  ],
  [
    "a specification of the price",
    json({
      ...product,
      offers: {
        "@type": "Offer",
        priceSpecification: [
          { price: "24.90", priceCurrency: "EUR" },
          { price: "30.00", priceCurrency: "EUR", priceType: "https://schema.org/ListPrice" },
        ],
      },
    }),
  ],
  ["a comma", json({ ...product, offers: offer("24,90", "eur") })],
  ["a sign", json({ ...product, offers: offer("€ 24,90", undefined) })],
  ["four decimals", json({ ...product, offers: offer("24.9000") })],
  [
    "microdata",
    `<div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Mug</h1><p itemprop="description">St<b>eel</b>.</p><div itemprop="brand" itemscope itemtype="https://schema.org/Brand"><span itemprop="name">Harbour</span></div><div itemprop="offers" itemscope itemtype="https://schema.org/Offer"><span itemprop="price" content="24.90">24,90 €</span><meta itemprop="priceCurrency" content="EUR"></div></div>`,
  ],
  [
    "microdata without content",
    `<div itemscope itemtype="http://schema.org/Product"><span itemprop="name">Mug</span><div itemprop="description">Steel.</div><div itemprop="offers" itemscope><span itemprop="price">24,90&nbsp;€</span></div></div>`,
  ],
  [
    "previews",
    `<meta property="og:type" content="product"><meta property="og:title" content="Mug"><meta property="og:description" content="Steel."><meta property="product:price:amount" content="24,90"><meta property="product:price:currency" content="EUR">`,
  ],
  [
    "previews beside data without a price",
    `<meta property="product:price:amount" content="24.90"><meta property="product:price:currency" content="EUR">${json(product)}`,
  ],
])("reads a product by %s", (_, markup) => {
  expect(parsePage(`<title>Shop</title>${markup}`).product).toEqual(mug);
});

test("tells no price where there are several, or where one is for others", () => {
  const priced = (offers: unknown) => parsePage(json({ ...product, offers })).product?.price;
  expect(priced([offer(20), offer(30)])).toBeUndefined();
  expect(priced({ lowPrice: 20, highPrice: 30, priceCurrency: "EUR" })).toBeUndefined();
  expect(priced({ lowPrice: 20, priceCurrency: "EUR" })).toBeUndefined();
  expect(priced({ price: 20, priceCurrency: "EUR", validForMemberTier: {} })).toBeUndefined();
  expect(priced(offer("1.299"))).toBeUndefined();
  expect(priced(offer("20 / 30"))).toBeUndefined();
});

test("decodes what passed through HTML once or twice, and keeps signs that are meant", () => {
  const named = (name: string) => parsePage(json({ ...product, name })).product?.name;
  expect(named("Mug &amp; Lid")).toBe("Mug & Lid");
  expect(named("Mug &amp;amp; Lid")).toBe("Mug & Lid");
  expect(named("&lt;p&gt;Mug &amp;ndash; it&#039;s &uuml;ber&lt;/p&gt;")).toBe("Mug – it's über");
  expect(named("1 < 2 & 3 > 2, AT&T, <3")).toBe("1 < 2 & 3 > 2, AT&T, <3");
  const page = parsePage(
    '<title>A &amp;amp; B</title><meta name="description" content="It&amp;#39;s &amp;lt;b&amp;gt;hot&amp;lt;/b&amp;gt;"><p>Tea &amp;amp; cake',
  );
  expect(page).toMatchObject({ title: "A & B", description: "It's hot", text: "Tea & cake" });
});

test("reads prices as countries write them", () => {
  const written: readonly (readonly [string, string, number | undefined])[] = [
    ...([
      ["24,90", "EUR", 24.9],
      ["1.299,00", "EUR", 1299],
      ["1,299.00", "USD", 1299],
      ["€ 24,90", "EUR", 24.9],
    ] as const),
    ...([
      ["1 299,00 €", "EUR", 1299],
      ["CHF 1'299.–", "CHF", 1299],
      ["24,-", "EUR", 24],
      ["1,299", "USD", 1299],
    ] as const),
    ...([
      ["24.990", "CLP", 24990],
      ["1.299", "EUR", undefined],
      ["1.250", "KWD", 1.25],
      ["1.299.000", "IDR", 1_299_000],
    ] as const),
    ...([
      ["Free", "EUR", undefined],
      ["12.000000", "USD", 12],
      ["0.990", "EUR", 0.99],
    ] as const),
  ];
  for (const [text, currency, amount] of written) expect([text, amountIn(text, currency)]).toEqual([text, amount]);
  expect(["eur", "€", "24,90 EUR", "zł", "US$", "$", "stk"].map(currencyOf)).toEqual([
    ...["EUR", "EUR", "EUR", "PLN", "USD"],
    ...[undefined, undefined],
  ]);
});

test("any amount is read back as German and English write it", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 99_999_999 }), fc.constantFrom("de", "en", "fr"), (cents, locale) => {
      const text = new Intl.NumberFormat(locale, { style: "currency", currency: "EUR" }).format(cents / 100);
      expect(amountIn(text, "EUR")).toBe(cents / 100);
    }),
  );
});
