type Defined<Fields> = {
  [Name in keyof Fields as undefined extends Fields[Name] ? never : Name]: Fields[Name];
} & { [Name in keyof Fields as undefined extends Fields[Name] ? Name : never]?: Exclude<Fields[Name], undefined> };

/** Removes undefined fields, which would hide those of an object that they are spread over. */
export const withoutUndefined = <Fields extends object>(fields: Fields): Defined<Fields> =>
  // safe because only fields are removed that Defined makes optional
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>;
