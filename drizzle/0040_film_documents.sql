-- The order of a film is a document of its project.
LOCK TABLE films IN SHARE ROW EXCLUSIVE MODE;--> statement-breakpoint
CREATE FUNCTION storage_of(r films) RETURNS SETOF stored LANGUAGE sql AS $$
	SELECT * FROM document_of(r.project_id, octet_length(r."order"::text))
$$;--> statement-breakpoint
CREATE TRIGGER keep_storage AFTER INSERT OR DELETE OR UPDATE OF "order" ON films FOR EACH ROW EXECUTE FUNCTION keep_storage();--> statement-breakpoint
INSERT INTO storage_totals AS t
SELECT owner.id, 'documents', count(*), sum(stored.bytes) FROM films
JOIN projects ON projects.id = films.project_id AND projects.user_id IS NOT NULL
CROSS JOIN LATERAL storage_of(films) AS stored
CROSS JOIN LATERAL unnest(ARRAY[projects.id, projects.user_id]) AS owner(id)
GROUP BY owner.id
ON CONFLICT (owner_id, kind) DO UPDATE SET files = t.files + excluded.files, bytes = t.bytes + excluded.bytes;
