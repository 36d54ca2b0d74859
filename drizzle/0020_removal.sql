ALTER TABLE "users" ALTER COLUMN "email" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "projects" ALTER COLUMN "user_id" DROP NOT NULL;--> statement-breakpoint
CREATE INDEX "users_removed_index" ON "users" USING btree ("id") WHERE "users"."email" is null;--> statement-breakpoint
CREATE INDEX "projects_removed_index" ON "projects" USING btree ("id") WHERE "projects"."user_id" is null;