-- The exports of a project and of a user are counted as what they store is: a list of 100,000 says how many there are.
LOCK TABLE export_jobs IN SHARE ROW EXCLUSIVE MODE;--> statement-breakpoint
CREATE OR REPLACE FUNCTION storage_of(r export_jobs) RETURNS SETOF stored LANGUAGE sql AS $$
	SELECT r.project_id, 'exportJobs', NULL::text, 1, 0, 0::bigint
	UNION ALL SELECT * FROM document_of(r.project_id, octet_length(concat(r.request, r.captions)))
$$;--> statement-breakpoint
INSERT INTO storage_totals
SELECT project_id, 'exportJobs', count(*), 0 FROM export_jobs JOIN projects ON projects.id = project_id
WHERE projects.user_id IS NOT NULL GROUP BY 1;--> statement-breakpoint
INSERT INTO storage_totals
SELECT projects.user_id, kind, sum(files), 0 FROM storage_totals JOIN projects ON projects.id = owner_id
WHERE kind = 'exportJobs' GROUP BY 1, 2;
