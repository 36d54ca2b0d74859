import { expectTypeOf, test } from "bun:test";
import type { z } from "zod";
import type { User } from "../../../src/domain/accounts/users.ts";
import type { AnalysisResult } from "../../../src/domain/ai/analysis/analyze.ts";
import type { SceneUrls } from "../../../src/domain/ai/generation/generate-scene.ts";
import type { ProviderInfo } from "../../../src/domain/ai/models.ts";
import type { exportView } from "../../../src/domain/exports/lifecycle/view.ts";
import type { ValidationReport } from "../../../src/domain/exports/request/validation/validate.ts";
import type { OperationView } from "../../../src/domain/operations/operations.ts";
import type { Project } from "../../../src/domain/projects/projects.ts";
import type { AppliedTemplate } from "../../../src/domain/templates/apply.ts";
import type { Template, TemplateMeta } from "../../../src/domain/templates/templates.ts";
import type { WorkSummary } from "../../../src/domain/works/works.ts";
import type * as accounts from "../../../src/http/accounts/views.ts";
import type * as ai from "../../../src/http/ai/views.ts";
import type { Asset, assetView } from "../../../src/http/assets/views.ts";
import type * as exports from "../../../src/http/exports/views.ts";
import type { Operation } from "../../../src/http/operations/views.ts";
import type * as projects from "../../../src/http/projects/views.ts";
import type * as templates from "../../../src/http/templates/views.ts";
import type * as works from "../../../src/http/works/views.ts";

type DeepReadonly<Value> = Value extends object ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> } : Value;

/** What a schema declares. */
type Declared<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>;

test("what the domain returns has the types that the document declares", () => {
  expectTypeOf<User>().toExtend<Declared<typeof accounts.User>>();
  expectTypeOf<Omit<Project, "revision">>().toExtend<Declared<typeof projects.Project>>();
  expectTypeOf<ReturnType<typeof assetView>>().toExtend<Declared<typeof Asset>>();
  expectTypeOf<Omit<Template, "revision">>().toExtend<Declared<typeof templates.Template>>();
  expectTypeOf<readonly TemplateMeta[]>().toExtend<Declared<typeof templates.TemplateList>["templates"]>();
  expectTypeOf<AppliedTemplate & { readonly missingAssetIds: readonly string[] }>().toExtend<
    Declared<typeof templates.AppliedTemplate>
  >();
  expectTypeOf<readonly WorkSummary[]>().toExtend<Declared<typeof works.WorkSummaries>>();
  expectTypeOf<ReturnType<typeof exportView>>().toExtend<Declared<typeof exports.Export>>();
  expectTypeOf<ValidationReport>().toExtend<Declared<typeof exports.ValidationReport>>();
  expectTypeOf<OperationView>().toExtend<Declared<typeof Operation>>();
  expectTypeOf<AnalysisResult>().toExtend<Declared<typeof ai.AnalysisResult>>();
  expectTypeOf<readonly ProviderInfo[]>().toExtend<Declared<typeof ai.Providers>>();
  expectTypeOf<SceneUrls>().toExtend<Declared<typeof ai.GeneratedSceneMedia>>();
});
