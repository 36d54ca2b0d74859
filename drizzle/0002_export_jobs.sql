CREATE TABLE "export_files" (
	"export_id" text NOT NULL,
	"target" text NOT NULL,
	"file_key" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	CONSTRAINT "export_files_export_id_target_pk" PRIMARY KEY("export_id","target")
);
--> statement-breakpoint
CREATE TABLE "export_jobs" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"project_id" text NOT NULL,
	"work_id" text NOT NULL,
	"name" text NOT NULL,
	"scopes" json NOT NULL,
	"request" json NOT NULL,
	"status" text NOT NULL,
	"frames" integer NOT NULL,
	"frames_done" integer NOT NULL,
	"frames_rendered" integer NOT NULL,
	"warnings" json NOT NULL,
	"failure" json,
	"attempt" integer NOT NULL,
	"revision" integer NOT NULL,
	"created_at" bigint NOT NULL,
	"started_at" bigint,
	"finished_at" bigint,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "export_files" ADD CONSTRAINT "export_files_export_id_export_jobs_id_fk" FOREIGN KEY ("export_id") REFERENCES "public"."export_jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "export_jobs" ADD CONSTRAINT "export_jobs_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "export_jobs" ADD CONSTRAINT "export_jobs_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "export_files_file_key_index" ON "export_files" USING btree ("file_key");--> statement-breakpoint
CREATE INDEX "export_jobs_user_id_created_at_id_index" ON "export_jobs" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "export_jobs_project_id_index" ON "export_jobs" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "export_jobs_status_index" ON "export_jobs" USING btree ("status");--> statement-breakpoint
CREATE INDEX "export_jobs_expires_at_index" ON "export_jobs" USING btree ("expires_at");