// One request, from its first attempt to its last frame.

import { log, logContent } from '../api/endpoints';
import type { LogContent, LogRecord } from '../api/types';
import { duration, exactTime } from '../format';
import { Link, navigate, setQuery, usePlace } from '../router';
import { asCurl } from '../stream/curl';
import { OutcomeBadge } from '../ui/badge';
import { Copy } from '../ui/copy';
import { Loading, Notice, Problem } from '../ui/notice';
import { Page, Section } from '../ui/page';
import { type Tab, Tabs } from '../ui/tabs';
import { type Query, useQuery } from '../use-query';
import { CostTable, Facts } from './request-facts';
import { Frames } from './request-frames';
import { NotKept } from './request-not-kept';
import { Replay } from './request-replay';
import { whatHappened } from './request-story';
import { Waterfall } from './request-waterfall';

export function RequestPage({ id }: { id: string }) {
  const record = useQuery((signal) => log(id, signal), [id]);
  const content = useQuery((signal) => logContent(id, signal), [id]);
  if (record.error?.status === 404) return <UnknownRequest id={id} retry={record.reload} />;
  return (
    <Page
      title="Request"
      lead={<code class="id">{id}</code>}
      aside={record.data && <Actions record={record.data} content={content.data} />}
    >
      <Problem error={record.error} what="This request can’t be shown" retry={record.reload} />
      {!record.data && !record.error && <Loading />}
      {record.data && <Whole record={record.data} content={content} />}
    </Page>
  );
}

function UnknownRequest({ id, retry }: { id: string; retry: () => void }) {
  return (
    <Page title="Unknown request" lead={<code class="id">{id}</code>}>
      <Notice kind="warn" title="No request with this id is in the log.">
        <p>
          Look for a typing error: an id is the answer’s <code>id</code> (<code>chatcmpl-…</code>, also in the header{' '}
          <code>X-Completion-Id</code>) or its <code>X-Request-ID</code>. A request appears when it is over, and goes when the log’s
          retention is over.
        </p>
        <div class="actions">
          <button type="button" onClick={retry}>Look again</button>
          <Link class="button" to={`/requests?id=${encodeURIComponent(id)}`}>Search for ids that begin like this</Link>
        </div>
      </Notice>
    </Page>
  );
}

// The client's own body where it was kept; otherwise what the record knows of it.
function bodyOf(record: LogRecord, content: LogContent | undefined): object {
  return content?.request ?? {
    model: record.model,
    stream: record.stream,
    messages: [{ role: 'user', content: '(the messages of this request were not kept)' }],
  };
}

function Actions({ record, content }: { record: LogRecord; content: LogContent | undefined }) {
  const body = bodyOf(record, content);
  const curl = () => asCurl({ origin: location.origin, body, dialect: record.dialect, needsKey: Boolean(record.key_id) });
  const again = () => {
    sessionStorage.setItem('runnel-playground', JSON.stringify(body));
    navigate('/playground?from=request');
  };
  return (
    <>
      <Copy label="Copy as curl" text={curl} />
      {content?.request && <button type="button" class="small" onClick={again}>Open in playground</button>}
      <Copy label="Copy id" text={record.id ?? record.request_id} />
    </>
  );
}

function Whole({ record, content }: { record: LogRecord; content: Query<LogContent> }) {
  const { query } = usePlace();
  const id = record.id ?? record.request_id;
  const kept = content.data;
  const tabs: Tab[] = [
    { id: 'timeline', title: 'Timeline', content: () => <Timeline content={content} /> },
    { id: 'frames', title: 'Raw frames', content: () => <Frames id={id} dialect={record.dialect ?? 'openai'} kept={Boolean(kept?.answer)} missing={content.error} /> },
    { id: 'request', title: 'Request', content: () => (kept?.request ? <pre class="code">{JSON.stringify(kept.request, null, 2)}</pre> : <NotKept error={content.error} />) },
    { id: 'cost', title: 'Cost', content: () => <CostTable record={record} /> },
    { id: 'record', title: 'Record', content: () => <pre class="code">{JSON.stringify(record, null, 2)}</pre> },
  ];
  return (
    <>
      <section class="story" aria-label="What happened">
        <p class="story-head">
          <OutcomeBadge record={record} /> <strong>{record.model ?? '–'}</strong>{' '}
          <span class="soft">{exactTime(record.time)} · {duration(record.timings_ms.total)}</span>
        </p>
        {whatHappened(record).map((sentence, index) => <p key={index}>{sentence}</p>)}
      </section>
      {(record.attempts.length > 0 || record.tools.length > 0) && (
        <Section title={record.tools.length ? 'Attempts and tools' : 'Attempts'}><Waterfall record={record} /></Section>
      )}
      <Tabs label="Parts of the request" tabs={tabs} chosen={query.get('part') ?? 'timeline'} onChoose={(part) => setQuery({ part })} />
      <Section title="Details"><Facts record={record} /></Section>
    </>
  );
}

function Timeline({ content }: { content: Query<LogContent> }) {
  if (content.data?.answer?.events.length) return <Replay answer={content.data.answer} />;
  if (content.data?.answer) return <Notice kind="info">Nothing was streamed: the request was over before the first token. What happened is told above.</Notice>;
  if (content.loading) return <Loading />;
  return <NotKept error={content.error} />;
}
