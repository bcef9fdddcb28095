// How each provider fares, told from its lines: one for each model and key that was asked.

import type { Line, Provider } from '../api/types';
import { count, duration, plural } from '../format';
import { Badge } from '../ui/badge';
import { type Column, Table } from '../ui/table';

export type Health = { tone: 'good' | 'warn' | 'bad' | 'plain'; text: string };

export function healthOfLine(line: Line): Health {
  if (line.breaker === 'open') return { tone: 'bad', text: `circuit open${line.ready_in_ms ? `, tried again in ${duration(line.ready_in_ms)}` : ''}` };
  if (line.breaker === 'half-open') return { tone: 'warn', text: 'being tried again' };
  if (line.ready_in_ms > 0) return { tone: 'warn', text: `at rest for ${duration(line.ready_in_ms)}` };
  if (line.failures > line.successes) return { tone: 'warn', text: 'mostly failing' };
  return { tone: 'good', text: 'well' };
}

export function healthOf({ lines }: Provider): Health {
  if (lines.length === 0) return { tone: 'plain', text: 'not asked yet' };
  const states = lines.map(healthOfLine);
  const unwell = states.filter(({ tone }) => tone !== 'good');
  if (unwell.length === 0) return { tone: 'good', text: 'well' };
  const worst = unwell.find(({ tone }) => tone === 'bad') ?? unwell[0]!;
  return unwell.length === lines.length ? worst : { tone: 'warn', text: `${unwell.length} of ${plural(lines.length, 'line')} unwell` };
}

const total = (provider: Provider, member: 'successes' | 'failures') => provider.lines.reduce((sum, line) => sum + line[member], 0);

function firstToken({ lines }: Provider): number | null {
  const known = lines.map((line) => line.first_token_ms).filter((ms) => ms !== null);
  return known.length ? known.reduce((sum, ms) => sum + ms, 0) / known.length : null;
}

const columns: readonly Column<Provider>[] = [
  { title: 'Provider', cell: (provider) => provider.name },
  { title: 'Health', cell: (provider) => <Badge {...healthOf(provider)} /> },
  { title: 'Answered', kind: 'number', cell: (provider) => count(total(provider, 'successes')) },
  { title: 'Failed', kind: 'number', cell: (provider) => count(total(provider, 'failures')) },
  { title: 'First token', kind: 'number', narrow: 'hide', cell: (provider) => duration(firstToken(provider)) },
];

export const HealthTable = ({ providers }: { providers: readonly Provider[] }) => (
  <Table caption="Providers and how they fare" columns={columns} rows={providers} keyOf={({ name }) => name} empty="No provider is configured." />
);
