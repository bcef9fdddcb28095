// The requests that are over, newest first: a live tail, and a search.

import { useEffect, useRef, useState } from 'preact/hooks';

import { type LogQuery, logs, readiness } from '../api/endpoints';
import type { List, LogRecord } from '../api/types';
import { count, duration, exactTime, moment, plural, shortCount, usd } from '../format';
import { Link, setQuery, usePlace } from '../router';
import { OutcomeBadge } from '../ui/badge';
import { Check } from '../ui/field';
import { Loading, Problem } from '../ui/notice';
import { Page } from '../ui/page';
import { type Column, Table } from '../ui/table';
import { useAction, useQuery } from '../use-query';
import { type KeyNames, useKeyNames } from './key-names';
import { type Filter, RequestFilter, spans } from './request-filter';

const pageSize = '50';
const tailPause = 1000;

const nameOf = (record: LogRecord): string => record.id ?? record.request_id;

const columnsWith = (names: KeyNames): readonly Column<LogRecord>[] => [
  {
    title: 'Time',
    cell: (record) => (
      <Link to={`/requests/${encodeURIComponent(nameOf(record))}`} label={`Request of ${exactTime(record.time)}, ${record.model ?? ''}`}>
        <time dateTime={record.time}>{moment(record.time)}</time>
      </Link>
    ),
  },
  { title: 'Result', cell: (record) => <OutcomeBadge record={record} /> },
  { title: 'Model', cell: (record) => <ModelCell record={record} /> },
  { title: 'First token', kind: 'number', narrow: 'hide', cell: (record) => duration(record.timings_ms.first_token) },
  { title: 'Total', kind: 'number', cell: (record) => duration(record.timings_ms.total) },
  {
    title: 'Tokens', kind: 'number', narrow: 'hide',
    cell: ({ usage }) => (usage ? `${shortCount(usage.input)} → ${shortCount(usage.output)}` : '–'),
  },
  { title: 'Cost', kind: 'number', narrow: 'hide', cell: (record) => usd(record.cost.usd) },
  {
    title: 'Key', narrow: 'hide',
    cell: ({ key_id: id }) => (id ? <Link to={`/keys/${id}`}>{names.get(id) ?? `… ${id.slice(-6)}`}</Link> : '–'),
  },
];

function ModelCell({ record }: { record: LogRecord }) {
  const { model, model_served: served } = record;
  if (!model || !served || served === model) return <>{served ?? model ?? '–'}</>;
  return <>{model} <small class="soft">by {served}</small></>;
}

// What the address says, in the words of GET /v1/logs.
function queryOf(filter: Filter): LogQuery {
  const span = spans[filter.span];
  const failed = filter.result === 'failed';
  return {
    limit: pageSize,
    id: filter.id || undefined,
    model: filter.model || undefined,
    key: filter.key || undefined,
    provider: filter.provider || undefined,
    status: failed ? undefined : filter.result || undefined,
    error: failed ? '*' : undefined,
    from: filter.from ? new Date(filter.from).toISOString() : span && new Date(Date.now() - span.ms).toISOString(),
    to: filter.to ? new Date(filter.to).toISOString() : undefined,
  };
}

const filterOf = (query: URLSearchParams): Filter => ({
  id: query.get('id') ?? '',
  model: query.get('model') ?? '',
  key: query.get('key') ?? '',
  provider: query.get('provider') ?? '',
  result: query.get('result') ?? '',
  span: query.get('span') ?? '',
  from: query.get('from') ?? '',
  to: query.get('to') ?? '',
});

