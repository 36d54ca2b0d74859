CREATE TABLE "generated_media" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"file_key" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"sha256" text NOT NULL,
	"filename" text NOT NULL,
	"facts" json NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "kept_answers" (
	"user_id" text NOT NULL,
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"claim_id" text NOT NULL,
	"leased_until" bigint NOT NULL,
	"steps" jsonb NOT NULL,
	"status" integer,
	"headers" json,
	"body" text,
	"file_key" text,
	"size_bytes" bigint,
	"expires_at" bigint NOT NULL,
	CONSTRAINT "kept_answers_user_id_key_pk" PRIMARY KEY("user_id","key")
);
--> statement-breakpoint
CREATE TABLE "upstream_calls" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"provider" text NOT NULL,
	"model" text NOT NULL,
	"purpose" text NOT NULL,
	"milliseconds" integer NOT NULL,
	"outcome" text NOT NULL,
	"input_tokens" integer,
	"output_tokens" integer,
	"seconds" double precision,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "generated_media" ADD CONSTRAINT "generated_media_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "kept_answers" ADD CONSTRAINT "kept_answers_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "upstream_calls" ADD CONSTRAINT "upstream_calls_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "generated_media_file_key_index" ON "generated_media" USING btree ("file_key");--> statement-breakpoint
CREATE INDEX "generated_media_expires_at_index" ON "generated_media" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "kept_answers_file_key_index" ON "kept_answers" USING btree ("file_key");--> statement-breakpoint
CREATE INDEX "kept_answers_expires_at_index" ON "kept_answers" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "upstream_calls_user_id_created_at_id_index" ON "upstream_calls" USING btree ("user_id","created_at","id");