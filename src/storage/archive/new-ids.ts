import { sha256Of } from "../../platform/values.ts";

/** Every id of the service, anywhere in a text: in a column, a document, a URL or the key of a file. */
const anyId = /\b([a-z]+)_([0-9a-f]{12})([0-9a-f]{20})(?![0-9a-f])/g;

/**
 * Returns a function that replaces all ids in a text, and `ownerId` by the account `userId`. For one account, an id
 * always gets the same new id, so that an import can be repeated. The time at the start of an id stays.
 */
export function idChanger(ownerId: string, userId: string): (text: string) => string {
  const newIdOf = (id: string, prefix: string, time: string) => {
    if (id === ownerId) return userId;
    const rest = sha256Of(`${userId}\n${id}`).slice(0, 20);
    return `${prefix}_${time}${rest}`;
  };
  return (text) => text.replaceAll(anyId, newIdOf);
}
