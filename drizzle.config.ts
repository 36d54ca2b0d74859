// read by drizzle-kit, which `bun run db:generate` fetches
export default {
  dialect: "postgresql",
  casing: "snake_case",
  schema: "./src/storage/tables/*.ts",
  out: "./drizzle",
};
