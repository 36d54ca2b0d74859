import { render } from "preact";
import { App } from "./app.tsx";
import { startRouter } from "./router.ts";
import { loadUser } from "./session.ts";
import { loadWords } from "./words.ts";

startRouter();
// at once: the page needs both
await Promise.all([loadWords(), loadUser()]);
render(<App />, document.getElementById("app")!);
