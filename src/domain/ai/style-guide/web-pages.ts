import { DomainError } from "../../../errors.ts";
import type { Fetcher } from "../../files/fetcher.ts";
import type { FileStore } from "../../files/file-store.ts";

/** What a page says of itself, as a person who opens it would read it. What it does not say is empty. */
export type WebPage = {
  readonly title: string;
  readonly siteName: string;
  readonly description: string;
  /** As #rrggbb; the one that the page names for the browser's own frame comes first, then the most used ones. */
  readonly colors: readonly string[];
  readonly text: string;
};

export type PageReader = {
  /** Reads a file as a web page; undefined when it is none, or none that can be read in reasonable time. */
  read(path: string, signal: AbortSignal): Promise<WebPage | undefined>;
};

type PagePorts = { readonly fetcher: Fetcher; readonly files: FileStore; readonly pages: PageReader };

/** Larger than any page for people; what it shows is a small part of it. */
const maxBytes = 5 * 1024 * 1024;

/** Reads the page at an address that a caller named. Throws what the guarded fetch throws, or url_unreachable. */
export async function readWebPage({ fetcher, files, pages }: PagePorts, url: string, signal: AbortSignal) {
  const received = await fetcher.download(url, { path: "url", maxBytes, signal });
  try {
    const page = await pages.read(received.path, signal);
    if (!page) throw notReadable("it is not a web page");
    if (!page.title && !page.description && !page.text) throw notReadable("the page shows no text");
    return page;
  } finally {
    await files.discard(received);
  }
}

const notReadable = (reason: string) => new DomainError("url_unreachable", { path: "url", reason });

/** The page as one text, what it says of itself first. */
export function pageText({ title, siteName, description, colors, text }: WebPage): string {
  const facts = { Title: title, Site: siteName, Description: description, Colors: colors.join(", ") };
  const told = Object.entries(facts).filter(([, value]) => value);
  return [...told.map(([name, value]) => `${name}: ${value}`), "", text].join("\n").trim();
}
