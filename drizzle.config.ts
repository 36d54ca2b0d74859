// read by drizzle-kit, which `bun run db:generate` runs
export default {
  dialect: "postgresql",
  casing: "snake_case",
  schema: "./src/storage/tables/*.ts",
  out: "./drizzle",
};
