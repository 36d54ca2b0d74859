CREATE TABLE "batch_bases" (
	"batch_id" text NOT NULL,
	"language" text NOT NULL,
	"request" json NOT NULL,
	CONSTRAINT "batch_bases_batch_id_language_pk" PRIMARY KEY("batch_id","language")
);
--> statement-breakpoint
CREATE TABLE "batch_items" (
	"id" text PRIMARY KEY NOT NULL,
	"batch_id" text NOT NULL,
	"project_id" text NOT NULL,
	"place" integer NOT NULL,
	"row" integer NOT NULL,
	"key" text NOT NULL,
	"language" text NOT NULL,
	"target" text NOT NULL,
	"file_name" text NOT NULL,
	"status" text NOT NULL,
	"identity" text,
	"values" json NOT NULL,
	"text_length" integer NOT NULL,
	"frames" integer NOT NULL,
	"is_preview" boolean NOT NULL,
	"export_id" text,
	"sha256" text,
	"size_bytes" bigint,
	"warnings" json NOT NULL,
	"errors" json NOT NULL,
	"failure" json,
	"approval" text NOT NULL,
	"note" text,
	CONSTRAINT "batch_items_batchId_place_unique" UNIQUE("batch_id","place")
);
--> statement-breakpoint
CREATE TABLE "batch_rows" (
	"batch_id" text NOT NULL,
	"row" integer NOT NULL,
	"key" text NOT NULL,
	"cells" json NOT NULL,
	CONSTRAINT "batch_rows_batch_id_row_pk" PRIMARY KEY("batch_id","row")
);
--> statement-breakpoint
CREATE TABLE "batches" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"project_id" text NOT NULL,
	"work_id" text NOT NULL,
	"name" text NOT NULL,
	"scopes" json NOT NULL,
	"order" json NOT NULL,
	"rows" integer NOT NULL,
	"table_bytes" bigint NOT NULL,
	"checked" integer NOT NULL,
	"recheck" json,
	"seconds" double precision NOT NULL,
	"status" text NOT NULL,
	"waiting_for" text,
	"waiting_reason" text,
	"waiting_at" text,
	"approved" json NOT NULL,
	"attempt" integer NOT NULL,
	"revision" integer NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"ended_at" bigint
);
--> statement-breakpoint
ALTER TABLE "export_jobs" ADD COLUMN "batch_id" text;--> statement-breakpoint
ALTER TABLE "batch_bases" ADD CONSTRAINT "batch_bases_batch_id_batches_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "batch_items" ADD CONSTRAINT "batch_items_batch_id_batches_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "batch_rows" ADD CONSTRAINT "batch_rows_batch_id_batches_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "batches" ADD CONSTRAINT "batches_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "batches" ADD CONSTRAINT "batches_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "batch_items_batch_id_status_place_index" ON "batch_items" USING btree ("batch_id","status","place");--> statement-breakpoint
CREATE INDEX "batch_items_made_index" ON "batch_items" USING btree ("project_id","identity") WHERE "batch_items"."status" in ('done', 'unchanged');--> statement-breakpoint
CREATE INDEX "batch_items_export_id_index" ON "batch_items" USING btree ("export_id");--> statement-breakpoint
CREATE INDEX "batches_project_id_created_at_id_index" ON "batches" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "batches_user_id_index" ON "batches" USING btree ("user_id");--> statement-breakpoint
-- The table and the bases of a batch.
CREATE FUNCTION storage_of(r batches) RETURNS SETOF stored LANGUAGE sql AS $$
	SELECT r.project_id, 'documents', NULL::text, 1, 0, r.table_bytes WHERE r.table_bytes > 8192
$$;--> statement-breakpoint
CREATE TRIGGER keep_storage AFTER INSERT OR DELETE ON batches FOR EACH ROW EXECUTE FUNCTION keep_storage();
