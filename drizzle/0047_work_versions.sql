CREATE TABLE "work_versions" (
	"id" text PRIMARY KEY NOT NULL,
	"work_id" text NOT NULL,
	"saved_at" bigint NOT NULL,
	"size_bytes" integer NOT NULL,
	"scenes" json NOT NULL,
	"editor_state" json NOT NULL
);
--> statement-breakpoint
ALTER TABLE "work_versions" ADD CONSTRAINT "work_versions_work_id_works_id_fk" FOREIGN KEY ("work_id") REFERENCES "public"."works"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "work_versions_work_id_saved_at_id_index" ON "work_versions" USING btree ("work_id","saved_at","id");