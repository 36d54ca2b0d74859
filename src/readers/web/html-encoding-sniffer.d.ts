// @types/html-encoding-sniffer describes version 3, without `maxPrescanBytes`
declare module "html-encoding-sniffer" {
  /** Returns the WHATWG name of the encoding, for example `windows-1252`. */
  const sniffEncoding: (
    bytes: Uint8Array,
    options: { readonly maxPrescanBytes: number; readonly defaultEncoding: string },
  ) => string;
  export = sniffEncoding;
}
