CREATE TABLE "export_runs" (
	"export_id" text NOT NULL,
	"attempt" integer NOT NULL,
	"number" integer NOT NULL,
	"first_segment" integer NOT NULL,
	"last_segment" integer NOT NULL,
	"content" text NOT NULL,
	"is_finished" boolean NOT NULL,
	"holder_id" text,
	"leased_until" bigint,
	CONSTRAINT "export_runs_export_id_number_pk" PRIMARY KEY("export_id","number")
);
--> statement-breakpoint
ALTER TABLE "export_runs" ADD CONSTRAINT "export_runs_export_id_export_jobs_id_fk" FOREIGN KEY ("export_id") REFERENCES "public"."export_jobs"("id") ON DELETE cascade ON UPDATE no action;