import type { IDataObject, IExecuteSingleFunctions, IN8nHttpFullResponse, INodeExecutionData } from "n8n-workflow";

/**
 * Turns the events of a film, an export or a batch into its last state. An event of a step holds that step alone, in
 * place of the list.
 */
export async function lastState(
  this: IExecuteSingleFunctions,
  _items: INodeExecutionData[],
  response: IN8nHttpFullResponse,
): Promise<INodeExecutionData[]> {
  const text = String(response.body ?? "");
  let known: IDataObject = {};
  for (const block of text.split("\n\n")) {
    const data = block
      .split("\n")
      .filter((line) => line.startsWith("data:"))
      .map((line) => line.slice("data:".length).trim())
      .join("\n");
    if (data === "") continue;
    const { step, ...state } = JSON.parse(data) as IDataObject;
    known = { ...known, ...state };
    if (step) known.steps = withStep((known.steps as IDataObject[] | undefined) ?? [], step as IDataObject);
  }
  return [{ json: known }];
}

const withStep = (steps: IDataObject[], step: IDataObject) => steps.map((each) => (each.id === step.id ? step : each));
