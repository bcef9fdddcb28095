import type { ComponentChildren, TargetedMouseEvent } from 'preact';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  kind?: 'number' | 'text';
  narrow?: 'hide'; // on a phone
}

interface TableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  empty?: ComponentChildren;
  rowClass?: (row: Row) => string;
}

// Where a row's name is a link, all of the row leads there, unless its text is being selected or another link was meant.
function follow(event: TargetedMouseEvent<HTMLTableRowElement>): void {
  const isOther = (event.target as Element).closest('a, button, input, summary');
  if (isOther || getSelection()?.toString()) return;
  event.currentTarget.querySelector<HTMLElement>('th a')?.click();
}

// The first column names the row. A table that is too wide scrolls by itself, also with the keyboard.
export function Table<Row>({ caption, columns, rows, keyOf, empty, rowClass }: TableProps<Row>) {
  if (rows.length === 0 && empty) return <p class="empty">{empty}</p>;
  const classOf = (column: Column<Row>) => [column.kind ?? 'text', column.narrow === 'hide' ? 'wide-only' : ''].join(' ');
  return (
    <div class="table-frame" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="off-screen">{caption}</caption>
        <thead>
          <tr>{columns.map((column) => <th key={column.title} scope="col" class={classOf(column)}>{column.title}</th>)}</tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} class={rowClass?.(row)} onClick={follow}>
              {columns.map((column, index) =>
                index === 0
                  ? <th key={column.title} scope="row" class={classOf(column)}>{column.cell(row)}</th>
                  : <td key={column.title} class={classOf(column)}>{column.cell(row)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
