import { t } from "../words.ts";

type TableHeadProps = { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** The first rows of a table; a wide one also scrolls by keyboard. */
export function TableHead({ columns, rows }: TableHeadProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="sheet" tabIndex={0} aria-label={t("tableBegin")}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" dir="auto">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, column) => (
                <td key={column} dir="auto">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
