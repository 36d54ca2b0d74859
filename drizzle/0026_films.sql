CREATE TABLE "film_keys" (
	"film_id" text NOT NULL,
	"category" text NOT NULL,
	"sealed" text NOT NULL,
	CONSTRAINT "film_keys_film_id_category_pk" PRIMARY KEY("film_id","category")
);
--> statement-breakpoint
CREATE TABLE "film_steps" (
	"film_id" text NOT NULL,
	"id" text NOT NULL,
	"place" integer NOT NULL,
	"kind" text NOT NULL,
	"scene" integer,
	"status" text NOT NULL,
	"depends_on" json NOT NULL,
	"attempts" json NOT NULL,
	"checkpoints" json NOT NULL,
	"wish" json,
	"asset_id" text,
	"force" integer,
	CONSTRAINT "film_steps_film_id_id_pk" PRIMARY KEY("film_id","id")
);
--> statement-breakpoint
CREATE TABLE "films" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"project_id" text NOT NULL,
	"work_id" text NOT NULL,
	"name" text NOT NULL,
	"scopes" json NOT NULL,
	"order" json NOT NULL,
	"max_spend" bigint,
	"status" text NOT NULL,
	"waiting_for" text,
	"waiting_reason" text,
	"waiting_at" text,
	"approved" json NOT NULL,
	"export_id" text,
	"warnings" json NOT NULL,
	"failure" json,
	"attempt" integer NOT NULL,
	"revision" integer NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"ended_at" bigint
);
--> statement-breakpoint
ALTER TABLE "film_keys" ADD CONSTRAINT "film_keys_film_id_films_id_fk" FOREIGN KEY ("film_id") REFERENCES "public"."films"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "film_steps" ADD CONSTRAINT "film_steps_film_id_films_id_fk" FOREIGN KEY ("film_id") REFERENCES "public"."films"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "films" ADD CONSTRAINT "films_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "films" ADD CONSTRAINT "films_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "films_project_id_created_at_id_index" ON "films" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "films_user_id_index" ON "films" USING btree ("user_id");