import { serveTasks } from "./serve.ts";
import { engineTasks } from "./tasks.ts";

await serveTasks(engineTasks);
