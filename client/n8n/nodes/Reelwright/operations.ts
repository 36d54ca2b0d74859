import type { INodeProperties, INodePropertyOptions } from "n8n-workflow";
import { lastState } from "./last-state";

const film = '=/api/projects/{{$parameter["projectId"]}}/films/{{$parameter["filmId"]}}';
const batch = '=/api/projects/{{$parameter["projectId"]}}/batches/{{$parameter["batchId"]}}';
const job = '=/api/exports/{{$parameter["exportId"]}}';

/** A repeated run of the same execution gets the first result, unpaid. */
const once = { "Idempotency-Key": '={{$execution.id + "." + $itemIndex}}' };

const get = (name: string, url: string): INodePropertyOptions => ({
  name: "Get",
  value: "get",
  description: `Read the state of ${name}`,
  action: `Get ${name}`,
  routing: { request: { method: "GET", url } },
});

/** The service sends the events of a resource until it has ended, so that one request waits for it. */
const wait = (name: string, url: string): INodePropertyOptions => ({
  name: "Wait",
  value: "wait",
  description: `Wait until ${name} has ended`,
  action: `Wait for ${name}`,
  routing: {
    request: {
      method: "GET",
      url: `${url}/events`,
      headers: { Accept: "text/event-stream" },
      encoding: "text",
      json: false,
      timeout: '={{$parameter["minutes"] * 60000}}' as unknown as number,
    },
    output: { postReceive: [lastState] },
  },
});

const download = (name: string, url: string): INodePropertyOptions => ({
  name: "Download",
  value: "download",
  description: `Download the file of ${name}`,
  action: `Download ${name}`,
  routing: {
    request: { method: "GET", url, encoding: "arraybuffer", headers: { Accept: "*/*" } },
    output: {
      postReceive: [{ type: "binaryData", properties: { destinationProperty: '={{$parameter["binaryField"]}}' } }],
    },
  },
});

const operations = (resource: string, options: INodePropertyOptions[], first: string): INodeProperties => ({
  displayName: "Operation",
  name: "operation",
  type: "options",
  noDataExpression: true,
  displayOptions: { show: { resource: [resource] } },
  options,
  default: first,
});

export const filmOperations = operations(
  "film",
  [
    download("a film", `${film}/file`),
    get("a film", film),
    {
      name: "Order",
      value: "order",
      description: "Make a whole film from a brief",
      action: "Order a film",
      routing: {
        request: { method: "POST", url: '=/api/projects/{{$parameter["projectId"]}}/films', headers: once },
      },
    },
    wait("a film", film),
  ],
  "order",
);

export const exportOperations = operations(
  "export",
  [
    {
      name: "Create",
      value: "create",
      description: "Render the video of a work",
      action: "Create an export",
      routing: {
        request: {
          method: "POST",
          url: "/api/exports",
          headers: once,
          body: { projectId: '={{$parameter["projectId"]}}', workId: '={{$parameter["workId"]}}' },
        },
      },
    },
    download("an export", `${job}/file`),
    get("an export", job),
    wait("an export", job),
  ],
  "create",
);

export const batchOperations = operations(
  "batch",
  [
    download("a batch", `${batch}/archive.zip`),
    get("a batch", batch),
    {
      name: "Order",
      value: "order",
      description: "Make a film from each row of a table",
      action: "Order a batch",
      routing: {
        request: { method: "POST", url: '=/api/projects/{{$parameter["projectId"]}}/batches', headers: once },
      },
    },
    wait("a batch", batch),
  ],
  "order",
);

const shown = (resource: string[], operation: string[]) => ({ show: { resource, operation } });

const id = (name: string, displayName: string, prefix: string, at: INodeProperties["displayOptions"]) =>
  ({
    displayName,
    name,
    type: "string",
    default: "",
    required: true,
    placeholder: `${prefix}_…`,
    displayOptions: at,
  }) as INodeProperties;

const follow = ["get", "wait", "download"];

/** JSON for the request's body; an empty object adds nothing. */
const json = (name: string, displayName: string, description: string, at: INodeProperties["displayOptions"]) =>
  ({ displayName, name, type: "json", default: "{}", description, displayOptions: at }) as INodeProperties;

const merged = (value: string) => ({
  send: { type: "body", property: value, value: "={{typeof $value === 'string' ? JSON.parse($value) : $value}}" },
});

