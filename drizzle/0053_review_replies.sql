ALTER TABLE "review_comments" ADD COLUMN "reply_to" bigint;--> statement-breakpoint
ALTER TABLE "reviews" ADD COLUMN "link_id" text;--> statement-breakpoint
CREATE INDEX "films_work_id_index" ON "films" USING btree ("work_id");--> statement-breakpoint
CREATE INDEX "reviews_link_id_index" ON "reviews" USING btree ("link_id");