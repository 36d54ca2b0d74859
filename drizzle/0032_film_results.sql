CREATE TABLE "film_results" (
	"project_id" text NOT NULL,
	"hash" text NOT NULL,
	"film_id" text,
	"output" json,
	"sha256" text,
	CONSTRAINT "film_results_project_id_hash_pk" PRIMARY KEY("project_id","hash")
);
--> statement-breakpoint
ALTER TABLE "film_results" ADD CONSTRAINT "film_results_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "film_results" ADD CONSTRAINT "film_results_film_id_films_id_fk" FOREIGN KEY ("film_id") REFERENCES "public"."films"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "film_results_film_id_index" ON "film_results" USING btree ("film_id");