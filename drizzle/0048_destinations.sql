CREATE TABLE "deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"export_id" text NOT NULL,
	"user_id" text NOT NULL,
	"project_id" text NOT NULL,
	"target" text NOT NULL,
	"type" text NOT NULL,
	"destination" text,
	"address" text NOT NULL,
	"wishes" json NOT NULL,
	"require_gate" boolean NOT NULL,
	"dry_run" boolean NOT NULL,
	"sealed" text,
	"status" text NOT NULL,
	"attempt" integer NOT NULL,
	"progress" json NOT NULL,
	"failure" json,
	"result" json,
	"plan" json,
	"retry_at" bigint,
	"created_at" bigint NOT NULL,
	"begun_at" bigint,
	"ended_at" bigint,
	CONSTRAINT "deliveries_address" UNIQUE("export_id","target","address")
);
--> statement-breakpoint
CREATE TABLE "destinations" (
	"project_id" text NOT NULL,
	"name" text NOT NULL,
	"settings" json NOT NULL,
	"sealed" text,
	"hint" text,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "destinations_project_id_name_pk" PRIMARY KEY("project_id","name")
);
--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "destinations" json;--> statement-breakpoint
ALTER TABLE "films" ADD COLUMN "destinations" json;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_export_id_export_jobs_id_fk" FOREIGN KEY ("export_id") REFERENCES "public"."export_jobs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "destinations" ADD CONSTRAINT "destinations_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deliveries_project_id_index" ON "deliveries" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "deliveries_user_id_index" ON "deliveries" USING btree ("user_id");