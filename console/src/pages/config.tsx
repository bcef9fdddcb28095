// The config that is running, whether another would do, and reading the file again.

import { useEffect, useRef, useState } from 'preact/hooks';

import { checkConfig, config as askConfig, reloadConfig } from '../api/endpoints';
import { ApiError } from '../api/http';
import type { ConfigProblem, ConfigText, Reloaded } from '../api/types';
import { plural } from '../format';
import { Copy } from '../ui/copy';
import { Loading, Notice, Problem } from '../ui/notice';
import { Page, Section } from '../ui/page';
import { useAction, useQuery } from '../use-query';

export function ConfigPage() {
  const running = useQuery((signal) => askConfig(signal), []);
  return (
    <Page title="Config">
      <Problem error={running.error} what="The config can’t be shown" retry={running.reload} />
      {!running.data && !running.error && <Loading />}
      {running.data && (
        <>
          <p class="lead">
            {running.data.file ? <>As it was read from <code>{running.data.file}</code>, with secrets masked.</> : 'There is no config file: these are the defaults, with the providers whose keys are in the environment.'}
          </p>
          <Editor running={running.data} />
          {running.data.file && <Reload file={running.data.file} onReloaded={running.reload} />}
        </>
      )}
    </Page>
  );
}

// The text can be edited to see whether it would do; the file stays as it is.
function Editor({ running }: { running: ConfigText }) {
  const [text, setText] = useState(running.text);
  const [problems, setProblems] = useState<ConfigProblem[]>();
  const area = useRef<HTMLTextAreaElement>(null);
  const numbers = useRef<HTMLPreElement>(null);
  useEffect(() => setText(running.text), [running.text]);
  const check = useAction(async () => setProblems((await checkConfig(text)).problems));
  const edit = (next: string) => {
    setText(next);
    setProblems(undefined);
  };
  const goTo = ({ line, column }: ConfigProblem) => {
    const lines = text.split('\n');
    const at = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + Math.max(0, column - 1);
    area.current?.focus();
    area.current?.setSelectionRange(at, at + Math.max(1, (lines[line - 1]?.length ?? 0) - column + 1));
    const lineHeight = parseFloat(getComputedStyle(area.current!).lineHeight);
    area.current!.scrollTop = Math.max(0, (line - 4) * lineHeight);
  };
  const lineCount = text.split('\n').length;
  const bad = new Set(problems?.map(({ line }) => line));
  return (
    <Section title="Text" aside={<Copy text={text} />}>
      <div class="editor">
        <pre class="line-numbers" aria-hidden="true" ref={numbers}>
          {Array.from({ length: lineCount }, (_, at) => <span key={at} class={bad.has(at + 1) ? 'bad-text' : ''}>{at + 1}{'\n'}</span>)}
        </pre>
        <textarea
          ref={area} aria-label="Config as YAML" spellcheck={false} wrap="off" value={text} rows={Math.min(36, Math.max(10, lineCount))}
          onInput={(event) => edit(event.currentTarget.value)}
          onScroll={(event) => (numbers.current!.scrollTop = event.currentTarget.scrollTop)}
        />
      </div>
      <div class="actions">
        <button type="button" class="main" disabled={check.running} onClick={() => void check.run()}>Check this text</button>
        {text !== running.text && <button type="button" onClick={() => edit(running.text)}>Back to the running one</button>}
        <small class="soft">Checking changes nothing. To use a text, write it to the file (with its secrets), then reload.</small>
      </div>
      <Problem error={check.error} what="It can’t be checked" />
      {problems?.length === 0 && <Notice kind="good" title="This config is right." />}
      {problems && problems.length > 0 && <Problems problems={problems} onGoTo={goTo} />}
    </Section>
  );
}

function Problems({ problems, onGoTo }: { problems: readonly ConfigProblem[]; onGoTo?: (problem: ConfigProblem) => void }) {
  return (
    <Notice kind="bad" title={plural(problems.length, 'problem')}>
      <ul>
        {problems.map((problem, index) => (
          <li key={index}>
            {problem.line > 0 && (onGoTo
              ? <button type="button" class="link" onClick={() => onGoTo(problem)}>Line {problem.line}, column {problem.column}</button>
              : `Line ${problem.line}, column ${problem.column}`)}
            {problem.line > 0 && ': '}{problem.message}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function Reload({ file, onReloaded }: { file: string; onReloaded: () => void }) {
  const [outcome, setOutcome] = useState<Reloaded>();
  const reload = useAction(async () => {
    setOutcome(undefined);
    setOutcome(await reloadConfig());
    onReloaded();
  });
  const problems = reload.error instanceof ApiError ? (reload.error.body as { problems?: ConfigProblem[] } | undefined)?.problems : undefined;
  return (
    <Section title="Reload">
      <p>Reads <code>{file}</code> again. Requests that run keep the config they began with; where the file has problems, nothing changes.</p>
      <button type="button" disabled={reload.running} onClick={() => void reload.run()}>{reload.running ? 'Reloading …' : 'Reload the config'}</button>
      {problems ? <><p class="bad-text">{reload.error?.message}</p><Problems problems={problems} /></> : <Problem error={reload.error} what="It was not reloaded" />}
      {outcome && <Changes changes={outcome} />}
    </Section>
  );
}

function Changes({ changes }: { changes: Reloaded }) {
  const told = [
    ['Providers added', changes.providers_added], ['Providers removed', changes.providers_removed],
    ['Models added', changes.models_added], ['Models removed', changes.models_removed], ['Need a restart', changes.need_restart],
  ] as const;
  const some = told.filter(([, names]) => names.length > 0);
  return (
    <Notice kind="good" title="Reloaded.">
      {some.length > 0 && <ul>{some.map(([title, names]) => <li key={title}>{title}: {names.join(', ')}</li>)}</ul>}
    </Notice>
  );
}
