import { serveTasks } from "./engine/sandboxed/serve.ts";
import { engineTasks } from "./engine/sandboxed/tasks.ts";
import { localTasks } from "./providers/local/drawings/sandboxed.ts";
import { tableTasks } from "./readers/tables/sandboxed.ts";

// the program of the sandboxed processes: tasks of the engine and of other folders
await serveTasks({ ...engineTasks, ...tableTasks, ...localTasks });
