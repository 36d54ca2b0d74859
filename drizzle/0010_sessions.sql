DROP INDEX "token_families_user_id_index";--> statement-breakpoint
ALTER TABLE "token_families" ADD COLUMN "user_agent" text;--> statement-breakpoint
ALTER TABLE "token_families" ADD COLUMN "created_at" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "token_families" ADD COLUMN "last_used_at" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "token_families_user_id_created_at_id_index" ON "token_families" USING btree ("user_id","created_at","id");