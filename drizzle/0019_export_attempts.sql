ALTER TABLE "export_jobs" ADD COLUMN "ended_attempts" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "export_jobs" ADD COLUMN "failed_holder" text;--> statement-breakpoint
ALTER TABLE "export_jobs" ADD COLUMN "failed_at" bigint;