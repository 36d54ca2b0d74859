import { Navigation } from "./navigation.tsx";
import { Unread, useLoaded } from "./parts/loaded.tsx";
import { Missing } from "./parts/title.tsx";
import { route } from "./router.ts";
import { FilmScreen } from "./screens/film.tsx";
import { HomeScreen } from "./screens/films.tsx";
import { ReviewScreen } from "./screens/review.tsx";
import { SignInScreen } from "./screens/sign-in.tsx";
import { accountSections, projectSections } from "./sections.ts";
import { findUser, signOut, user, userFailure } from "./session.ts";
import { TablesScreen } from "./tables/tables.tsx";
import { chooseLanguage, type Language, language, languages, t } from "./words.ts";

export function App() {
  return (
    <>
      <a class="skip" href="#main">
        {t("skip")}
      </a>
      <Bar />
      <main id="main">
        <Main />
      </main>
      <footer class="foot">
        <p>{t("footer")}</p>
        <LanguageChoice />
      </footer>
    </>
  );
}

function Main() {
  const current = route.value;
  if (current.screen === "review") return <ReviewScreen key={current.secret} secret={current.secret} />;
  if (user.value === undefined) return <Unread of={userFailure.value} again={findUser} />;
  return user.value ? <Screen /> : <SignInScreen />;
}

function Screen() {
  const current = route.value;
  if (current.screen === "home") return <HomeScreen />;
  if (current.screen === "film") return <FilmScreen key={current.filmId} {...current} />;
  if (current.screen === "table") return <TablesScreen key={current.batchId} {...current} />;
  if (current.screen === "work") return <EditorScreen key={current.workId} {...current} />;
  if (current.screen === "account") {
    const Found = accountSections.find(({ path }) => path === current.section)?.Screen;
    return Found ? <Found /> : <Missing />;
  }
  if (current.screen !== "project") return <Missing />;
  const { projectId, section } = current;
  const Found = projectSections.find(({ path }) => path === section)?.Screen;
  return Found ? <Found key={`${projectId}/${section}`} projectId={projectId} /> : <Missing />;
}

/** The editor is as large as the rest of the page, and is loaded when a film is opened in it. */
function EditorScreen(ids: { readonly projectId: string; readonly workId: string }) {
  const loaded = useLoaded(() => import("./work/work-screen.tsx"));
  const { WorkScreen } = loaded.value.value ?? {};
  return WorkScreen ? <WorkScreen {...ids} /> : <Unread of={loaded.failure.value} again={loaded.reload} />;
}

function Bar() {
  return (
    <header class="bar">
      <a class="name" href={user.value ? "/studio" : "/"}>
        <img src="/home/icon.svg" alt="" width="28" height="28" />
        Reelwright
      </a>
      {user.value && (
        <>
          <Navigation />
          <div class="who">
            <span class="soft">{user.value.name}</span>
            <button type="button" class="plain" onClick={() => void signOut()}>
              {t("signOut")}
            </button>
          </div>
        </>
      )}
    </header>
  );
}

function LanguageChoice() {
  return (
    <label class="language">
      <span>{t("pageLanguage")}</span>
      <select value={language.value} onChange={(event) => void chooseLanguage(event.currentTarget.value as Language)}>
        {Object.entries(languages).map(([tag, name]) => (
          <option key={tag} value={tag} lang={tag}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
