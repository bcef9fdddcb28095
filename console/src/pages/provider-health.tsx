// How each provider fares, told from its targets: one for each model and key that was asked.

import type { Provider, TargetHealth } from '../api/types';
import { count, duration, plural } from '../format';
import { Badge } from '../ui/badge';
import { type Column, Table } from '../ui/table';

export type Health = { tone: 'good' | 'warn' | 'bad' | 'plain'; text: string };

export function healthOfTarget(target: TargetHealth): Health {
  if (target.breaker === 'open') return { tone: 'bad', text: `circuit open${target.ready_in_ms ? `, tried again in ${duration(target.ready_in_ms)}` : ''}` };
  if (target.breaker === 'half-open') return { tone: 'warn', text: 'being tried again' };
  if (target.ready_in_ms > 0) return { tone: 'warn', text: `at rest for ${duration(target.ready_in_ms)}` };
  if (target.failures > target.successes) return { tone: 'warn', text: 'mostly failing' };
  return { tone: 'good', text: 'healthy' };
}

export function healthOf({ targets }: Provider): Health {
  if (targets.length === 0) return { tone: 'plain', text: 'not asked yet' };
  const states = targets.map(healthOfTarget);
  const unhealthy = states.filter(({ tone }) => tone !== 'good');
  if (unhealthy.length === 0) return { tone: 'good', text: 'healthy' };
  const worst = unhealthy.find(({ tone }) => tone === 'bad') ?? unhealthy[0]!;
  return unhealthy.length === targets.length ? worst : { tone: 'warn', text: `${unhealthy.length} of ${plural(targets.length, 'target')} unhealthy` };
}

const total = (provider: Provider, member: 'successes' | 'failures') => provider.targets.reduce((sum, target) => sum + target[member], 0);

function firstToken({ targets }: Provider): number | null {
  const known = targets.map((target) => target.first_token_ms).filter((ms) => ms !== null);
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
