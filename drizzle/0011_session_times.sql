-- The times of sessions that are older than their columns: those of their tokens.
UPDATE "token_families" SET "created_at" = "times"."first", "last_used_at" = "times"."last"
FROM (
	SELECT "family_id", min("created_at") AS "first", max("created_at") AS "last" FROM "refresh_tokens" GROUP BY "family_id"
) AS "times"
WHERE "times"."family_id" = "token_families"."id";
