-- Films are counted as they change: a page of full tables says how many there are.
LOCK TABLE "batch_items" IN SHARE ROW EXCLUSIVE MODE;--> statement-breakpoint
CREATE TABLE "batch_counts" (
	"batch_id" text NOT NULL,
	"status" text NOT NULL,
	"films" integer NOT NULL,
	"frames" bigint NOT NULL,
	CONSTRAINT "batch_counts_batch_id_status_pk" PRIMARY KEY("batch_id","status")
);
--> statement-breakpoint
DROP INDEX "batch_items_batch_id_status_place_frames_index";--> statement-breakpoint
CREATE INDEX "batch_items_batch_id_status_place_index" ON "batch_items" USING btree ("batch_id","status","place");--> statement-breakpoint
CREATE INDEX "assets_hash_index" ON "assets" USING btree ("project_id",left("sha256", 12));--> statement-breakpoint
-- In order, as all statements lock the counts.
CREATE FUNCTION count_films() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO batch_counts AS c
	SELECT batch_id, status, count(*), sum(frames) FROM added GROUP BY 1, 2 ORDER BY 1, 2
	ON CONFLICT (batch_id, status) DO UPDATE SET films = c.films + excluded.films, frames = c.frames + excluded.frames;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION count_changed_films() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO batch_counts AS c
	SELECT batch_id, status, sum(films), sum(frames)
	FROM (SELECT batch_id, status, 1 AS films, frames FROM added
		UNION ALL SELECT batch_id, status, -1, -frames FROM removed) AS changed
	GROUP BY 1, 2 HAVING sum(films) <> 0 OR sum(frames) <> 0 ORDER BY 1, 2
	ON CONFLICT (batch_id, status) DO UPDATE SET films = c.films + excluded.films, frames = c.frames + excluded.frames;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE FUNCTION count_removed_films() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO batch_counts AS c
	SELECT batch_id, status, -count(*), -sum(frames) FROM removed GROUP BY 1, 2 ORDER BY 1, 2
	ON CONFLICT (batch_id, status) DO UPDATE SET films = c.films + excluded.films, frames = c.frames + excluded.frames;
	DELETE FROM batch_counts WHERE batch_id IN (SELECT batch_id FROM removed) AND films = 0;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER count_films AFTER INSERT ON batch_items
	REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_films();--> statement-breakpoint
CREATE TRIGGER count_changed_films AFTER UPDATE ON batch_items
	REFERENCING NEW TABLE AS added OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_changed_films();--> statement-breakpoint
CREATE TRIGGER count_removed_films AFTER DELETE ON batch_items
	REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_removed_films();--> statement-breakpoint
INSERT INTO batch_counts SELECT batch_id, status, count(*), sum(frames) FROM batch_items GROUP BY 1, 2;
