import { type INodeType, type INodeTypeDescription, NodeConnectionTypes } from "n8n-workflow";
import { batchOperations, exportOperations, fields, filmOperations } from "./operations";

export class Reelwright implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Reelwright",
    name: "reelwright",
    icon: "file:reelwright.svg",
    group: ["transform"],
    version: 1,
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description: "Make short marketing videos from briefs, works and tables",
    defaults: { name: "Reelwright" },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "reelwrightApi", required: true }],
    requestDefaults: { baseURL: "={{$credentials.baseUrl}}", headers: { Accept: "application/json" } },
    properties: [
      {
        displayName: "Resource",
        name: "resource",
        type: "options",
        noDataExpression: true,
        options: [
          { name: "Batch", value: "batch", description: "Films from a table" },
          { name: "Export", value: "export", description: "The video of a work" },
          { name: "Film", value: "film", description: "A film from a brief" },
        ],
        default: "film",
      },
      filmOperations,
      exportOperations,
      batchOperations,
      ...fields,
    ],
  };
}
