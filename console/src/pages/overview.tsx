// What is going on, now and lately.

import type { ComponentChildren } from 'preact';

import { logs, overview, providers, usage } from '../api/endpoints';
import type { LogRecord, Overview, Percentiles, Provider, Range, TrafficPoint, UsageRow } from '../api/types';
import { ago, count, duration, percent, providerSaid, shortCount, usd } from '../format';
import { Link, setQuery, usePlace, withQuery } from '../router';
import { Chart, type Series } from '../ui/chart';
import { Choice } from '../ui/choice';
import { Loading, Notice, Problem } from '../ui/notice';
import { Page, Section } from '../ui/page';
import { type Column, Table } from '../ui/table';
import { useQuery } from '../use-query';
import { failureOf } from '../ui/badge';
import { HealthTable, healthOf } from './provider-health';

const hour = 3_600_000;
const day = 24 * hour;

interface Span {
  title: string;
  ms: number;
  span: string; // what the requests' page calls it
  pause: number;
  remembered: Range; // how much of it the process's memory has
  step: 'minute' | 'hour' | 'day';
}

const spans: Record<Range | 'month', Span> = {
  hour: { title: 'Hour', ms: hour, span: '1h', pause: 2000, remembered: 'hour', step: 'minute' },
  day: { title: 'Day', ms: day, span: '1d', pause: 5000, remembered: 'day', step: 'hour' },
  week: { title: 'Week', ms: 7 * day, span: '7d', pause: 5000, remembered: 'week', step: 'hour' },
  month: { title: 'Month', ms: 30 * day, span: '30d', pause: 5000, remembered: 'week', step: 'day' },
};
type SpanName = keyof typeof spans;
const spanNames = Object.keys(spans) as SpanName[];

