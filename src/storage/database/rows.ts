import type { StoredFile } from "../../domain/files/file-store.ts";
import type { MediaFacts } from "../../timeline/source.ts";

type NullableKey<Row> = { [Key in keyof Row]: null extends Row[Key] ? Key : never }[keyof Row];

type Present<Row> = Omit<Row, NullableKey<Row>> & { [Key in NullableKey<Row>]?: NonNullable<Row[Key]> };

/** A row as the domain reads it: what is null in the database is absent. */
export const withoutNulls = <Row extends object>(row: Row): Present<Row> =>
  // safe because only the fields that Present makes optional can hold null
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Present<Row>;

type FileColumns = { fileKey: string; sizeBytes: number; sha256: string; filename: string; facts: MediaFacts };

export const fileColumnsOf = ({ key, ...rest }: StoredFile): FileColumns => ({ fileKey: key, ...rest });

export const fileOf = ({ fileKey, sizeBytes, sha256, filename, facts }: FileColumns): StoredFile => ({
  key: fileKey,
  sizeBytes,
  sha256,
  filename,
  facts,
});