export function RequestsPage() {
  const { query } = usePlace();
  const filter = filterOf(query);
  const names = useKeyNames();
  const live = query.get('live') !== 'no' && !filter.to;
  const asked = JSON.stringify(filter);
  const newest = useQuery(async (signal) => ({ asked, page: await logs(queryOf(filter), signal) }), [asked], live ? tailPause : undefined);
  const now = useQuery((signal) => readiness(signal), [], live ? tailPause : undefined);
  const [tail, setTail] = useState<Tail>();
  useEffect(() => {
    if (newest.data) setTail((before) => extended(before, newest.data!.asked, newest.data!.page));
  }, [newest.data]);
  const older = useAction(async () => {
    const page = await logs({ ...queryOf(filter), after: tail?.after });
    setTail((before) => before && { ...before, rows: [...before.rows, ...page.data], after: page.last_id ?? undefined, hasMore: page.has_more ?? false });
  });

  return (
    <Page
      title="Requests"
      aside={<Check label="Live" checked={live} onChange={(on) => setQuery({ live: on ? undefined : 'no', ...(on ? { to: undefined } : {}) })} />}
    >
      <RequestFilter filter={filter} names={names} />
      <Problem error={newest.error} what="The requests can’t be shown" retry={newest.reload} />
      {!tail && !newest.error && <Loading />}
      {tail && (
        <>
          <TailStatus rows={tail.rows} live={live} running={now.data?.requests.running} />
          <Table
            caption="Requests, newest first" columns={columnsWith(names)} rows={tail.rows} keyOf={nameOf}
            rowClass={(record) => (record.outcome === 'error' || record.outcome === 'crashed' ? 'row-bad' : '')}
            empty={emptyText(filter)}
          />
          <Problem error={older.error} what="Older requests can’t be shown" />
          {tail.hasMore && (
            <button type="button" class="more" disabled={older.running} onClick={() => void older.run()}>
              {older.running ? 'Loading …' : 'Older requests'}
            </button>
          )}
        </>
      )}
    </Page>
  );
}

function emptyText(filter: Filter) {
  const narrowed = Object.values(filter).some(Boolean);
  return narrowed ? 'No request fits these filters.' : (
    <>
      No requests yet. Send one from the <Link to="/playground">playground</Link>, and it appears here.
    </>
  );
}

// What is shown: the newest, and as far down as the user went.
interface Tail {
  asked: string;
  rows: LogRecord[];
  after: string | undefined; // where the page below begins
  hasMore: boolean;
}

const rowsMax = 5000;

// Puts the newest page on top. Where more came than a page holds, what was there before goes: there would be a gap.
function extended(before: Tail | undefined, asked: string, page: List<LogRecord>): Tail {
  const fresh = { asked, rows: page.data, after: page.last_id ?? undefined, hasMore: page.has_more ?? false };
  if (before?.asked !== asked || before.rows.length > rowsMax) return fresh;
  const names = new Set(page.data.map(nameOf));
  const overlaps = before.rows.some((row) => names.has(nameOf(row)));
  if (!overlaps && page.has_more) return fresh;
  const rows = [...page.data, ...before.rows.filter((row) => !names.has(nameOf(row)))];
  return { ...before, rows: rows.sort((one, other) => other.time_ms - one.time_ms) };
}

interface TailStatusProps {
  rows: readonly LogRecord[];
  live: boolean;
  running: number | undefined;
}

// Says what has come, but not more often than one can listen to.
function TailStatus({ rows, live, running }: TailStatusProps) {
  const seen = useRef(new Set<string>());
  const [news, setNews] = useState('');
  const fresh = useRef(0);
  useEffect(() => {
    const first = seen.current.size === 0;
    for (const row of rows) {
      if (seen.current.has(nameOf(row))) continue;
      seen.current.add(nameOf(row));
      if (!first) fresh.current += 1;
    }
  }, [rows]);
  useEffect(() => {
    const timer = setInterval(() => {
      setNews(fresh.current ? `${plural(fresh.current, 'new request')}.` : '');
      fresh.current = 0;
    }, 5000);
    return () => clearInterval(timer);
  }, []);
  return (
    <div class="tail">
      <p class={live ? 'soft live' : 'soft'}>
        {live ? 'Live' : 'Not live'} · {count(rows.length)} shown{live && running ? ` · ${count(running)} running, shown when over` : ''}
      </p>
      <p class="off-screen" role="status">{news}</p>
    </div>
  );
}
