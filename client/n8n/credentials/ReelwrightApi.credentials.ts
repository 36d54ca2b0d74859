import type { IAuthenticateGeneric, ICredentialTestRequest, ICredentialType, INodeProperties } from "n8n-workflow";

export class ReelwrightApi implements ICredentialType {
  name = "reelwrightApi";
  displayName = "Reelwright API";
  icon = "file:../nodes/Reelwright/reelwright.svg" as const;
  documentationUrl = "https://films.example.com/docs";
  properties: INodeProperties[] = [
    {
      displayName: "Base URL",
      name: "baseUrl",
      type: "string",
      default: "",
      placeholder: "https://films.example.com",
      description: "The address of the service, without a slash at its end",
      required: true,
    },
    {
      displayName: "API Token",
      name: "token",
      type: "string",
      typeOptions: { password: true },
      default: "",
      description: "A token with the scopes projects:read, projects:write, works:read, works:write and ai:generate",
      required: true,
    },
  ];
  authenticate: IAuthenticateGeneric = {
    type: "generic",
    properties: { headers: { Authorization: "=Bearer {{$credentials.token}}" } },
  };
  test: ICredentialTestRequest = {
    request: { baseURL: "={{$credentials.baseUrl}}", url: "/api/projects", qs: { limit: 1 } },
  };
}
