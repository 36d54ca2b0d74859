import type { StoredFile } from "../../domain/files/file-store.ts";
import type { MediaFacts } from "../../timeline/source.ts";

type NullableKey<Row> = { [Key in keyof Row]: null extends Row[Key] ? Key : never }[keyof Row];

type WithoutNulls<Row> = Omit<Row, NullableKey<Row>> & { [Key in NullableKey<Row>]?: NonNullable<Row[Key]> };

/** Converts a row for the domain: a null column becomes an absent field. */
export const withoutNulls = <Row extends object>(row: Row): WithoutNulls<Row> =>
  // safe because only the fields that WithoutNulls makes optional can be null
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as WithoutNulls<Row>;

type FileColumns = { fileKey: string; sizeBytes: number; sha256: string; filename: string; facts: MediaFacts };

export const toFileColumns = ({ key, ...rest }: StoredFile): FileColumns => ({ fileKey: key, ...rest });

export const toStoredFile = ({ fileKey, sizeBytes, sha256, filename, facts }: FileColumns): StoredFile => ({
  key: fileKey,
  sizeBytes,
  sha256,
  filename,
  facts,
});
