type Item = { [name: string]: unknown };

/** Ten times as many as a page for people has. */
const maxItems = 2000;
const maxCharacters = 20_000;
/** The maximum nesting of properties that contain texts. */
const maxNested = 20;

/** Adds the items of a page as nodes of JSON-LD (https://html.spec.whatwg.org/multipage/microdata.html). */
export function collectMicrodata(rewriter: HTMLRewriter, items: Item[]): HTMLRewriter {
  const open: Item[] = [];
  let texts: { readonly item: Item; readonly names: readonly string[]; text: string }[] = [];
  let count = 0;
  const add = (item: Item | undefined, names: readonly string[], value: unknown) => {
    for (const name of names) {
      if (!item || value === "" || name === "__proto__") continue;
      const known = item[name];
      item[name] = known === undefined ? value : [...(Array.isArray(known) ? known : [known]), value];
    }
  };
  const onEnd = (element: HTMLRewriterTypes.Element, end: () => void) => {
    try {
      element.onEndTag(end);
    } catch {
      // elements without content
      end();
    }
  };
  return rewriter
    .on("[itemscope], [itemprop]", {
      element: (element) => {
        if (++count > maxItems) return;
        const names = (element.getAttribute("itemprop") ?? "").split(/\s+/, 5).filter(Boolean);
        const outer = open.at(-1);
        if (element.hasAttribute("itemscope")) {
          const id = element.getAttribute("itemid");
          const item: Item = {
            "@type": (element.getAttribute("itemtype") ?? "").split(/\s+/, 5),
            ...(id && { "@id": id }),
          };
          if (names.length > 0) add(outer, names, item);
          else items.push(item);
          open.push(item);
          onEnd(element, () => void open.splice(open.lastIndexOf(item)));
          return;
        }
        const value = valueIn(element);
        if (value !== undefined) return add(outer, names, value);
        if (!outer || texts.length >= maxNested) return;
        const entry = { item: outer, names, text: "" };
        texts.push(entry);
        onEnd(element, () => {
          texts = texts.filter((other) => other !== entry);
          add(outer, names, entry.text.trim());
        });
      },
    })
    .on("[itemprop]", {
      text: ({ text }) => {
        for (const entry of texts) if (entry.text.length < maxCharacters) entry.text += text;
      },
    });
}

/** Undefined if the element's text is the value. */
function valueIn(element: HTMLRewriterTypes.Element): string | undefined {
  const named = ["content", "src", "href", "data", "datetime", "value"].map((name) => element.getAttribute(name));
  const [content, src, href, data, datetime, value] = named;
  if (content !== null && content !== undefined) return content;
  switch (element.tagName.toLowerCase()) {
    case "img":
      return element.getAttribute("data-src") ?? src ?? "";
    case "source":
    case "audio":
    case "video":
    case "iframe":
    case "embed":
      return src ?? "";
    case "a":
    case "area":
    case "link":
      return href ?? "";
    case "object":
      return data ?? "";
    case "time":
      return datetime ?? undefined;
    case "data":
    case "meter":
      return value ?? undefined;
    default:
      return undefined;
  }
}
