// What is going on, now and lately.

import type { ComponentChildren } from 'preact';

import { logs, overview, providers, usage } from '../api/endpoints';
import type { LogRecord, Overview, Percentiles, Range, UsageRow } from '../api/types';
import { ago, count, duration, percent, shortCount, usd, words } from '../format';
import { Link, setQuery, usePlace, withQuery } from '../router';
import { Chart, type Series } from '../ui/chart';
import { Choice } from '../ui/choice';
import { Loading, Notice, Problem } from '../ui/notice';
import { Page, Section } from '../ui/page';
import { type Column, Table } from '../ui/table';
import { useQuery } from '../use-query';
import { HealthTable } from './provider-health';

const ranges: Record<Range, { title: string; ms: number; span: string; pause: number }> = {
  hour: { title: 'Hour', ms: 3_600_000, span: '1h', pause: 2000 },
  day: { title: 'Day', ms: 86_400_000, span: '1d', pause: 5000 },
  week: { title: 'Week', ms: 7 * 86_400_000, span: '7d', pause: 5000 },
};

interface Traffic {
  times: number[];
  requests: number[];
  errors: number[];
  input: number[];
  output: number[];
  cost: number[];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function fromMemory({ points }: Overview): Traffic {
  return {
    times: points.map((point) => point.time_ms),
    requests: points.map((point) => point.requests),
    errors: points.map((point) => point.errors),
    input: points.map((point) => point.input_tokens),
    output: points.map((point) => point.output_tokens),
    cost: points.map((point) => point.cost_usd),
  };
}

// Hours in which nothing happened are not among the store's rows.
function fromStore({ points }: Overview, rows: readonly UsageRow[]): Traffic {
  const byTime = new Map(rows.map((row) => [Date.parse(row.group ?? ''), row]));
  const times = points.map((point) => point.time_ms);
  const all = (member: 'requests' | 'errors' | 'input_tokens' | 'output_tokens' | 'cost_usd') =>
    times.map((time) => byTime.get(time)?.[member] ?? 0);
  return {
    times, requests: all('requests'), errors: all('errors'), input: all('input_tokens'), output: all('output_tokens'),
    cost: all('cost_usd'),
  };
}

export function OverviewPage() {
  const { query } = usePlace();
  const given = query.get('range');
  const range: Range = given === 'day' || given === 'week' ? given : 'hour';
  return (
    <Page
      title="Overview"
      aside={
        <Choice
          label="Time range" value={range} options={(Object.keys(ranges) as Range[]).map((name) => [name, ranges[name].title] as const)}
          onChange={(next) => setQuery({ range: next === 'hour' ? undefined : next })}
        />
      }
    >
      <OverviewOf range={range} key={range} />
    </Page>
  );
}

// The last hour comes from the process's own memory; longer ranges from the store, which outlives the process.
function OverviewOf({ range }: { range: Range }) {
  const { ms, pause } = ranges[range];
  const now = useQuery((signal) => overview(range, signal), [range], pause);
  const since = () => new Date(Math.floor((Date.now() - ms) / 3_600_000) * 3_600_000).toISOString();
  const stored = useQuery(
    async (signal) => (range === 'hour' ? undefined : usage({ from: since(), group_by: 'hour' }, signal)), [range], 30_000,
  );
  const health = useQuery((signal) => providers(signal), [], 5000);
  const failed = useQuery((signal) => logs({ error: '*', limit: '5', from: new Date(Date.now() - ms).toISOString() }, signal), [range], 5000);

  if (!now.data) return now.error ? <Problem error={now.error} what="The overview can’t be shown" retry={now.reload} /> : <Loading />;
  const traffic = stored.data ? fromStore(now.data, stored.data.data) : fromMemory(now.data);
  return (
    <>
      {now.error && <Problem error={now.error} what="These figures are getting old" />}
      {range !== 'hour' && stored.error && (
        <Notice kind="warn" title="Only what this process remembers is shown, since its start.">{stored.error.message}</Notice>
      )}
      <Figures now={now.data} traffic={traffic} range={range} />
      <div class="charts">
        <TrafficCharts now={now.data} traffic={traffic} />
      </div>
      <Section title="Latest failures" aside={<Link to={withQuery('/requests', { result: 'failed', span: ranges[range].span })}>All of them</Link>}>
        {failed.error ? <Problem error={failed.error} what="Failures can’t be listed" /> : (
          <Table caption="Latest failures" columns={failureColumns} rows={failed.data?.data ?? []} keyOf={(record) => record.id ?? record.request_id} empty={`None in the last ${range}.`} />
        )}
      </Section>
      <Section title="Providers" aside={<Link to="/providers">Details</Link>}>
        <Problem error={health.error} what="The providers’ health can’t be shown" />
        {health.data && <HealthTable providers={health.data.data} />}
      </Section>
    </>
  );
}

const failureColumns: readonly Column<LogRecord>[] = [
  {
    title: 'When',
    cell: (record) => <Link to={`/requests/${encodeURIComponent(record.id ?? record.request_id)}`}>{ago(record.time)}</Link>,
  },
  { title: 'Model', cell: (record) => record.model_served ?? record.model ?? '–' },
  { title: 'Error', cell: (record) => <span class="bad-text">{record.status} {words(record.error?.code ?? '')}</span> },
  { title: 'Detail', narrow: 'hide', cell: (record) => <span class="clip">{record.error?.detail ?? ''}</span> },
];

interface FigureProps {
  title: string;
  value: ComponentChildren;
  note?: ComponentChildren;
}

const Figure = ({ title, value, note }: FigureProps) => (
  <div class="figure">
    <dt>{title}</dt>
    <dd><strong>{value}</strong>{note && <small>{note}</small>}</dd>
  </div>
);

const Spread = ({ of: { p90, p99 } }: { of: Percentiles }) => <>p90 {duration(p90)}<br />p99 {duration(p99)}</>;

function Figures({ now, traffic, range }: { now: Overview; traffic: Traffic; range: Range }) {
  const requests = sum(traffic.requests);
  const errors = sum(traffic.errors);
  const toErrors = withQuery('/requests', { result: 'failed', span: ranges[range].span });
  const { running, waiting, limit } = now.requests;
  return (
    <dl class="figures">
      <Figure title="Requests" value={count(requests)} note={`in the last ${range}`} />
      <Figure
        title="Errors" note={requests ? percent(errors / requests) : undefined}
        value={errors ? <Link to={toErrors} class="bad-text" label={`${count(errors)} errors: show them`}>{count(errors)}</Link> : '0'}
      />
      <Figure title="Open now" value={count(running)} note={waiting ? `${count(waiting)} waiting` : limit ? `of ${count(limit)}` : 'requests'} />
      <Figure title="First token p50" value={duration(now.first_token_ms.p50)} note={<Spread of={now.first_token_ms} />} />
      <Figure title="Total time p50" value={duration(now.total_ms.p50)} note={<Spread of={now.total_ms} />} />
      <Figure title="Tokens" value={shortCount(sum(traffic.input) + sum(traffic.output))} note={`${shortCount(sum(traffic.input))} in, ${shortCount(sum(traffic.output))} out`} />
      <Figure title="Cost" value={usd(sum(traffic.cost))} note={<Link to="/usage">by key and model</Link>} />
    </dl>
  );
}

function TrafficCharts({ now, traffic }: { now: Overview; traffic: Traffic }) {
  const { points } = now;
  const step = now.step_ms >= 3_600_000 ? 'hour' : 'minute';
  const times = traffic.times;
  const requests: Series[] = [
    { title: 'requests', values: traffic.requests, tone: 'one', drawn: 'bars' },
    { title: 'errors', values: traffic.errors, tone: 'bad', drawn: 'bars' },
  ];
  const latency: Series[] = [
    { title: 'first token p50', values: points.map((point) => point.first_token_ms.p50), tone: 'one', drawn: 'line' },
    { title: 'first token p90', values: points.map((point) => point.first_token_ms.p90), tone: 'two', drawn: 'line' },
    { title: 'total p50', values: points.map((point) => point.total_ms.p50), tone: 'three', drawn: 'line' },
  ];
  const tokens: Series[] = [
    { title: 'out', values: traffic.output, tone: 'two', drawn: 'line' },
    { title: 'in', values: traffic.input, tone: 'one', drawn: 'line' },
  ];
  const cost: Series[] = [{ title: 'cost', values: traffic.cost, tone: 'three', drawn: 'bars' }];
  return (
    <>
      <Chart title={`Requests per ${step}`} times={times} series={requests} format={shortCount} />
      <Chart title="Latency" times={points.map((point) => point.time_ms)} series={latency} format={duration} />
      <Chart title={`Tokens per ${step}`} times={times} series={tokens} format={shortCount} />
      <Chart title={`Cost per ${step}`} times={times} series={cost} format={usd} />
    </>
  );
}
