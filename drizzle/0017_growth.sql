ALTER TABLE "export_jobs" ADD COLUMN "options" json;--> statement-breakpoint
CREATE INDEX "upstream_calls_created_at_index" ON "upstream_calls" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "export_jobs_rendered_index" ON "export_jobs" USING btree (coalesce("options" ->> 'quality', 'standard'),"finished_at") WHERE "export_jobs"."status" = 'done' and "export_jobs"."frames_rendered" > 0;--> statement-breakpoint
CREATE INDEX "export_jobs_done_index" ON "export_jobs" USING btree ("user_id",coalesce("options" ->> 'quality', 'standard'),"finished_at") WHERE "export_jobs"."status" = 'done';--> statement-breakpoint
CREATE INDEX "assets_project_id_type_size_bytes_index" ON "assets" USING btree ("project_id","type","size_bytes");--> statement-breakpoint
CREATE INDEX "works_generating_index" ON "works" USING btree ("updated_at") WHERE "works"."generated_scenes"::text like '%"generating%';--> statement-breakpoint
UPDATE "export_jobs" SET "options" = "request" -> 'options' WHERE "id" IN (SELECT "id" FROM "export_jobs" WHERE "status" = 'done' AND "frames_rendered" > 0 ORDER BY "finished_at" DESC LIMIT 200);
