import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript-5.9";

/**
 * The type that hono/client infers for the routes takes a compiler seconds in each project that uses it. It is the same
 * for all of them, so it is computed once, here: the result names every path and every response as plain object types.
 */

const printFlags =
  ts.NodeBuilderFlags.NoTruncation |
  ts.NodeBuilderFlags.InTypeAlias |
  ts.NodeBuilderFlags.IgnoreErrors |
  ts.NodeBuilderFlags.MultilineObjectLiterals;

const compilerOptions: ts.CompilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.Preserve,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ["lib.esnext.d.ts", "lib.dom.d.ts"],
  types: [],
  strict: true,
  skipLibCheck: true,
};

/**
 * Replaces the exported type alias `name` of a declaration file by what it stands for. Throws if the alias is
 * gone, or stands for nothing.
 */
export function flattenClient(path: string, name: string): string {
  // printed as in a module without imports, types are written out where a name would bring the schema that it comes from
  const scopePath = join(dirname(path), "scope.d.ts");
  writeFileSync(scopePath, "export {};\n");
  const program = ts.createProgram([path, scopePath], compilerOptions);
  const file = program.getSourceFile(path)!;
  const alias = file.statements.find((node) => ts.isTypeAliasDeclaration(node) && node.name.text === name);
  if (!alias) throw new Error(`${path} declares no type ${name}.`);
  const checker = program.getTypeChecker();
  const scope = program.getSourceFile(scopePath)!;
  const declarations = new ClientPrinter(checker, scope).print(name, checker.getTypeAtLocation(alias));
  return file.text.slice(0, alias.getStart()) + declarations + file.text.slice(alias.end);
}

/** A method of a path, printed: what it takes, and each response that it may return. */
type PrintedMethod = {
  readonly kind: "method";
  readonly input: string;
  readonly isOptional: boolean;
  readonly responses: readonly string[];
};

/** `$url` or `$path`: what it takes and returns. */
type PrintedAddress = { readonly kind: "address"; readonly input: string; readonly output: string };

type PrintedPath = { readonly kind: "path"; readonly members: ReadonlyMap<string, Printed> };
type Printed = PrintedMethod | PrintedAddress | PrintedPath;

class ClientPrinter {
  readonly #printer = ts.createPrinter({ removeComments: true });

  constructor(
    readonly checker: ts.TypeChecker,
    readonly scope: ts.SourceFile,
  ) {}

  print(name: string, type: ts.Type): string {
    const root = this.#path(type);
    const methods = methodsOf(root);
    if (methods.length === 0) throw new Error(`${name} has no methods: its imports were not found.`);
    const failures = sharedResponses(methods);
    return [
      'type Options = import("hono/client").ClientRequestOptions;',
      ...writeFailures(failures),
      "type Send<Input, Success> = (args: Input, options?: Options) => Promise<Success | Failure>;",
      "type MaySend<Input, Success> = (args?: Input, options?: Options) => Promise<Success | Failure>;",
      `export type ${name} = ${writePath(root, failures)};`,
    ].join("\n");
  }

