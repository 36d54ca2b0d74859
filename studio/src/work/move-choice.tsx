import { useSignal } from "@preact/signals";
import type { InferResponseType } from "hono/client";
import { useId } from "preact/hooks";
import { api, unwrap } from "../api.ts";
import { Choice } from "../parts/choice.tsx";
import { Show, useLoaded } from "../parts/loaded.tsx";
import { t, type Word } from "../words.ts";
import { NumberField } from "./inputs.tsx";
import { type Move, type MoveRole, moveOf, moveRoles, withMove } from "./moves.ts";
import type { Placed } from "./overlays.ts";

type Moves = InferResponseType<typeof api.motion.$get, 200>;

let moves: Moves | undefined;
const readMoves = async () => {
  moves ??= await unwrap(api.motion.$get());
  return moves;
};

/** The word for a name of the service; the name itself if this page does not know it. */
const named = (name: string): string => t(`move_${name}` as Word) || name;

/** What kind of overlay a move must fit. */
type Fitting = Moves[MoveRole][number]["types"][number];

const kindOf = ({ kind, overlay }: Pick<Placed, "kind" | "overlay">) =>
  // safe because a layer that the service has taken has a type
  (kind === "layer" ? overlay.type : kind) as Fitting;

type ChoicesProps = Pick<Placed, "kind" | "overlay"> & {
  readonly onFields: (fields: Placed["overlay"], tag: string) => void;
};

/** The entrance, the exit and the loop of an overlay; each opens a grid of moving pictures. */
export const MoveChoices = ({ kind, overlay, onFields }: ChoicesProps) => (
  <div class="moves">
    {moveRoles.map((role) => (
      <MoveChoice
        key={role}
        {...{ kind: kindOf({ kind, overlay }), role }}
        move={moveOf(overlay, role)}
        onMove={(move, tag = role) => onFields(withMove(overlay, role, move), tag)}
      />
    ))}
  </div>
);

type MoveProps = {
  readonly kind: Fitting;
  readonly role: MoveRole;
  readonly move: Move | undefined;
  readonly onMove: (move: Move | undefined, tag?: string) => void;
};

function MoveChoice(props: MoveProps) {
  const isOpen = useSignal(false);
  return (
    <details
      name="moves"
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>
        {named(props.role)} <b>{named(props.move?.name ?? "none")}</b>
      </summary>
      {isOpen.value && <MoveGrid {...props} />}
    </details>
  );
}

function MoveGrid({ kind, role, move, onMove }: MoveProps) {
  const group = useId();
  /** The parameters that this page offers. */
  const offered = ({ parameters }: Moves[MoveRole][number]) =>
    parameters.filter(({ name }) => name === "seconds" || (name === "by" && kind === "text"));
  return (
    <Show of={useLoaded(readMoves)}>
      {({ [role]: all }) => {
        const fitting = all.filter(({ types }) => types.includes(kind));
        const current = fitting.find(({ name }) => name === move?.name);
        return (
          <>
            <fieldset>
              <legend class="unseen">{named(role)}</legend>
              {[undefined, ...fitting].map((each) => (
                <label key={each?.name}>
                  <input
                    type="radio"
                    name={group}
                    checked={each?.name === move?.name}
                    onChange={() =>
                      onMove(
                        each && {
                          name: each.name,
                          ...Object.fromEntries(offered(each).map((parameter) => [parameter.name, parameter.default])),
                        },
                      )
                    }
                  />
                  {each && <img src={each.preview} alt="" loading="lazy" />}
                  <span>{named(each?.name ?? "none")}</span>
                </label>
              ))}
            </fieldset>
            {move && current && (
              <div class="fields">
                {offered(current).map(({ name, min = 0, max = 0, values, default: byDefault }) => {
                  const label = named(name);
                  const value = move[name] ?? byDefault;
                  const onValue = (next: unknown) => onMove({ ...move, [name]: next }, `${role} ${name}`);
                  return values ? (
                    <Choice
                      key={name}
                      {...{ label, onChange: onValue }}
                      value={String(value)}
                      options={values.map((each) => [each, named(each)])}
                    />
                  ) : (
                    <NumberField key={name} {...{ label, min, max, onValue }} value={Number(value)} step={0.1} />
                  );
                })}
              </div>
            )}
          </>
        );
      }}
    </Show>
  );
}
