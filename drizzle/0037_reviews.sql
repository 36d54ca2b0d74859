CREATE TABLE "review_comments" (
	"id" text PRIMARY KEY NOT NULL,
	"work_id" text NOT NULL,
	"review_id" text NOT NULL,
	"at" double precision NOT NULL,
	"text" text NOT NULL,
	"author" text NOT NULL,
	"resolved" boolean NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reviews" (
	"id" text PRIMARY KEY NOT NULL,
	"work_id" text NOT NULL,
	"hash" text NOT NULL,
	"export_id" text NOT NULL,
	"target" text NOT NULL,
	"name" text NOT NULL,
	"width" integer NOT NULL,
	"height" integer NOT NULL,
	"fps" double precision NOT NULL,
	"duration_seconds" double precision NOT NULL,
	"file_key" text,
	"size_bytes" bigint NOT NULL,
	"comment" boolean NOT NULL,
	"approve" boolean NOT NULL,
	"approval" json,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	CONSTRAINT "reviews_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
ALTER TABLE "review_comments" ADD CONSTRAINT "review_comments_work_id_works_id_fk" FOREIGN KEY ("work_id") REFERENCES "public"."works"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reviews" ADD CONSTRAINT "reviews_work_id_works_id_fk" FOREIGN KEY ("work_id") REFERENCES "public"."works"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "review_comments_work_id_created_at_id_index" ON "review_comments" USING btree ("work_id","created_at","id");--> statement-breakpoint
CREATE INDEX "review_comments_review_id_at_id_index" ON "review_comments" USING btree ("review_id","at","id");--> statement-breakpoint
CREATE INDEX "reviews_work_id_created_at_id_index" ON "reviews" USING btree ("work_id","created_at","id");--> statement-breakpoint
CREATE INDEX "reviews_expires_at_index" ON "reviews" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "reviews_file_key_index" ON "reviews" USING btree ("file_key");--> statement-breakpoint
-- The video of a link is a link to that of its export, as a response that is kept.
CREATE FUNCTION storage_of(r reviews) RETURNS SETOF stored LANGUAGE sql AS $$
	SELECT split_part(r.file_key, '/', 1), 'exports', r.size_bytes::text, 0, 1, r.size_bytes WHERE r.file_key IS NOT NULL
$$;--> statement-breakpoint
CREATE TRIGGER keep_storage AFTER INSERT OR DELETE OR UPDATE OF file_key ON reviews FOR EACH ROW EXECUTE FUNCTION keep_storage();
