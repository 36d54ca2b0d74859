/** The server leaves it empty, and `fillIn` puts it into the text of the response: it is written once. */
export type PreparedField = { readonly empty: string; readonly full: Uint8Array };

export const preparedField = (name: string, value: string | readonly unknown[]): PreparedField => ({
  empty: `"${name}":${typeof value === "string" ? '""' : "[]"}`,
  full: Buffer.from(`"${name}":${JSON.stringify(value)}`),
});

/** An error has no such field and stays as it is. */
export async function fillIn(response: Response, { empty, full }: PreparedField): Promise<Response> {
  const text = await response.text();
  // inside a string each quote has a backslash before it, so that nothing that a client sent looks like the field
  const [before, after] = text.split(empty);
  if (before === undefined || after === undefined) return new Response(text, response);
  return new Response(Buffer.concat([Buffer.from(before), full, Buffer.from(after)]), response);
}
