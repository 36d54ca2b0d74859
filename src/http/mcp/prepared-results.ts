/** A field that the server leaves empty and `fillIn` inserts into the response, so that it is serialized once. */
export type PreparedField = { readonly empty: string; readonly full: Uint8Array };

export const preparedField = (name: string, value: string | readonly unknown[]): PreparedField => ({
  empty: `"${name}":${typeof value === "string" ? '""' : "[]"}`,
  full: Buffer.from(`"${name}":${JSON.stringify(value)}`),
});

/** An error response has no such field and stays unchanged. */
export async function fillIn(response: Response, { empty, full }: PreparedField): Promise<Response> {
  const text = await response.text();
  // inside a JSON string each quote is escaped, so nothing that a client sent looks like the field
  const [before, after] = text.split(empty);
  if (before === undefined || after === undefined) return new Response(text, response);
  return new Response(Buffer.concat([Buffer.from(before), full, Buffer.from(after)]), response);
}
