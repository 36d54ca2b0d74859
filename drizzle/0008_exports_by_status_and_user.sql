DROP INDEX "export_jobs_status_index";--> statement-breakpoint
CREATE INDEX "export_jobs_status_user_id_index" ON "export_jobs" USING btree ("status","user_id");