/** The types of files that the service stores. */
export const mediaTypes = ["image/*", "video/*", "audio/*", "font/*"];
