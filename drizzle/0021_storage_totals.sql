CREATE TABLE "shared_files" (
	"owner_id" text NOT NULL,
	"kind" text NOT NULL,
	"key" text NOT NULL,
	"bytes" bigint NOT NULL,
	"originals" integer NOT NULL,
	"links" integer NOT NULL,
	CONSTRAINT "shared_files_owner_id_kind_key_pk" PRIMARY KEY("owner_id","kind","key")
);
--> statement-breakpoint
CREATE TABLE "storage_totals" (
	"owner_id" text NOT NULL,
	"kind" text NOT NULL,
	"files" bigint NOT NULL,
	"bytes" bigint NOT NULL,
	CONSTRAINT "storage_totals_owner_id_kind_pk" PRIMARY KEY("owner_id","kind")
);
--> statement-breakpoint
CREATE TYPE "stored" AS ("owner_id" text, "kind" text, "shared_key" text, "files" integer, "links" integer, "bytes" bigint);--> statement-breakpoint
-- A document counts whole once it is larger than what the service itself writes into one.
CREATE FUNCTION document_of(owner_id text, bytes integer) RETURNS SETOF stored LANGUAGE sql IMMUTABLE AS $$
	SELECT owner_id, 'documents', NULL::text, 1, 0, bytes::bigint WHERE bytes > 8192
$$;--> statement-breakpoint
-- What a row stores: files of a size or, with a shared key, originals or links of a file that counts once.
CREATE FUNCTION storage_of(r projects) RETURNS SETOF stored LANGUAGE sql AS $$
	SELECT * FROM document_of(r.id, octet_length(concat(
		r.name, r.system_prompt, r.analyzer_prompt, r.image_system_prompt, r.video_system_prompt, r.knowledge, r.style_guide)))
$$;--> statement-breakpoint
CREATE FUNCTION storage_of(r works) RETURNS SETOF stored LANGUAGE sql AS $$
	SELECT * FROM document_of(r.project_id, octet_length(concat(
		r.name, r.system_prompt, r.analyzer_prompt, r.image_system_prompt, r.video_system_prompt, r.product_name,
		r.product_description, r.target_audience, r.language, r.analysis, r.scenes, r.generated_scenes, r.editor_state,
		r.selected_asset_ids, r.resolution)))
$$;--> statement-breakpoint
CREATE FUNCTION storage_of(r templates) RETURNS SETOF stored LANGUAGE sql AS $$
	SELECT * FROM document_of(r.project_id, octet_length(concat(r.name, r.description, r.thumbnail, r.content, r.tags)))
$$;--> statement-breakpoint
CREATE FUNCTION storage_of(r export_jobs) RETURNS SETOF stored LANGUAGE sql AS $$
	SELECT * FROM document_of(r.project_id, octet_length(concat(r.request, r.captions)))
$$;--> statement-breakpoint
CREATE FUNCTION storage_of(r assets) RETURNS SETOF stored LANGUAGE sql AS $$
	SELECT r.project_id, 'assets', NULL::text, 1, 0, r.size_bytes
	UNION ALL SELECT r.project_id, 'workMedia', r.sha256, 1, 0, r.size_bytes
	UNION ALL SELECT * FROM document_of(r.project_id, octet_length(concat(r.name, r.tags, r.description, r.speech)))
$$;--> statement-breakpoint
-- With an origin and no model, it shows an asset. The folder of a file is its project.
CREATE FUNCTION storage_of(r work_media) RETURNS SETOF stored LANGUAGE sql AS $$
	SELECT split_part(r.file_key, '/', 1), 'workMedia', CASE WHEN is_link THEN r.sha256 END,
		CASE WHEN is_link THEN 0 ELSE 1 END, CASE WHEN is_link THEN 1 ELSE 0 END, r.size_bytes
	FROM (SELECT r.origin IS NOT NULL AND r.origin -> 'model' IS NULL) AS link(is_link)
$$;--> statement-breakpoint
CREATE FUNCTION storage_of(r generated_media) RETURNS SETOF stored LANGUAGE sql AS $$
	SELECT r.user_id, 'generatedMedia', NULL::text, 1, 0, r.size_bytes
