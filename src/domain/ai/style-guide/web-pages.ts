import type { FileStore } from "../../../engine/ports.ts";
import { DomainError } from "../../../errors.ts";
import type { TaskOptions } from "../../../platform/limits/concurrency-limit.ts";
import type { Fetcher } from "../../files/fetcher.ts";

/** The product data of a page for search engines. Texts may be empty. */
export type PageProduct = {
  readonly name: string;
  readonly description: string;
  readonly price?: { readonly amount: number; readonly currency: string };
};

/** The readable content and metadata of a web page. Missing fields are empty. */
export type WebPage = {
  readonly title: string;
  readonly siteName: string;
  readonly description: string;
  /** `#rrggbb`: the theme color first, then the most used colors. */
  readonly colors: readonly string[];
  /** URLs of its pictures as written in the page, preview pictures first. */
  readonly images: readonly string[];
  /** URLs of its logo, the largest first. */
  readonly logos: readonly string[];
  readonly product?: PageProduct;
  readonly text: string;
};

export type PageReader = {
  /** Parses a file as a web page. Undefined if it is not one, or if parsing takes too long. */
  read(path: string, options: Required<TaskOptions>): Promise<WebPage | undefined>;
};

type ReadWebPagePorts = { readonly fetcher: Fetcher; readonly files: FileStore; readonly pages: PageReader };

/** Larger than the HTML of any ordinary page. */
const maxBytes = 5 * 1024 * 1024;

const hostAtStart = /^(?:\/\/)?([\p{L}\p{N}.-]+|\[[\da-f:.]+\])(:\d{1,5})?(?=[/?#]|$)/iu;

/**
 * Puts `https://` before a URL that starts with a host, as people type addresses: `example.com/page`. A single word
 * counts as a host only with a port (`studio:8080` is no scheme), or if it is `localhost`.
 */
export function withScheme(url: string): string {
  const trimmed = url.trim();
  const [start, host = "", port] = hostAtStart.exec(trimmed) ?? [];
  const isHost = start?.startsWith("//") || port || /[.:]/.test(host) || host.toLowerCase() === "localhost";
  return isHost ? `https://${trimmed.replace(/^\/\//, "")}` : url;
}

/** Reads a page. The URL may lack its scheme. Throws the errors of the guarded fetch, and url_unreachable. */
export async function readWebPage(
  { fetcher, files, pages }: ReadWebPagePorts,
  url: string,
  options: Required<TaskOptions>,
): Promise<WebPage> {
  const received = await fetcher.download(withScheme(url), { path: "url", maxBytes, ...options });
  try {
    const page = await pages.read(received.path, options);
    if (!page) throw unreadablePage("it is not a web page");
    if (!page.title && !page.description && !page.text) throw unreadablePage("the page shows no text");
    return page;
  } finally {
    await files.discard(received);
  }
}

const unreadablePage = (reason: string) => new DomainError("url_unreachable", { path: "url", reason });

/** Joins the page into one text, metadata first. */
export function pageText({ title, siteName, description, colors, text }: WebPage): string {
  const facts = { Title: title, Site: siteName, Description: description, Colors: colors.join(", ") };
  const known = Object.entries(facts).filter(([, value]) => value);
  return [...known.map(([name, value]) => `${name}: ${value}`), "", text].join("\n").trim();
}
