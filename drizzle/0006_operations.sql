CREATE TABLE "operations" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"scopes" text[] NOT NULL,
	"leased_until" bigint NOT NULL,
	"status" integer,
	"body" text,
	"created_at" bigint NOT NULL,
	"ended_at" bigint,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "operations" ADD CONSTRAINT "operations_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "operations_user_id_created_at_index" ON "operations" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "operations_expires_at_index" ON "operations" USING btree ("expires_at");