CREATE TABLE "batch_keys" (
	"batch_id" text NOT NULL,
	"category" text NOT NULL,
	"sealed" text NOT NULL,
	CONSTRAINT "batch_keys_batch_id_category_pk" PRIMARY KEY("batch_id","category")
);
--> statement-breakpoint
CREATE TABLE "batch_translations" (
	"batch_id" text NOT NULL,
	"hash" text NOT NULL,
	"place" bigint GENERATED ALWAYS AS IDENTITY (sequence name "batch_translations_place_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	CONSTRAINT "batch_translations_batch_id_hash_pk" PRIMARY KEY("batch_id","hash")
);
--> statement-breakpoint
CREATE TABLE "translations" (
	"project_id" text NOT NULL,
	"hash" text NOT NULL,
	"language" text NOT NULL,
	"text" text NOT NULL,
	"translation" text NOT NULL,
	CONSTRAINT "translations_project_id_hash_pk" PRIMARY KEY("project_id","hash")
);
--> statement-breakpoint
ALTER TABLE "batches" ALTER COLUMN "work_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "batch_bases" ADD COLUMN "texts" json;--> statement-breakpoint
ALTER TABLE "batch_items" ADD COLUMN "film_id" text;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "max_spend" bigint;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "estimate" json;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "checkpoints" json DEFAULT '{}'::json NOT NULL;--> statement-breakpoint
ALTER TABLE "films" ADD COLUMN "batch_id" text;--> statement-breakpoint
ALTER TABLE "upstream_calls" ADD COLUMN "batch_id" text;--> statement-breakpoint
ALTER TABLE "batch_keys" ADD CONSTRAINT "batch_keys_batch_id_batches_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "batch_translations" ADD CONSTRAINT "batch_translations_batch_id_batches_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batches"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "translations" ADD CONSTRAINT "translations_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "batch_items_film_id_index" ON "batch_items" USING btree ("film_id");--> statement-breakpoint
CREATE INDEX "films_batch_id_index" ON "films" USING btree ("batch_id");--> statement-breakpoint
CREATE INDEX "upstream_calls_batch_id_index" ON "upstream_calls" USING btree ("batch_id");