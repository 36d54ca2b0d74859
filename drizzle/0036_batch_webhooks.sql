ALTER TABLE "batches" ADD COLUMN "webhook" json;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "traceparent" text;--> statement-breakpoint
CREATE INDEX "batches_unfinished_index" ON "batches" USING btree ("status","waiting_for") WHERE status in ('validating', 'ready', 'waiting', 'running');