  #path(type: ts.Type): PrintedPath {
    const members = this.checker
      .getPropertiesOfType(type)
      .map((member) => [member.name, this.#member(member)] as const);
    return { kind: "path", members: new Map(members) };
  }

  #member(member: ts.Symbol): Printed {
    const type = this.checker.getTypeOfSymbol(member);
    if (!member.name.startsWith("$")) return this.#path(type);
    const [signature] = type.getCallSignatures();
    if (!signature) throw new Error(`${member.name} cannot be called.`);
    if (member.name === "$url") return { kind: "address", input: this.#constraint(signature), output: "URL" };
    if (member.name === "$path") return { kind: "address", input: this.#constraint(signature), output: "string" };
    return this.#method(signature);
  }

  #method(signature: ts.Signature): PrintedMethod {
    const args = signature.getParameters()[0]!;
    const declaration = args.valueDeclaration as ts.ParameterDeclaration;
    const returned = this.checker.getAwaitedType(signature.getReturnType())!;
    const input = this.checker.getNonNullableType(this.checker.getTypeOfSymbol(args));
    return {
      kind: "method",
      input: this.#text(input),
      isOptional: declaration.questionToken !== undefined,
      responses: (returned.isUnion() ? returned.types : [returned]).map((response) => this.#text(response)),
    };
  }

  /** What a generic address function takes. */
  #constraint(signature: ts.Signature): string {
    const constraint = signature.getTypeParameters()?.[0]?.getConstraint();
    return constraint ? this.#text(this.checker.getNonNullableType(constraint)) : "{}";
  }

  #text(type: ts.Type): string {
    const node = this.checker.typeToTypeNode(type, this.scope, printFlags);
    if (!node) throw new Error("A type of the client cannot be printed.");
    const { transformed } = ts.transform(node, [withOpenIndex]);
    return withPackageNames(this.#printer.printNode(ts.EmitHint.Unspecified, transformed[0]!, this.scope));
  }
}

/**
 * Inference accepts properties that an index signature beside them excludes, such as optional ones and read-only lists
 * beside JSON values. A declaration file may not hold them, so the index becomes `unknown`.
 */
const withOpenIndex: ts.TransformerFactory<ts.TypeNode> = (context) => (root) => {
  const { factory } = context;
  const unknownType = factory.createKeywordTypeNode(ts.SyntaxKind.UnknownKeyword);
  const visit = (node: ts.Node): ts.Node => {
    const visited = ts.visitEachChild(node, visit, context);
    if (!ts.isTypeLiteralNode(visited) || !visited.members.some(ts.isPropertySignature)) return visited;
    const members = visited.members.map((member) =>
      ts.isIndexSignatureDeclaration(member)
        ? factory.updateIndexSignature(member, member.modifiers, member.parameters, unknownType)
        : member,
    );
    return factory.updateTypeLiteralNode(visited, factory.createNodeArray(members));
  };
  // safe because a visited type stays a type
  return visit(root) as ts.TypeNode;
};

/** The compiler names files by their paths, here of hono's declarations; a package's user needs its own entry points. */
function withPackageNames(text: string): string {
  const named = text
    // what the package exports is declared in the same file
    .replaceAll(/import\("[^"]*\/bundled"\)\./g, "")
    .replaceAll(/"[^"]*\/hono\/dist\/types\/client\/types"/g, '"hono/client"')
    .replaceAll(/"[^"]*\/hono\/dist\/types\/(utils\/[\w-]+)"/g, '"hono/$1"');
  const [, path] = /import\("([./][^"]*)"\)/.exec(named) ?? [];
  if (path) throw new Error(`The client's types need ${path}, which the package does not hold.`);
  return named;
}

const methodsOf = (path: PrintedPath): readonly PrintedMethod[] =>
  [...path.members.values()].flatMap((member) => {
    if (member.kind === "path") return methodsOf(member);
    return member.kind === "method" ? [member] : [];
  });

/** The responses that every method may return: those of the errors. */
function sharedResponses(methods: readonly PrintedMethod[]): ReadonlySet<string> {
  const [first, ...others] = methods.map(({ responses }) => new Set(responses));
  return others.reduce((shared, responses) => shared.intersection(responses), first ?? new Set<string>());
}

const failurePattern = /^import\("hono\/client"\)\.ClientResponse<(.*), (\d+), "json">$/s;

/** The type `Failure`; a body that several statuses have is written once. */
function writeFailures(failures: ReadonlySet<string>): readonly string[] {
  const matches = [...failures].map((failure) => failurePattern.exec(failure));
  const [body, ...others] = new Set(matches.map((match) => match?.[1]));
  if (body === undefined || others.length > 0) return [`type Failure = ${[...failures].join(" | ") || "never"};`];
  const statuses = matches.map((match) => match?.[2]).join(" | ");
  const response = 'import("hono/client").ClientResponse<FailureBody, Status, "json">';
  return [
    `type FailureBody = ${body};`,
    `type FailureStatus = ${statuses};`,
    `type Failure = { [Status in FailureStatus]: ${response} }[FailureStatus];`,
  ];
}

function writePath({ members }: PrintedPath, failures: ReadonlySet<string>): string {
  const lines = [...members].map(([name, member]) => `${JSON.stringify(name)}: ${writeMember(member, failures)};`);
  return `{\n${lines.join("\n")}\n}`;
}

function writeMember(member: Printed, failures: ReadonlySet<string>): string {
  if (member.kind === "path") return writePath(member, failures);
  if (member.kind === "address") return `(arg?: ${member.input}) => ${member.output}`;
  const successes = member.responses.filter((response) => !failures.has(response));
  const send = member.isOptional ? "MaySend" : "Send";
  return `${send}<${member.input}, ${successes.join(" | ") || "never"}>`;
}
