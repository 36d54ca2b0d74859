import { type messages, type PGlite, parse, protocol, type Results } from "@electric-sql/pglite";
import { LRUCache } from "lru-cache";
import type { TraceQuery } from "../../platform/tracing.ts";

const { serialize } = protocol;

/** Each statement keeps its plan in the database's memory. */
const maxStatements = 100;
/** Longer texts contain lists of values and are rarely repeated. */
const maxTextLength = 5_000;

type Query = PGlite["query"];
type Arguments = Parameters<Query>;

/**
 * PGlite's methods that Drizzle calls, with prepared statements: a repeated query is one call into the database,
 * another one is two. PGlite itself parses and plans each time, in six calls, which take eight times as long.
 */
export function withStatements(
  client: PGlite,
  trace: TraceQuery = (_, run) => run(),
): Pick<PGlite, "query" | "transaction"> {
  const statements = new Statements(client);
  const query: Query = (...query) => trace(query[0], () => statements.run(query));
  return {
    query: (...query) => trace(query[0], () => client._runExclusiveTransaction(() => statements.run(query))),
    // safe because Drizzle calls no other method of a transaction
    transaction: (work) =>
      client.transaction((transaction) => work(Object.assign(Object.create(transaction), { query }))),
  };
}

type Statement = {
  /** Empty for a statement that the next unnamed one replaces. */
  readonly name: string;
  readonly parameterTypes: readonly number[];
  /** Present for queries that return rows. */
  readonly description: messages.RowDescriptionMessage | undefined;
};

class Statements {
  private readonly evicted: Statement[] = [];
  /** Prepared statements by their text. */
  private readonly prepared = new LRUCache<string, Statement>({
    max: maxStatements,
    dispose: (statement) => void this.evicted.push(statement),
  });
  private readonly seen = new LRUCache<string, true>({ max: 10 * maxStatements });
  private count = 0;

  constructor(private readonly client: PGlite) {}

  async run<T>([text, parameters = [], { rowMode, parsers } = {}]: Arguments) {
    await this.client._checkReady();
    return this.client._runExclusiveQuery(async () => {
      const { name, parameterTypes, description } = await (this.isRepeated(text)
        ? this.statementOf(text)
        : this.parse("", text));
      const values = parameters.map((value, index) => this.encode(value, parameterTypes[index]!));
      const answer = await this.send(serialize.bind({ statement: name, values }), serialize.execute({}));
      const allParsers = Object.assign(Object.create(this.client.parsers), parsers);
      const [result] = parse.parseResults([...(description ? [description] : []), ...answer], allParsers, { rowMode });
      // safe because parseResults returns one result for each statement
      return result as Results<T>;
    });
  }

  /** False the first time that a text occurs. */
  private isRepeated(text: string): boolean {
    if (this.seen.has(text)) return true;
    if (text.length > maxTextLength) return false;
    this.seen.set(text, true);
    return false;
  }

  private encode(value: unknown, type: number): string | null {
    if (value === null || value === undefined) return null;
    const serializer = this.client.serializers[type];
    return serializer ? serializer(value) : String(value);
  }

  private async statementOf(text: string): Promise<Statement> {
    const prepared = this.prepared.get(text);
    if (prepared) return prepared;
    const statement = await this.prepare(text);
    this.prepared.set(text, statement);
    for (const { name } of this.evicted.splice(0)) await this.send(serialize.close({ type: "S", name }));
    return statement;
  }

  private prepare(text: string): Promise<Statement> {
    this.count++;
    return this.parse(`statement ${this.count}`, text);
  }

  private async parse(name: string, text: string): Promise<Statement> {
    const answer = await this.send(serialize.parse({ name, text }), serialize.describe({ type: "S", name }));
    return {
      name,
      parameterTypes: parse.parseDescribeStatementResults(answer),
      // safe because only a row description has this name
      description: answer.find((message) => message.name === "rowDescription") as Statement["description"],
    };
  }

  /** After an error, the database skips the rest of these messages. It writes to the disk itself: no sync needed. */
  private send(...parts: readonly Uint8Array[]) {
    return this.client.execProtocolStream(Buffer.concat([...parts, serialize.sync()]), { syncToFs: false });
  }
}
