type Defined<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name];
} & { [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined> };

/** Without the fields that are undefined: spread over another object, these would hide its own. */
export const withoutUndefined = <Fields extends object>(fields: Fields): Defined<Fields> =>
  // safe because only fields are removed that Defined makes optional
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>;
