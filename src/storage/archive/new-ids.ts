import { sha256Of } from "../../platform/sha256.ts";

/** Every id of the service, wherever it stands in a text: in a column, a document, a URL or the key of a file. */
const anyId = /\b([a-z]+)_([0-9a-f]{12})([0-9a-f]{20})(?![0-9a-f])/g;

/**
 * Returns a function that gives all ids in a text new ones, and `ownerId` that of the account `userId`. An id always gets
 * the same new one for an account, so that an import can be repeated. The time that an id begins with stays.
 */
export function idChanger(ownerId: string, userId: string): (text: string) => string {
  const newIdOf = (id: string, prefix: string, time: string) => {
    if (id === ownerId) return userId;
    const rest = sha256Of(`${userId}\n${id}`).slice(0, 20);
    return `${prefix}_${time}${rest}`;
  };
  return (text) => text.replaceAll(anyId, newIdOf);
}
