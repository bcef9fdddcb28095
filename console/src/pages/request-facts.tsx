import type { ComponentChildren } from 'preact';

import type { CostLine, LogRecord } from '../api/types';
import { bytes, count, duration, exactTime, usd } from '../format';
import { Link } from '../router';
import { type Column, Table } from '../ui/table';

type Fact = readonly [title: string, value: ComponentChildren];

function factsOf(record: LogRecord): Fact[] {
  const { timings_ms: times, usage } = record;
  const cached = usage?.cache_read ? `, ${count(usage.cache_read)} from a cache` : '';
  const thought = usage?.reasoning ? `, ${count(usage.reasoning)} of it reasoning` : '';
  const facts: (Fact | false | null)[] = [
    ['Completion id', record.id],
    ['Request id', record.request_id],
    ['Time', exactTime(record.time)],
    ['Key', record.key_id && <Link to={`/keys/${record.key_id}`}>{record.key_id}</Link>],
    ['Team', record.team],
    ['Model asked for', record.model],
    [record.outcome === 'ok' ? 'Served by' : 'Asked last', record.model_served],
    ['Provider', record.provider],
    ['Dialect', record.dialect && `${record.dialect}, ${record.stream ? 'streamed' : 'whole'}`],
    ['Finish', record.finish_reason],
    usage && ['Tokens in', count(usage.input) + cached],
    usage && ['Tokens out', count(usage.output) + thought],
    usage && usage.provenance !== 'reported' && ['Tokens are', usage.provenance],
    ['Cost', record.cost.usd === null ? 'not known: the model has no price' : usd(record.cost.usd)],
    ['First token', duration(times.first_token)],
    ['Total', duration(times.total)],
    ['Longest pause', duration(times.longest_gap)],
    ['Cache', record.cache],
    ['Warnings', record.warnings.join(', ')],
    record.malformed_frames > 0 && ['Malformed frames', count(record.malformed_frames)],
    ['Client', record.client_address],
    ['Sent', bytes(record.bytes_out)],
    record.metadata ? ['Metadata', <code>{JSON.stringify(record.metadata)}</code>] : null,
  ];
  return facts.filter((fact): fact is Fact => Boolean(fact && fact[1]));
}

export const Facts = ({ record }: { record: LogRecord }) => (
  <dl class="facts">
    {factsOf(record).map(([title, value]) => (
      <div key={title}><dt>{title}</dt><dd>{value}</dd></div>
    ))}
  </dl>
);

const costColumns: readonly Column<CostLine>[] = [
  { title: 'For', cell: (line) => line.description ?? line.sku },
  { title: 'Quantity', kind: 'number', cell: (line) => count(line.quantity) },
  { title: 'Unit price', kind: 'number', cell: (line) => usd(line.unit_price) },
  { title: 'Amount', kind: 'number', cell: (line) => usd(line.amount_usd) },
];

export const CostTable = ({ record }: { record: LogRecord }) => (
  <>
    <Table
      caption="What the request cost" columns={costColumns} rows={record.cost.lines} keyOf={(line) => line.sku}
      empty={record.cost.usd === null ? 'What this cost is not known: the model has no price in the config or the price list.' : 'Nothing was charged.'}
    />
    {record.cost.lines.length > 0 && <p class="total">In all {usd(record.cost.usd)}</p>}
  </>
);
