CREATE TABLE "project_budgets" (
	"project_id" text PRIMARY KEY NOT NULL,
	"max_spend" bigint NOT NULL,
	"period" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "spend_days" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "spend_days_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"user_id" text NOT NULL,
	"day" bigint NOT NULL,
	"project_id" text,
	"provider" text NOT NULL,
	"model" text NOT NULL,
	"cost" bigint NOT NULL,
	"unknown" bigint NOT NULL,
	"calls" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "spend_totals" (
	"user_id" text NOT NULL,
	"scope" text NOT NULL,
	"scope_id" text NOT NULL,
	"period" text NOT NULL,
	"spent" bigint NOT NULL,
	"reserved" bigint NOT NULL,
	"unknown" bigint NOT NULL,
	CONSTRAINT "spend_totals_scope_scope_id_period_pk" PRIMARY KEY("scope","scope_id","period")
);
--> statement-breakpoint
ALTER TABLE "upstream_calls" ALTER COLUMN "milliseconds" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "upstream_calls" ALTER COLUMN "outcome" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "cost" text;--> statement-breakpoint
ALTER TABLE "upstream_calls" ADD COLUMN "project_id" text;--> statement-breakpoint
ALTER TABLE "upstream_calls" ADD COLUMN "work_id" text;--> statement-breakpoint
ALTER TABLE "upstream_calls" ADD COLUMN "film_id" text;--> statement-breakpoint
ALTER TABLE "upstream_calls" ADD COLUMN "step_id" text;--> statement-breakpoint
ALTER TABLE "upstream_calls" ADD COLUMN "state" text DEFAULT 'settled' NOT NULL;--> statement-breakpoint
ALTER TABLE "upstream_calls" ADD COLUMN "estimate" bigint;--> statement-breakpoint
ALTER TABLE "upstream_calls" ADD COLUMN "cost" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "upstream_calls" ADD COLUMN "job" text;--> statement-breakpoint
ALTER TABLE "upstream_calls" ADD COLUMN "holder_id" text;--> statement-breakpoint
ALTER TABLE "upstream_calls" ADD COLUMN "images" integer;--> statement-breakpoint
ALTER TABLE "upstream_calls" ADD COLUMN "characters" integer;--> statement-breakpoint
ALTER TABLE "project_budgets" ADD CONSTRAINT "project_budgets_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "spend_days" ADD CONSTRAINT "spend_days_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "spend_days" ADD CONSTRAINT "spend_days_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "spend_totals" ADD CONSTRAINT "spend_totals_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "spend_days_user_id_day_index" ON "spend_days" USING btree ("user_id","day");--> statement-breakpoint
CREATE INDEX "spend_days_project_id_index" ON "spend_days" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "spend_totals_user_id_index" ON "spend_totals" USING btree ("user_id");--> statement-breakpoint
ALTER TABLE "upstream_calls" ADD CONSTRAINT "upstream_calls_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "upstream_calls_project_id_created_at_index" ON "upstream_calls" USING btree ("project_id","created_at");--> statement-breakpoint
CREATE INDEX "upstream_calls_film_id_index" ON "upstream_calls" USING btree ("film_id");--> statement-breakpoint
CREATE INDEX "upstream_calls_reserved_index" ON "upstream_calls" USING btree ("holder_id") WHERE "upstream_calls"."state" = 'reserved';--> statement-breakpoint
CREATE INDEX "upstream_calls_job_index" ON "upstream_calls" USING btree ("user_id","job") WHERE "upstream_calls"."job" is not null;