interface Traffic {
  step: Span['step'];
  times: number[];
  requests: number[];
  errors: number[];
  input: number[];
  output: number[];
  cost: number[];
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function fromMemory({ points, step_ms: step }: Overview): Traffic {
  return {
    step: step < hour ? 'minute' : 'hour',
    times: points.map((point) => point.time_ms),
    requests: points.map((point) => point.requests),
    errors: points.map((point) => point.errors),
    input: points.map((point) => point.input_tokens),
    output: points.map((point) => point.output_tokens),
    cost: points.map((point) => point.cost_usd),
  };
}

// Whole steps up to the end of the one that runs: the store has sums of those.
function boundsOf({ ms, step }: Span): { from: number; until: number; length: number } {
  const length = step === 'day' ? day : hour;
  const until = (Math.floor(Date.now() / length) + 1) * length;
  return { from: until - ms, until, length };
}

// Times in which nothing happened are not among the store's rows.
function fromStore(span: Span, rows: readonly UsageRow[]): Traffic {
  const byTime = new Map(rows.map((row) => [Date.parse(row.group ?? ''), row]));
  const { from, until, length } = boundsOf(span);
  const times = Array.from({ length: (until - from) / length }, (_, at) => from + at * length);
  const all = (member: 'requests' | 'errors' | 'input_tokens' | 'output_tokens' | 'cost_usd') =>
    times.map((time) => byTime.get(time)?.[member] ?? 0);
  return {
    step: span.step, times, requests: all('requests'), errors: all('errors'), input: all('input_tokens'), output: all('output_tokens'),
    cost: all('cost_usd'),
  };
}

export function OverviewPage() {
  const { query } = usePlace();
  const range = spanNames.find((name) => name === query.get('range')) ?? 'hour';
  return (
    <Page
      title="Overview"
      aside={
        <Choice
          label="Time range" value={range} options={spanNames.map((name) => [name, spans[name].title] as const)}
          onChange={(next) => setQuery({ range: next === 'hour' ? undefined : next })}
        />
      }
    >
      <OverviewOf range={range} key={range} />
    </Page>
  );
}

// The last hour comes from the process's own memory; longer ranges from the store, which outlives the process.
function OverviewOf({ range }: { range: SpanName }) {
  const span = spans[range];
  const { ms, pause, step } = span;
  const now = useQuery((signal) => overview(span.remembered, signal), [range], pause);
  const stored = useQuery(async (signal) => {
    if (step === 'minute') return undefined;
    const { from, until } = boundsOf(span);
    return usage({ from: new Date(from).toISOString(), to: new Date(until).toISOString(), group_by: step }, signal);
  }, [range], pause);
  const health = useQuery((signal) => providers(signal), [], 5000);
  const failed = useQuery((signal) => logs({ error: '*', limit: '5', from: new Date(Date.now() - ms).toISOString() }, signal), [range], 5000);

  if (!now.data) return now.error ? <Problem error={now.error} what="The overview can’t be shown" retry={now.reload} /> : <Loading />;
  if (step !== 'minute' && stored.loading && !stored.data && !stored.error) return <Loading />;
  const traffic = stored.data ? fromStore(span, stored.data.data) : fromMemory(now.data);
  return (
    <>
      {now.error && <Problem error={now.error} what="These figures are getting old" />}
      {range !== 'hour' && stored.error && (
        <Notice kind="warn" title="Only what this process remembers is shown, since its start.">{stored.error.message}</Notice>
      )}
      <Figures now={now.data} traffic={traffic} range={range} providers={health.data?.data} />
      {sum(traffic.requests) === 0 && (
        <Notice kind="info" title={`Nothing was asked in the last ${range}.`}>
          Ask something in the <Link to="/playground">playground</Link>, or send a request to <code>{location.origin}/v1/chat/completions</code>: it
          shows up here when it is over.
        </Notice>
      )}
      <div class="charts">
        <TrafficCharts now={now.data} traffic={traffic} />
      </div>
      <Section title="Latest failures" aside={<Link to={withQuery('/requests', { result: 'failed', span: span.span })}>All of them</Link>}>
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
    cell: (record) => <Link to={`/requests/${encodeURIComponent(record.id ?? record.request_id)}`} class="when">{ago(record.time)}</Link>,
  },
  { title: 'Model', cell: (record) => record.model ?? '–' },
  { title: 'What happened', cell: (record) => <span class="bad-text">{failureOf(record)}</span> },
  { title: 'Detail', narrow: 'hide', cell: (record) => <span class="clip">{providerSaid(record.error?.detail ?? '')}</span> },
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

// What is remembered of a month is its last week.
const Spread = ({ of: { p90, p99 }, range }: { of: Percentiles; range: SpanName }) => (
  <>p90 {duration(p90)}, p99 {duration(p99)}{range === 'month' && <><br />in the last week</>}</>
);

interface FiguresProps {
  now: Overview;
  traffic: Traffic;
  range: SpanName;
  providers: readonly Provider[] | undefined;
}

function Figures({ now, traffic, range, providers: asked = [] }: FiguresProps) {
  const requests = sum(traffic.requests);
  const errors = sum(traffic.errors);
  const toErrors = withQuery('/requests', { result: 'failed', span: spans[range].span });
  const unhealthy = asked.filter((provider) => !['good', 'plain'].includes(healthOf(provider).tone)).length;
  const { running, waiting, limit } = now.requests;
  return (
    <dl class="figures">
      <Figure title="Requests" value={count(requests)} note={`in the last ${range}`} />
      <Figure
        title="Errors" note={requests ? percent(errors / requests) : undefined}
        value={errors ? <Link to={toErrors} class="bad-text" label={`${count(errors)} errors: show them`}>{count(errors)}</Link> : '0'}
      />
      <Figure title="Open now" value={count(running)} note={waiting ? `${count(waiting)} waiting` : limit ? `of ${count(limit)}` : 'requests'} />
      <Figure title="First token p50" value={duration(now.first_token_ms.p50)} note={<Spread of={now.first_token_ms} range={range} />} />
      <Figure title="Total time p50" value={duration(now.total_ms.p50)} note={<Spread of={now.total_ms} range={range} />} />
      <Figure title="Tokens" value={shortCount(sum(traffic.input) + sum(traffic.output))} note={`${shortCount(sum(traffic.input))} in, ${shortCount(sum(traffic.output))} out`} />
      <Figure title="Cost" value={usd(sum(traffic.cost))} note={<Link to="/usage">by key and model</Link>} />
      <Figure
        title="Providers" note={<Link to="/providers">health and circuits</Link>}
        value={unhealthy ? <span class="bad-text">{unhealthy} of {asked.length} unhealthy</span> : asked.length ? `${asked.length} ${asked.some(({ targets }) => targets.length) ? 'healthy' : 'idle'}` : '–'}
      />
    </dl>
  );
}

const spread = (points: readonly TrafficPoint[], of: 'first_token_ms' | 'total_ms'): Series[] => [
  { title: 'p50', values: points.map((point) => point[of].p50), tone: 'one', drawn: 'line' },
  { title: 'p90', values: points.map((point) => point[of].p90), tone: 'two', drawn: 'line' },
  { title: 'p99', values: points.map((point) => point[of].p99), tone: 'three', drawn: 'line' },
];

function TrafficCharts({ now, traffic }: { now: Overview; traffic: Traffic }) {
  const { points } = now;
  const { step, times } = traffic;
  const pointTimes = points.map((point) => point.time_ms);
  const requests: Series[] = [
    { title: 'requests', values: traffic.requests, tone: 'one', drawn: 'bars' },
    { title: 'errors', values: traffic.errors, tone: 'bad', drawn: 'bars' },
  ];
  const tokens: Series[] = [
    { title: 'in', values: traffic.input, tone: 'one', drawn: 'line' },
    { title: 'out', values: traffic.output, tone: 'two', drawn: 'line' },
  ];
  const cost: Series[] = [{ title: 'cost', values: traffic.cost, tone: 'three', drawn: 'bars' }];
  return (
    <>
      <Chart title={`Requests per ${step}`} times={times} series={requests} format={shortCount} class="wide" />
      <Chart title="Time to the first token" times={pointTimes} series={spread(points, 'first_token_ms')} format={duration} />
      <Chart title="Total time" times={pointTimes} series={spread(points, 'total_ms')} format={duration} />
      <Chart title={`Tokens per ${step}`} times={times} series={tokens} format={shortCount} />
      <Chart title={`Cost per ${step}`} times={times} series={cost} format={usd} />
    </>
  );
}
