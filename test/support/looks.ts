import { readLooks } from "../../src/readers/looks/read-looks.ts";

/** The looks of the service. */
export const looks = readLooks(`${import.meta.dir}/../../src/looks`);
