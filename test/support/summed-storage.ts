import { sql } from "drizzle-orm";
import { nothingStored, type StorageUsage } from "../../src/domain/files/storage.ts";
import type { Database } from "../../src/storage/database/database.ts";

/** What a user stores by the rows that are there, without the totals that are kept. */
export async function summedStorage(db: Database, userId: string): Promise<StorageUsage> {
  const found = await db.execute(sql`
    with project as (
      select * from projects where user_id = ${userId}
    ), asset as (
      select assets.* from assets join project on project.id = project_id
    ), medium as (
      select project_id, sha256, size_bytes, origin is not null and origin -> 'model' is null as is_link
      from work_media join works on works.id = work_media.work_id join project on project.id = project_id
    ), medium_once as (
      select size_bytes from medium where not is_link
      union all
      select size_bytes from (select distinct project_id, sha256, size_bytes from medium where is_link) as link
      where not exists (select from asset where asset.project_id = link.project_id and asset.sha256 = link.sha256)
    ), video as (
      select project_id, size_bytes from export_files join export_jobs on export_jobs.id = export_files.export_id
      join project on project.id = project_id
    ), copy as (
      select file_key, size_bytes from idempotency_keys union all select file_key, size_bytes from reviews
    ), response as (
      select project.id as project_id, size_bytes, row_number() over (partition by project.id, size_bytes) as number
      from copy join project on project.id = split_part(file_key, '/', 1)
    ), video_once as (
      select size_bytes from video
      union all
      select size_bytes from response where number > (
        select count(*) from video where video.size_bytes = response.size_bytes and video.project_id = response.project_id)
    ), document as (
      select octet_length(concat(name, system_prompt, analyzer_prompt, image_system_prompt, video_system_prompt, knowledge,
        style_guide)) as bytes from project
      union all
      select octet_length(concat(works.name, works.system_prompt, works.analyzer_prompt, works.image_system_prompt,
        works.video_system_prompt, product_name, product_description, target_audience, language, analysis, scenes,
        generated_scenes, editor_state, selected_asset_ids, resolution)) from works join project on project.id = project_id
      union all
      select octet_length(concat(templates.name, description, thumbnail, content, tags))
      from templates join project on project.id = project_id
      union all
      select octet_length(concat(request, captions)) from export_jobs join project on project.id = project_id
      union all
      select octet_length(concat(name, tags, description, speech)) from asset
      union all
      select octet_length("order"::text) from films join project on project.id = project_id
    )
    select 'assets' as kind, count(*) as files, sum(size_bytes) as bytes from asset
    union all select 'workMedia', count(*), sum(size_bytes) from medium_once
    union all select 'generatedMedia', count(*), sum(size_bytes) from generated_media where user_id = ${userId}
    union all select 'exports', count(*), sum(size_bytes) from video_once
    union all select 'documents', count(*), sum(bytes) from document where bytes > 8192`);
  const { rows } = found as unknown as { rows: readonly { kind: string; files: string; bytes: string | null }[] };
  const kinds = rows.map(({ kind, files, bytes }) => [kind, { files: Number(files), bytes: Number(bytes ?? 0) }]);
  return { ...nothingStored, ...Object.fromEntries(kinds) };
}
