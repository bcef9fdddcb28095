// What was used and what it cost: by key, team, model, provider, day.

import { usage, type UsageQuery } from '../api/endpoints';
import type { UsageRow } from '../api/types';
import { count, shortCount, usd } from '../format';
import { Link, setQuery, usePlace } from '../router';
import { Chart } from '../ui/chart';
import { Choice } from '../ui/choice';
import { SelectField, TextField } from '../ui/field';
import { Loading, Problem } from '../ui/notice';
import { Page, Section } from '../ui/page';
import { type Column, Table } from '../ui/table';
import { useQuery } from '../use-query';
import { useKeyNames } from './key-names';
import { asCsv, download } from './usage-csv';

type Group = NonNullable<UsageQuery['group_by']>;

const groups: readonly (readonly [Group, string])[] = [
  ['key', 'Key'], ['model', 'Model'], ['day', 'Day'], ['team', 'Team'], ['provider', 'Provider'],
];

const day = 86_400_000;
const spans = { '7': 'Last 7 days', '30': 'Last 30 days', '90': 'Last 90 days', month: 'This month', custom: 'From … to …' } as const;
type Span = keyof typeof spans;

const midnight = (time: number): number => Math.floor(time / day) * day; // UTC, as the gateway counts

// Days are the gateway's, in UTC; the end is not included.
function boundsOf(span: Span, from: string | null, to: string | null): { from: string; to: string } {
  const tomorrow = midnight(Date.now()) + day;
  const first = new Date();
  const begin = span === 'month' ? Date.UTC(first.getUTCFullYear(), first.getUTCMonth()) : tomorrow - Number(span === 'custom' ? 7 : span) * day;
  const chosen = (text: string | null, usual: number, add: number) => {
    const time = span === 'custom' && text ? Date.parse(`${text}T00:00:00Z`) + add : NaN;
    return new Date(Number.isNaN(time) ? usual : time).toISOString();
  };
  return { from: chosen(from, begin, 0), to: chosen(to, tomorrow, day) };
}

export function UsagePage() {
  const { query } = usePlace();
  const span = (Object.keys(spans) as Span[]).find((name) => name === query.get('span')) ?? '30';
  const group = groups.find(([name]) => name === query.get('by'))?.[0] ?? 'key';
  const bounds = boundsOf(span, query.get('from'), query.get('to'));
  return (
    <Page
      title="Usage"
      aside={<Choice label="Group by" value={group} options={groups} onChange={(by) => setQuery({ by })} />}
    >
      <form class="filters" aria-label="Time range" onSubmit={(event) => event.preventDefault()}>
        <SelectField label="Time (UTC)" value={span} options={Object.entries(spans) as [Span, string][]} onChange={(next) => setQuery({ span: next })} />
        {span === 'custom' && (
          <>
            <TextField label="From" type="date" value={bounds.from.slice(0, 10)} onInput={(from) => setQuery({ from })} />
            <TextField label="To" type="date" value={new Date(Date.parse(bounds.to) - day).toISOString().slice(0, 10)} onInput={(to) => setQuery({ to })} />
          </>
        )}
      </form>
      <CostPerDay from={bounds.from} to={bounds.to} />
      <UsageBy group={group} from={bounds.from} to={bounds.to} key={group} />
    </Page>
  );
}

interface Bounds {
  from: string;
  to: string;
}

function CostPerDay({ from, to }: Bounds) {
  const { data, error, reload } = useQuery((signal) => usage({ from, to, group_by: 'day' }, signal), [from, to]);
  if (error) return <Problem error={error} what="Usage can’t be shown" retry={reload} />;
  if (!data) return <Loading />;
  const byDay = new Map(data.data.map((row) => [midnight(Date.parse(row.group ?? '')), row]));
  const times = [...Array(Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / day))).keys()].map((at) => midnight(Date.parse(from)) + at * day);
  const cost = times.map((time) => byDay.get(time)?.cost_usd ?? 0);
  const requests = times.map((time) => byDay.get(time)?.requests ?? 0);
  return (
    <div class="charts">
      <Chart title="Cost per day" times={times} format={usd} series={[{ title: 'cost', values: cost, tone: 'three', drawn: 'bars' }]} />
      <Chart title="Requests per day" times={times} format={shortCount} series={[{ title: 'requests', values: requests, tone: 'one', drawn: 'bars' }]} />
    </div>
  );
}

function UsageBy({ group, from, to }: Bounds & { group: Group }) {
  const { data, error, reload } = useQuery((signal) => usage({ from, to, group_by: group }, signal), [from, to, group]);
  const names = useKeyNames();
  const nameOf = (row: UsageRow): string => {
    if (group === 'day' || group === 'hour') return (row.group ?? '').slice(0, 10);
    return names.get(row.group ?? '') ?? (row.group || `no ${group}`);
  };
  const title = groups.find(([name]) => name === group)![1];
  const columns: readonly Column<UsageRow>[] = [
    { title, cell: (row) => (group === 'key' && row.group ? <Link to={`/keys/${row.group}`}>{nameOf(row)}</Link> : nameOf(row)) },
    { title: 'Cost', kind: 'number', cell: (row) => usd(row.cost_usd) + (row.unpriced_requests ? ' *' : '') },
    { title: 'Requests', kind: 'number', cell: (row) => count(row.requests) },
    { title: 'Errors', kind: 'number', narrow: 'hide', cell: (row) => count(row.errors) },
    { title: 'Tokens in', kind: 'number', narrow: 'hide', cell: (row) => shortCount(row.input_tokens) },
    { title: 'from cache', kind: 'number', narrow: 'hide', cell: (row) => shortCount(row.cached_tokens) },
    { title: 'Tokens out', kind: 'number', narrow: 'hide', cell: (row) => shortCount(row.output_tokens) },
    { title: 'reasoning', kind: 'number', narrow: 'hide', cell: (row) => shortCount(row.reasoning_tokens) },
  ];
  const rows = data?.data ?? [];
  const save = () => download(`runnel-usage-by-${group}-${from.slice(0, 10)}.csv`, asCsv(group, rows, nameOf));
  return (
    <Section title={`By ${title.toLowerCase()}`} aside={<button type="button" class="small" disabled={rows.length === 0} onClick={save}>Download CSV</button>}>
      <Problem error={error} what="Usage can’t be shown" retry={reload} />
      {!data && !error && <Loading />}
      {data && <Table caption={`Usage by ${group}`} columns={columns} rows={rows} keyOf={(row) => row.group ?? ''} empty="Nothing was used in this time." />}
      {rows.some((row) => row.unpriced_requests > 0) && (
        <p class="soft small-print">* Some of these requests went to models without a price; what they cost is not in the sum.</p>
      )}
    </Section>
  );
}
