import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

type FileButtonProps = {
  readonly accept: string;
  readonly onFiles: (files: readonly [File, ...File[]]) => void;
  readonly multiple?: boolean;
  readonly class?: string;
  readonly children: ComponentChildren;
};

/** A button that asks for files. */
export function FileButton({ accept, onFiles, multiple, class: kind = "tool", children }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class={kind} onClick={() => input.current?.click()}>
        {children}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        {...{ accept, multiple }}
        onChange={({ currentTarget }) => {
          const [first, ...others] = currentTarget.files ?? [];
          if (first) onFiles([first, ...others]);
          // the same file can be chosen again
          currentTarget.value = "";
        }}
      />
    </>
  );
}

/** Properties of an element onto which files can be dropped: a second way beside a button. */
export const droppable = (onFiles: (files: readonly File[]) => void) => ({
  onDragOver: (event: DragEvent) => event.preventDefault(),
  onDrop(event: DragEvent) {
    event.preventDefault();
    onFiles([...(event.dataTransfer?.files ?? [])]);
  },
});
