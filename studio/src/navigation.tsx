import { useEffect, useRef } from "preact/hooks";
import { loadProjects, projects } from "./projects.ts";
import { go, route, sectionPath } from "./router.ts";
import { accountSections, projectSections } from "./sections.ts";
import { t } from "./words.ts";

/** Links to the sections of the current project and of the account. */
export function Navigation() {
  const current = route.value;
  const inProject = "projectId" in current ? current : undefined;
  const projectId = inProject?.projectId;
  useEffect(() => {
    // the screen shows the error
    if (projectId && !projects.value?.some(({ id }) => id === projectId)) void loadProjects().catch(() => {});
  }, [projectId]);
  return (
    <>
      <nav class="account" aria-label={t("account")}>
        {accountSections.map(({ path, word }) => (
          <Link
            key={path}
            href={`/studio/${path}`}
            text={t(word)}
            isCurrent={current.screen === "account" && current.section === path}
          />
        ))}
      </nav>
      {inProject && <ProjectNavigation projectId={inProject.projectId} current={inProject.section} />}
    </>
  );
}

function ProjectNavigation({ projectId, current }: { projectId: string; current: string }) {
  const links = useRef<HTMLElement>(null);
  useEffect(() => {
    // on a phone the links scroll
    links.current?.querySelector("[aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
  }, [current]);
  return (
    <div class="places">
      <label>
        <span class="unseen">{t("project")}</span>
        <select value={projectId} onChange={(event) => go(sectionPath(event.currentTarget.value, current))}>
          {projects.value?.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <nav ref={links} aria-label={t("project")}>
        {projectSections.map(({ path, word }) => (
          <Link key={path} href={sectionPath(projectId, path)} text={t(word)} isCurrent={path === current} />
        ))}
      </nav>
    </div>
  );
}

function Link({ href, text, isCurrent }: { href: string; text: string; isCurrent: boolean }) {
  return (
    <a href={href} aria-current={isCurrent ? "page" : undefined}>
      {text}
    </a>
  );
}