$$;--> statement-breakpoint
CREATE FUNCTION storage_of(r export_files) RETURNS SETOF stored LANGUAGE sql AS $$
	SELECT split_part(r.file_key, '/', 1), 'exports', shared_key, 1, 0, r.size_bytes
	FROM (VALUES (NULL::text), (r.size_bytes::text)) AS counted(shared_key)
$$;--> statement-breakpoint
-- A response that is kept is a link to the video of an export.
CREATE FUNCTION storage_of(r idempotency_keys) RETURNS SETOF stored LANGUAGE sql AS $$
	SELECT split_part(r.file_key, '/', 1), 'exports', r.size_bytes::text, 0, 1, r.size_bytes WHERE r.file_key IS NOT NULL
$$;--> statement-breakpoint
-- Of videos of one size, as many responses are shared as there are exports.
CREATE FUNCTION counted_links(kind text, originals bigint, links bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN kind = 'exports' THEN greatest(links - originals, 0) WHEN originals > 0 THEN 0 ELSE least(links, 1) END
$$;--> statement-breakpoint
-- The user of a project or a user, if both are there.
CREATE FUNCTION user_of(owner_id text) RETURNS text LANGUAGE sql AS $$
	SELECT id FROM users WHERE id IN (owner_id, (SELECT user_id FROM projects WHERE projects.id = owner_id))
$$;--> statement-breakpoint
-- The user who stores it, whose changes of totals then follow each other; null for what is removed.
CREATE FUNCTION lock_storage(owner_id text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pg_advisory_xact_lock(hashtextextended('storage of ' || user_of(owner_id), 0));
	-- it may have been removed meanwhile
	RETURN user_of(owner_id);
END
$$;--> statement-breakpoint
CREATE FUNCTION keep_storage() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	changes stored[] := '{}';
	change record;
	user_id text;
	shared record;
BEGIN
	IF tg_op <> 'INSERT' THEN
		changes := array(SELECT (s.owner_id, s.kind, s.shared_key, -s.files, -s.links, s.bytes)::stored FROM storage_of(old) s);
	END IF;
	IF tg_op <> 'DELETE' THEN
		changes := changes || array(SELECT s::stored FROM storage_of(new) s);
	END IF;
	FOR change IN
		SELECT c.owner_id, c.kind, c.shared_key, sum(c.files) AS files, sum(c.links) AS links,
			sum(c.files * c.bytes) AS bytes, max(c.bytes) AS size
		FROM unnest(changes) c GROUP BY 1, 2, 3
		HAVING sum(c.files) <> 0 OR sum(c.links) <> 0 OR sum(c.files * c.bytes) <> 0
	LOOP
		user_id := lock_storage(change.owner_id);
		IF change.shared_key IS NOT NULL THEN
			INSERT INTO shared_files AS s
			VALUES (change.owner_id, change.kind, change.shared_key, change.size, change.files, change.links)
			ON CONFLICT (owner_id, kind, key) DO UPDATE
			SET originals = s.originals + excluded.originals, links = s.links + excluded.links
			RETURNING * INTO shared;
			change.files := counted_links(shared.kind, shared.originals, shared.links)
				- counted_links(shared.kind, (shared.originals - change.files)::bigint, (shared.links - change.links)::bigint);
			change.bytes := change.files * shared.bytes;
			DELETE FROM shared_files s WHERE s.owner_id = shared.owner_id AND s.kind = shared.kind AND s.key = shared.key
				AND s.originals = 0 AND s.links = 0;
		END IF;
		CONTINUE WHEN user_id IS NULL OR change.files = 0 AND change.bytes = 0;
		INSERT INTO storage_totals AS t
		SELECT owner.id, change.kind, change.files, change.bytes
		FROM (SELECT change.owner_id AS id UNION SELECT user_id) AS owner
		ON CONFLICT (owner_id, kind) DO UPDATE SET files = t.files + excluded.files, bytes = t.bytes + excluded.bytes;
	END LOOP;
	RETURN NULL;
END
$$;--> statement-breakpoint
-- Nothing of a removed project counts. No project goes to another user.
CREATE FUNCTION remove_storage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF tg_op = 'UPDATE' AND new.user_id IS NOT NULL THEN RETURN NULL; END IF;
	IF lock_storage(old.user_id) IS NOT NULL THEN
		INSERT INTO storage_totals AS t
		SELECT old.user_id, kind, -files, -bytes FROM storage_totals WHERE owner_id = old.id
		ON CONFLICT (owner_id, kind) DO UPDATE SET files = t.files + excluded.files, bytes = t.bytes + excluded.bytes;
	END IF;
	DELETE FROM storage_totals WHERE owner_id = old.id;
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE FUNCTION remove_storage_of_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM storage_totals WHERE owner_id = old.id;
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER keep_storage AFTER INSERT OR UPDATE OR DELETE ON projects FOR EACH ROW EXECUTE FUNCTION keep_storage();--> statement-breakpoint
CREATE TRIGGER keep_storage AFTER INSERT OR UPDATE OR DELETE ON works FOR EACH ROW EXECUTE FUNCTION keep_storage();--> statement-breakpoint
CREATE TRIGGER keep_storage AFTER INSERT OR UPDATE OR DELETE ON templates FOR EACH ROW EXECUTE FUNCTION keep_storage();--> statement-breakpoint
CREATE TRIGGER keep_storage AFTER INSERT OR UPDATE OR DELETE ON assets FOR EACH ROW EXECUTE FUNCTION keep_storage();--> statement-breakpoint
CREATE TRIGGER keep_storage AFTER INSERT OR UPDATE OR DELETE ON work_media FOR EACH ROW EXECUTE FUNCTION keep_storage();--> statement-breakpoint
CREATE TRIGGER keep_storage AFTER INSERT OR UPDATE OR DELETE ON generated_media FOR EACH ROW EXECUTE FUNCTION keep_storage();--> statement-breakpoint
CREATE TRIGGER keep_storage AFTER INSERT OR UPDATE OR DELETE ON export_files FOR EACH ROW EXECUTE FUNCTION keep_storage();--> statement-breakpoint
CREATE TRIGGER keep_storage AFTER INSERT OR DELETE OR UPDATE OF request, captions ON export_jobs FOR EACH ROW EXECUTE FUNCTION keep_storage();--> statement-breakpoint
CREATE TRIGGER keep_storage AFTER INSERT OR DELETE OR UPDATE OF file_key, size_bytes ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION keep_storage();--> statement-breakpoint
CREATE TRIGGER remove_storage AFTER DELETE OR UPDATE OF user_id ON projects FOR EACH ROW EXECUTE FUNCTION remove_storage();--> statement-breakpoint
CREATE TRIGGER remove_storage AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION remove_storage_of_user();--> statement-breakpoint
CREATE TEMPORARY TABLE stored_now ON COMMIT DROP AS
	SELECT s.* FROM projects r, storage_of(r) s
	UNION ALL SELECT s.* FROM works r, storage_of(r) s
	UNION ALL SELECT s.* FROM templates r, storage_of(r) s
	UNION ALL SELECT s.* FROM assets r, storage_of(r) s
	UNION ALL SELECT s.* FROM work_media r, storage_of(r) s
	UNION ALL SELECT s.* FROM generated_media r, storage_of(r) s
	UNION ALL SELECT s.* FROM export_jobs r, storage_of(r) s
	UNION ALL SELECT s.* FROM export_files r, storage_of(r) s
	UNION ALL SELECT s.* FROM idempotency_keys r, storage_of(r) s;--> statement-breakpoint
INSERT INTO shared_files
SELECT owner_id, kind, shared_key, max(bytes), sum(files), sum(links) FROM stored_now
WHERE shared_key IS NOT NULL GROUP BY 1, 2, 3;--> statement-breakpoint
INSERT INTO storage_totals
SELECT owner_id, kind, sum(files), sum(files * counted.bytes) FROM (
	SELECT owner_id, kind, files::bigint, bytes FROM stored_now WHERE shared_key IS NULL
	UNION ALL SELECT owner_id, kind, counted_links(kind, originals, links), bytes FROM shared_files
) AS counted
LEFT JOIN projects ON projects.id = owner_id
WHERE starts_with(owner_id, 'user_') OR projects.user_id IS NOT NULL
GROUP BY 1, 2 HAVING sum(files) > 0;--> statement-breakpoint
INSERT INTO storage_totals
SELECT projects.user_id, kind, sum(files), sum(bytes) FROM storage_totals JOIN projects ON projects.id = owner_id GROUP BY 1, 2;
