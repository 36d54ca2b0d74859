import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  casing: "snake_case",
  schema: "./src/storage/database/tables/*.ts",
  out: "./drizzle",
});
