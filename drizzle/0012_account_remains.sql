CREATE TABLE "account_remains" (
	"id" text PRIMARY KEY NOT NULL,
	"folders" text[] NOT NULL
);
--> statement-breakpoint
CREATE INDEX "generated_media_user_id_index" ON "generated_media" USING btree ("user_id");