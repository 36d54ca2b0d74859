export const scopes = [
  "projects:read",
  "projects:write",
  "works:read",
  "works:write",
  "ai:analyze",
  "ai:generate",
] as const;

export type Scope = (typeof scopes)[number];
