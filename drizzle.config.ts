import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  casing: "snake_case",
  schema: ["schema", "provider-tables", "export-tables"].map((file) => `./src/storage/database/${file}.ts`),
  out: "./drizzle",
});
