// A timeline, drawn in its order.

import { Component } from 'preact';

import { count, duration, pretty, words } from '../format';
import type { Citation } from '../stream/events';
import type { Step, StepList } from '../stream/steps';

interface StepsProps {
  list: StepList;
  stamp: number; // changes whenever the list may have
  running: boolean;
  times: 'shown' | 'hidden';
  label: string;
}

const gapWorthTelling = 1500;

export function Steps({ list, running, times, label }: StepsProps) {
  const { steps, usage } = list;
  return (
    <ol class="steps" aria-label={label} aria-busy={running}>
      {steps.map((step, index) => {
        const gap = step.from - (steps[index - 1]?.to ?? 0);
        return (
          <li key={index} class={`step ${step.kind} ${'state' in step ? step.state : ''}`}>
            {times === 'shown' && (
              <div class="step-time">
                <span>{duration(step.from)}</span>
                {gap > gapWorthTelling && <small title="since what came before">+{duration(gap)}</small>}
              </div>
            )}
            <div class="step-body"><StepBody step={step} grown={sizeOf(step)} open={running && index === steps.length - 1} /></div>
          </li>
        );
      })}
      {running && steps.length === 0 && <li class="step waiting"><div class="step-body soft">Waiting for the first token …</div></li>}
      {usage && (
        <li class="step usage">
          {times === 'shown' && <div class="step-time" />}
          <div class="step-body soft">
            {count(usage.fresh_input + (usage.cache_read ?? 0) + (usage.cache_write ?? 0))} tokens in
            {usage.cache_read ? ` (${count(usage.cache_read)} from a cache)` : ''}, {count(usage.output)} out
            {usage.reasoning ? ` (${count(usage.reasoning)} of reasoning)` : ''}
          </div>
        </li>
      )}
    </ol>
  );
}

// A step is changed in place: its size says whether it must be drawn again.
const sizeOf = (step: Step): string => {
  if ('text' in step) return `${step.text.length}`;
  if (step.kind === 'call') return `${step.arguments.length}${step.done}`;
  return step.kind === 'tool' ? `${step.state}${step.result?.length}` : '';
};

interface BodyProps {
  step: Step;
  grown: string;
  open: boolean;
}

class StepBody extends Component<BodyProps> {
  shouldComponentUpdate(next: BodyProps) {
    return next.step !== this.props.step || next.grown !== this.props.grown || next.open !== this.props.open;
  }
  render({ step, open }: BodyProps) {
    return bodyOf(step, open);
  }
}

function bodyOf(step: Step, open: boolean) {
  switch (step.kind) {
    case 'text':
      return <div class="said">{step.text}</div>;
    case 'reasoning':
      return (
        <details open={open || step.text.length < 400}>
          <summary>Reasoning <small class="soft">{duration(step.to - step.from)}</small></summary>
          <div class="said thought">{step.text}</div>
        </details>
      );
    case 'refusal':
      return <div class="said bad-text">{step.text}</div>;
    case 'call':
      return (
        <>
          <p class="step-title"><strong>{step.name}</strong> <small class="soft">a tool of the client’s{step.done ? '' : ' …'}</small></p>
          <pre class="code">{step.done ? pretty(step.arguments) : step.arguments}</pre>
        </>
      );
    case 'tool':
      return (
        <>
          <p class="step-title">
            <strong>{step.name}</strong>{' '}
            <small class={step.state === 'failed' ? 'bad-text' : 'soft'}>
              {step.state}{step.to > step.from ? `, ${duration(step.to - step.from)}` : ''}
            </small>
          </p>
          {step.arguments && <pre class="code">{pretty(step.arguments)}</pre>}
          {step.result !== undefined && (
            <details open={step.result.length < 400}>
              <summary>{step.state === 'failed' ? 'Why it failed' : 'Result'}</summary>
              <pre class="code">{pretty(step.result)}</pre>
            </details>
          )}
        </>
      );
    case 'source':
      return <SourceBody citation={step.citation} />;
    case 'finish':
      return <p class="step-title soft">Finished: {words(step.reason)}{step.native && step.native !== step.reason ? ` (${step.native})` : ''}</p>;
    case 'error':
      return (
        <div class="bad-text" role="alert">
          <strong>{words(step.code)}</strong>
          {step.message && <p>{step.message}</p>}
        </div>
      );
  }
}

function SourceBody({ citation }: { citation: Citation }) {
  const { url, title, cited_text: quotation } = citation;
  const isLink = /^https?:\/\//.test(url ?? '');
  return (
    <p class="step-title soft">
      Source: {isLink ? <a href={url} rel="noreferrer noopener" target="_blank">{title || url}</a> : title || url || quotation || citation.kind}
    </p>
  );
}
