CREATE TABLE "export_webhooks" (
	"export_id" text PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"secret" text,
	"state" text NOT NULL,
	"round" integer NOT NULL,
	"event_id" text,
	"event_type" text,
	"body" text
);
--> statement-breakpoint
CREATE TABLE "webhook_attempts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "webhook_attempts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"export_id" text NOT NULL,
	"at" bigint NOT NULL,
	"milliseconds" integer NOT NULL,
	"outcome" text NOT NULL,
	"status" integer,
	"reason" text
);
--> statement-breakpoint
ALTER TABLE "export_webhooks" ADD CONSTRAINT "export_webhooks_export_id_export_jobs_id_fk" FOREIGN KEY ("export_id") REFERENCES "public"."export_jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_export_id_export_webhooks_export_id_fk" FOREIGN KEY ("export_id") REFERENCES "public"."export_webhooks"("export_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_attempts_export_id_id_index" ON "webhook_attempts" USING btree ("export_id","id");