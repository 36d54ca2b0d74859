CREATE TABLE "spend_by_day" (
	"user_id" text NOT NULL,
	"day" bigint NOT NULL,
	"project_id" text NOT NULL,
	"provider" text NOT NULL,
	"model" text NOT NULL,
	"cost" bigint NOT NULL,
	"reserved" bigint NOT NULL,
	"unknown" bigint NOT NULL,
	"calls" integer NOT NULL,
	"entries" integer NOT NULL,
	CONSTRAINT "spend_by_day_user_id_day_project_id_provider_model_pk" PRIMARY KEY("user_id","day","project_id","provider","model")
);
--> statement-breakpoint
CREATE FUNCTION spend_of(c upstream_calls, sign int) RETURNS spend_by_day LANGUAGE sql IMMUTABLE AS $$
  SELECT c.user_id, (c.created_at / 86400000) * 86400000, coalesce(c.project_id, ''), c.provider, c.model,
    sign * CASE WHEN c.state <> 'released' THEN c.cost ELSE 0 END,
    sign * CASE WHEN c.state = 'reserved' THEN coalesce(c.estimate, 0) ELSE 0 END,
    sign * CASE WHEN c.state = 'unknown' THEN coalesce(c.estimate, 0) ELSE 0 END,
    sign * CASE WHEN c.state = 'settled' THEN 1 ELSE 0 END,
    sign * CASE WHEN c.state <> 'released' THEN 1 ELSE 0 END
$$;
--> statement-breakpoint
CREATE FUNCTION keep_spend() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  change spend_by_day;
BEGIN
  IF TG_OP <> 'INSERT' THEN
    change := spend_of(OLD, -1);
    UPDATE spend_by_day s SET cost = s.cost + change.cost, reserved = s.reserved + change.reserved,
      unknown = s.unknown + change.unknown, calls = s.calls + change.calls, entries = s.entries + change.entries
      WHERE s.user_id = change.user_id AND s.day = change.day AND s.project_id = change.project_id
        AND s.provider = change.provider AND s.model = change.model;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO spend_by_day AS s SELECT (spend_of(NEW, 1)).*
      ON CONFLICT (user_id, day, project_id, provider, model) DO UPDATE
      SET cost = s.cost + excluded.cost, reserved = s.reserved + excluded.reserved,
        unknown = s.unknown + excluded.unknown, calls = s.calls + excluded.calls, entries = s.entries + excluded.entries;
  END IF;
  IF TG_OP = 'DELETE' OR TG_OP = 'UPDATE' AND OLD.project_id IS DISTINCT FROM NEW.project_id THEN
    DELETE FROM spend_by_day s WHERE s.user_id = change.user_id AND s.day = change.day
      AND s.project_id = change.project_id AND s.provider = change.provider AND s.model = change.model AND s.entries = 0;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER keep_spend AFTER INSERT OR DELETE OR UPDATE OF state, cost, estimate, project_id ON upstream_calls FOR EACH ROW EXECUTE FUNCTION keep_spend();
--> statement-breakpoint
INSERT INTO spend_by_day
  SELECT s.user_id, s.day, s.project_id, s.provider, s.model, sum(s.cost), sum(s.reserved), sum(s.unknown), sum(s.calls), sum(s.entries)
  FROM upstream_calls c, spend_of(c, 1) s GROUP BY 1, 2, 3, 4, 5;
