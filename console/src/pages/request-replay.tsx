// A finished answer: all of it at once, or again as it came, with its real timing.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { LogContent } from '../api/types';
import { duration } from '../format';
import { StepList, stepsOf } from '../stream/steps';
import { SelectField } from '../ui/field';
import { Notice } from '../ui/notice';
import { Steps } from '../ui/steps';

type Answer = NonNullable<LogContent['answer']>;

const speeds = [['0.25', '¼ ×'], ['1', '1 ×'], ['4', '4 ×'], ['20', '20 ×']] as const;
type Speed = (typeof speeds)[number][0];

// The steps as they were `now` ms after the beginning. Forwards it only adds; backwards it begins again.
function useStepsAt(answer: Answer, now: number): StepList {
  const state = useRef({ list: new StepList(), next: 0 });
  return useMemo(() => {
    const { events } = answer;
    const before = events[state.current.next - 1];
    if (before && before.ms > now) state.current = { list: new StepList(), next: 0 };
    const { current } = state;
    while (current.next < events.length && events[current.next]!.ms <= now) current.list.add(events[current.next++]!);
    return current.list;
  }, [answer, now]);
}

export function Replay({ answer }: { answer: Answer }) {
  const whole = useMemo(() => stepsOf(answer.events), [answer]);
  const end = answer.events.at(-1)?.ms ?? 0;
  const [now, setNow] = useState<number>(); // none: everything is shown
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<Speed>('1');
  const soFar = useStepsAt(answer, now ?? -1);

  useEffect(() => {
    if (!playing) return;
    let request = 0;
    let last = performance.now();
    const tick = (at: number) => {
      const passed = (at - last) * Number(speed);
      last = at;
      setNow((before) => Math.min(end, (before ?? 0) + passed));
      request = requestAnimationFrame(tick);
    };
    request = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(request);
  }, [playing, speed, end]);
  useEffect(() => {
    if (playing && now === end) setPlaying(false);
  }, [now]);

  const play = () => {
    if (!playing && (now === undefined || now === end)) setNow(0);
    setPlaying(!playing);
  };
  const label = playing ? 'Pause' : now === undefined ? 'Play with real timing' : now === end ? 'Play again' : 'Go on';
  return (
    <>
      <div class="toolbar replay">
        <button type="button" onClick={play}>{label}</button>
        <SelectField label="Speed" value={speed} options={speeds} onChange={setSpeed} />
        <label class="seek">
          <span>{duration(now ?? end)} of {duration(end)}</span>
          <input
            type="range" min={0} max={end} step={1} value={now ?? end} aria-valuetext={duration(now ?? end)}
            onInput={(event) => setNow(Number(event.currentTarget.value))}
          />
        </label>
        {now !== undefined && <button type="button" class="quiet" onClick={() => { setPlaying(false); setNow(undefined); }}>Show all</button>}
      </div>
      {answer.truncated && (
        <Notice kind="info">The answer was longer than what is kept: there is a gap before its end.</Notice>
      )}
      <Steps list={now === undefined ? whole : soFar} stamp={now ?? end} running={playing} times="shown" label="Timeline of the answer" />
    </>
  );
}
