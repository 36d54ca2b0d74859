import { render } from "preact";
import { App } from "./app.tsx";
import { route, startRouter } from "./router.ts";
import { loadUser } from "./session.ts";
import { loadWords } from "./words.ts";

startRouter();
// at once: the page needs both, and a reviewer has no account
await Promise.all([loadWords(), route.value.screen === "review" || loadUser()]);
render(<App />, document.getElementById("app")!);
