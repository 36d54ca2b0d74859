ALTER TABLE "kept_answers" RENAME TO "idempotency_keys";--> statement-breakpoint
ALTER TABLE "idempotency_keys" RENAME COLUMN "steps" TO "checkpoints";--> statement-breakpoint
ALTER TABLE "idempotency_keys" DROP CONSTRAINT "kept_answers_user_id_users_id_fk";
--> statement-breakpoint
DROP INDEX "kept_answers_file_key_index";--> statement-breakpoint
DROP INDEX "kept_answers_expires_at_index";--> statement-breakpoint
ALTER TABLE "idempotency_keys" DROP CONSTRAINT "kept_answers_user_id_key_pk";--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_user_id_key_pk" PRIMARY KEY("user_id","key");--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "idempotency_keys_file_key_index" ON "idempotency_keys" USING btree ("file_key");--> statement-breakpoint
CREATE INDEX "idempotency_keys_expires_at_index" ON "idempotency_keys" USING btree ("expires_at");