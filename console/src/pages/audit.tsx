// Who changed what about the gateway, newest first.

import { useEffect, useState } from 'preact/hooks';

import { audit } from '../api/endpoints';
import type { AuditEntry } from '../api/types';
import { exactTime, moment } from '../format';
import { Link, setQuery, usePlace } from '../router';
import { Loading, Problem } from '../ui/notice';
import { Page } from '../ui/page';
import { type Column, Table } from '../ui/table';
import { useAction, useQuery } from '../use-query';

const isKey = (entry: AuditEntry): boolean => entry.action.startsWith('key.');

const shown = (value: unknown): string => (value === null ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value));

// A change of a key is a pair of what was and what is; others are told as they are.
function Changes({ entry }: { entry: AuditEntry }) {
  const changes = Object.entries(entry.changes);
  if (changes.length === 0) return <>–</>;
  return (
    <details>
      <summary>{changes.map(([name]) => name).join(', ')}</summary>
      <ul>
        {changes.map(([name, value]) => (
          <li key={name}>
            <code>{name}</code>: {isKey(entry) && Array.isArray(value) ? `${shown(value[0])} → ${shown(value[1])}` : shown(value)}
          </li>
        ))}
      </ul>
    </details>
  );
}

const columns: readonly Column<AuditEntry>[] = [
  { title: 'Time', cell: (entry) => <time dateTime={entry.at} title={exactTime(entry.at)}>{moment(entry.at)}</time> },
  { title: 'What', cell: (entry) => entry.action },
  {
    title: 'Of',
    cell: (entry) =>
      entry.subject === null ? '–' : isKey(entry) ? <Link to={`/keys/${entry.subject}`}>{entry.subject}</Link> : entry.subject,
  },
  { title: 'By', cell: (entry) => `${entry.by}${entry.address ? `, ${entry.address}` : ''}` },
  { title: 'Changes', cell: (entry) => <Changes entry={entry} /> },
];

export function AuditPage() {
  const { query } = usePlace();
  const subject = query.get('subject') ?? undefined;
  const newest = useQuery((signal) => audit({ subject }, signal), [subject]);
  const [older, setOlder] = useState<{ entries: AuditEntry[]; more: boolean }>();
  useEffect(() => setOlder(undefined), [newest.data]);
  const entries = [...(newest.data?.data ?? []), ...(older?.entries ?? [])];
  const more = older ? older.more : Boolean(newest.data?.has_more);
  const load = useAction(async () => {
    const page = await audit({ subject, after: entries.at(-1)?.id });
    setOlder({ entries: [...(older?.entries ?? []), ...page.data], more: Boolean(page.has_more) });
  });
  return (
    <Page title="Audit log" lead="Every change of keys, config and logs: who made it, from where, and what is other than before.">
      {subject && (
        <p>
          Only what was done to <code>{subject}</code>.{' '}
          <button type="button" class="small" onClick={() => setQuery({ subject: undefined })}>Show all</button>
        </p>
      )}
      <Problem error={newest.error} what="The audit log can’t be shown" retry={newest.reload} />
      {!newest.data && !newest.error && <Loading />}
      {newest.data && (
        <Table
          caption="Changes, newest first" columns={columns} rows={entries} keyOf={({ id }) => id}
          empty="Nothing was changed yet."
        />
      )}
      <Problem error={load.error} what="Older entries can’t be shown" />
      {more && <button type="button" disabled={load.running} onClick={() => void load.run()}>Show older ones</button>}
    </Page>
  );
}
