import type { UsageRow } from '../api/types';

const numbers = [
  'requests', 'errors', 'input_tokens', 'cached_tokens', 'output_tokens', 'reasoning_tokens', 'cost_usd', 'unpriced_requests',
] as const;

// RFC 4180. A leading sign or = would be a formula to a spreadsheet: a quote in front makes it text.
function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function asCsv(group: string, rows: readonly UsageRow[], nameOf: (row: UsageRow) => string): string {
  const lines = rows.map((row) => [row.group ?? '', nameOf(row), ...numbers.map((name) => row[name])].map(cell).join(','));
  return [[group, 'name', ...numbers].join(','), ...lines, ''].join('\r\n');
}

export function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
