CREATE TABLE "renders" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"project_id" text NOT NULL,
	"api" text NOT NULL,
	"scopes" json NOT NULL,
	"edit" json,
	"repeated" json NOT NULL,
	"webhook_url" text,
	"work_id" text,
	"export_id" text NOT NULL,
	"state" text NOT NULL,
	"error" text,
	"attempt" integer NOT NULL,
	"created_at" bigint NOT NULL,
	"ended_at" bigint,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "renders" ADD CONSTRAINT "renders_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "renders" ADD CONSTRAINT "renders_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "renders_user_id_state_index" ON "renders" USING btree ("user_id","state");--> statement-breakpoint
CREATE INDEX "renders_project_id_index" ON "renders" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "renders_export_id_index" ON "renders" USING btree ("export_id");--> statement-breakpoint
CREATE INDEX "renders_expires_at_index" ON "renders" USING btree ("expires_at");