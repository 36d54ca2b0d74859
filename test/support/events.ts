type ServerEvent = { readonly id: string; readonly event: string; readonly data: Record<string, unknown> };

/** Reads server-sent events until the server ends the stream. */
export async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
  let text = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const messages = text.split("\n\n");
    text = messages.pop()!;
    for (const message of messages.filter((each) => !each.startsWith(":"))) {
      const fields = Object.fromEntries(message.split("\n").map((line) => line.split(/: (.*)/s).slice(0, 2)));
      yield { id: fields.id, event: fields.event, data: JSON.parse(fields.data) };
    }
  }
}
