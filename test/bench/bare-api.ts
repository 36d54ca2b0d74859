import { PGlite } from "@electric-sql/pglite";
import { Hono } from "hono";
import { jwtVerify } from "jose";
import pg from "pg";

/** The least that a server does for GET of a project: checks the access token and reads the row by one query. */
const [databaseUrl = "", folder = ""] = process.argv.slice(2);
const key = new TextEncoder().encode(process.env.JWT_SECRET);
const text = "SELECT * FROM projects WHERE id = $1 AND user_id = $2";
const find = databaseUrl ? findOnServer() : await findEmbedded();

function findOnServer() {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  return async (values: string[]) => (await pool.query({ name: "project", text, values })).rows[0];
}

async function findEmbedded() {
  const database = await PGlite.create(folder);
  return async (values: string[]) => (await database.query(text, values)).rows[0];
}

const app = new Hono().get("/api/projects/:id", async (c) => {
  const { payload } = await jwtVerify(c.req.header("authorization")?.slice("Bearer ".length) ?? "", key);
  const project = await find([c.req.param("id"), payload.sub ?? ""]);
  return project ? c.json(project) : c.notFound();
});

const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: app.fetch });
console.log(`address ${server.url.origin}`);
