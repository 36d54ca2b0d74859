import { render } from "preact";
import { App } from "./app.tsx";
import { route, startRouter } from "./router.ts";
import { findUser } from "./session.ts";
import { loadWords } from "./words.ts";

startRouter();
// in parallel: the page needs both, and a reviewer has no account
await Promise.all([loadWords(), route.value.screen === "review" || findUser()]);
const place = document.getElementById("app")!;
place.replaceChildren();
render(<App />, place);