export const fields: INodeProperties[] = [
  id("projectId", "Project ID", "proj", { show: { resource: ["film", "batch"] } }),
  id("projectId", "Project ID", "proj", shown(["export"], ["create"])),
  id("filmId", "Film ID", "film", shown(["film"], follow)),
  id("exportId", "Export ID", "exp", shown(["export"], follow)),
  id("batchId", "Batch ID", "batch", shown(["batch"], follow)),
  id("workId", "Work ID", "work", shown(["export"], ["create"])),
  {
    displayName: "Brief",
    name: "brief",
    type: "string",
    typeOptions: { rows: 4 },
    default: "",
    required: true,
    description: "What the film is about: the product, its facts, its audience",
    displayOptions: shown(["film"], ["order"]),
    routing: { send: { type: "body", property: "brief.text" } },
  },
  {
    displayName: "Seconds",
    name: "seconds",
    type: "number",
    typeOptions: { minValue: 3, maxValue: 180 },
    default: 20,
    description: "The length of the film",
    displayOptions: shown(["film"], ["order"]),
    routing: { send: { type: "body", property: "seconds" } },
  },
  {
    displayName: "Formats",
    name: "targets",
    type: "multiOptions",
    options: ["16:9", "1:1", "4:5", "9:16"].map((value) => ({ name: value, value })),
    default: ["9:16"],
    description: "One video for each aspect ratio",
    displayOptions: shown(["film"], ["order"]),
    routing: { send: { type: "body", property: "targets" } },
  },
  {
    displayName: "Additional Fields",
    name: "additionalFields",
    type: "collection",
    placeholder: "Add Field",
    default: {},
    displayOptions: shown(["film"], ["order"]),
    options: [
      {
        displayName: "Budget in USD",
        name: "budget",
        type: "string",
        default: "",
        description: "What the models may cost",
        routing: { send: { type: "body", property: "budget.limit" } },
      },
      {
        displayName: "Language",
        name: "language",
        type: "string",
        default: "",
        placeholder: "de",
        description: "The language of the words on screen and of the voice",
        routing: { send: { type: "body", property: "language" } },
      },
      {
        displayName: "Look",
        name: "look",
        type: "string",
        default: "",
        description: "How the film is set and moves: a name that the service lists",
        routing: { send: { type: "body", property: "look" } },
      },
      {
        displayName: "Page URL",
        name: "url",
        type: "string",
        default: "",
        description: "A public page about the product",
        routing: { send: { type: "body", property: "brief.url" } },
      },
      {
        ...json("models", "Models", "Providers and models by category, as the service names them", undefined),
        routing: merged("models") as INodeProperties["routing"],
      },
      {
        ...json("resolution", "Resolution", "Width and height in pixels, such as 1080 and 1920", undefined),
        routing: merged("resolution") as INodeProperties["routing"],
      },
    ],
  },
  {
    ...json(
      "options",
      "Options",
      "Options of the export: width, height, targets, format",
      shown(["export"], ["create"]),
    ),
    routing: merged("options") as INodeProperties["routing"],
  },
  {
    ...json(
      "base",
      "Base",
      "A work by its workId, or a film with a brief, with {{column}} in texts",
      shown(["batch"], ["order"]),
    ),
    required: true,
    routing: merged("base") as INodeProperties["routing"],
  },
  {
    ...json("rows", "Rows", "The table: a list of objects, one for each film", shown(["batch"], ["order"])),
    default: "[]",
    required: true,
    routing: merged("rows") as INodeProperties["routing"],
  },
  {
    displayName: "Key Column",
    name: "keyColumn",
    type: "string",
    default: "",
    description: "The column that names a row; empty for its number",
    displayOptions: shown(["batch"], ["order"]),
    routing: { send: { type: "body", property: "keyColumn", value: "={{$value || undefined}}" } },
  },
  {
    displayName: "Longest Wait in Minutes",
    name: "minutes",
    type: "number",
    typeOptions: { minValue: 1 },
    default: 30,
    description: "After this time the node fails; the work at the service continues",
    displayOptions: { show: { operation: ["wait"] } },
  },
  {
    displayName: "Format",
    name: "target",
    type: "options",
    options: [
      { name: "1:1", value: "1:1" },
      { name: "16:9", value: "16:9" },
      { name: "4:5", value: "4:5" },
      { name: "9:16", value: "9:16" },
      { name: "First", value: "" },
    ],
    default: "",
    displayOptions: shown(["film", "export"], ["download"]),
    routing: { send: { type: "query", property: "target", value: "={{$value || undefined}}" } },
  },
  {
    displayName: "Put Output File in Field",
    name: "binaryField",
    type: "string",
    default: "data",
    required: true,
    hint: "The name of the output binary field to put the file in",
    displayOptions: { show: { operation: ["download"] } },
  },
];
