import type { Caller } from "../../accounts/caller.ts";
import type { CompleteRequest } from "../../exports/request/fill-from-editor.ts";
import type { CheckRequestPorts, layOutRequest } from "../../exports/request/validation/validate.ts";
import type { PricePorts } from "../../films/estimate.ts";
import type { FilmOrder } from "../../films/film.ts";
import type { FilmRequest, InputPorts } from "../../films/order/order.ts";
import type { orderWarnings } from "../../films/order/warnings.ts";
import type { Project } from "../../projects/projects.ts";
import type { PlaceholderField, PlaceholderValues } from "../../templates/placeholders.ts";
import type { TemplateStore } from "../../templates/templates.ts";
import type { Work } from "../../works/works.ts";
import type { Batch, BatchBase, BatchStore, ModelCosts } from "../batch.ts";
import type { Finding } from "../findings.ts";
import type { Pictures } from "./pictures.ts";
import type { TableTranslation } from "./translations.ts";

/** Reads an order as the films' route does. Throws validation_error. */
export type FilmOrderReader = (order: object, projectId: string) => FilmRequest;

export type ValidationPorts = CheckRequestPorts &
  Parameters<typeof orderWarnings>[0] &
  InputPorts &
  PricePorts & {
    readonly templates: TemplateStore;
    readonly readFilmOrder: FilmOrderReader;
    readonly batches: Pick<BatchStore, "findSame" | "findTranslations">;
  };

type BaseOfLanguage = Pick<BatchBase, "request" | "texts"> & { readonly fields: readonly PlaceholderField[] };

/** The context of a table's validation, the same for all rows. */
export type Validation = {
  readonly ports: ValidationPorts;
  readonly caller: Caller;
  readonly project: Project;
  /** Absent for films from briefs. */
  readonly work?: Work | undefined;
  readonly order: Batch["order"];
  readonly pictures: Pictures;
  /** Hashes the content of the page at a URL; undefined if it is unreadable. Absent if nothing is fetched. */
  readonly pages?: ((url: string) => Promise<string | undefined>) | undefined;
  /** Absent if no model translates. */
  readonly translation?: TableTranslation | undefined;
  baseOf(language: string): BaseOfLanguage;
};

export type FilledRow = {
  readonly language: string;
  readonly values: PlaceholderValues;
  readonly fields: readonly PlaceholderField[];
};

export type ValidatedValues = {
  readonly values: PlaceholderValues;
  readonly errors: readonly PlainFinding[];
  readonly film?: ValidatedFilm;
};

/** A film from a brief, or a film over a work with its layout. */
export type ValidatedFilm = {
  readonly identities: readonly string[];
  readonly frames: number;
  readonly costs?: ModelCosts;
  readonly laidOut?: Awaited<ReturnType<typeof layOutRequest>> & { readonly request: CompleteRequest };
  /** Only for a film from a brief. */
  readonly ordered?: { readonly order: FilmOrder; readonly name: string | undefined };
};

export type PlainFinding = Pick<Finding, "path" | "code" | "message" | "targets">;
