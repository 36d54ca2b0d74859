CREATE TABLE "session_cookies" (
	"hash" text PRIMARY KEY NOT NULL,
	"family_id" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "session_cookies" ADD CONSTRAINT "session_cookies_family_id_token_families_id_fk" FOREIGN KEY ("family_id") REFERENCES "public"."token_families"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "session_cookies_family_id_index" ON "session_cookies" USING btree ("family_id");