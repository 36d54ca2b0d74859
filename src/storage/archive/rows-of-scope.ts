import type { Scope } from "./manifest.ts";
import { type ArchivedRow, describeRow } from "./rows.ts";
import { archivedTables, filesOfRow, userTables } from "./tables.ts";

const parentTables = new Set(
  [...archivedTables.values()].flatMap(({ references, names }) => [...references, ...names].map(({ table }) => table)),
);

/** Throws a one-line message for a row outside the scope. Takes the rows in the order of the archive. */
export type RowsOfScope = (row: ArchivedRow) => void;

/**
 * An archive may come from anybody: hashes protect it against damage, but not against its author. A row is therefore
 * accepted only if it belongs to the account or project of the manifest: the rows that it references came before it,
 * and its files are in a folder of the scope.
 */
export function rowsOfScope(scope: Scope): RowsOfScope {
  /** Ids by table, of the current account and project, which follow one another in an archive. */
  const parents = new Map<string, Set<string>>();
  const isParent = (table: string, id: unknown) => parents.get(table)?.has(String(id)) ?? false;
  if (scope.kind === "project") parents.set("users", new Set([scope.user.id]));

  const belongs = ({ table, row }: ArchivedRow): boolean => {
    if (scope.kind === "project" && userTables.includes(table)) return false;
    if (scope.kind === "project" && table.name === "projects" && row.id !== scope.project.id) return false;
    if (scope.kind === "user" && table.name === "users" && row.id !== scope.user.id) return false;
    // a nullable reference is accompanied by another owner
    return [...table.references, ...table.names].every(
      ({ column, table: parent }) => row[column] === null || isParent(parent, row[column]),
    );
  };
  const isOwnFile = ({ table }: ArchivedRow, key: string) =>
    isParent(userTables.includes(table) ? "users" : "projects", key.split("/")[0]);

  return (archived) => {
    const { table, row } = archived;
    if (!belongs(archived))
      throw new Error(`The archive holds ${describeRow(archived)}, which is not of its ${labelOf(scope)}.`);
    if (table.name === "users") parents.clear();
    if (table.name === "projects") for (const name of parents.keys()) if (name !== "users") parents.delete(name);
    if (parentTables.has(table.name)) {
      const id = String(row[table.keyNames[0]!]); // safe because every table has a key
      parents.set(table.name, (parents.get(table.name) ?? new Set()).add(id));
    }
    const foreign = filesOfRow(row).find((file) => !isOwnFile(archived, file.key));
    if (foreign)
      throw new Error(`The file ${foreign.key} of ${describeRow(archived)} is not of its ${labelOf(scope)}.`);
  };
}

const labelOf = ({ kind }: Scope): string => (kind === "project" ? "project" : "account");
