import type { Frame } from '../stream/sse';

interface FrameListProps {
  frames: readonly Frame[];
  label: string;
  times: 'shown' | 'hidden';
}

// Long streams show their end: a browser slows down with many thousands of lines.
const shownMax = 2000;

export function FrameList({ frames, label, times }: FrameListProps) {
  const left = Math.max(0, frames.length - shownMax);
  return (
    <div class="frames" role="region" aria-label={label} tabIndex={0}>
      {left > 0 && <p class="soft">The first {left} of {frames.length} frames are left out.</p>}
      <ol start={left + 1}>
        {frames.slice(left).map((frame, index) => (
          <li key={left + index} class={frame.data === undefined ? 'soft' : ''}>
            {times === 'shown' && <span class="frame-time">{Math.round(frame.ms)}</span>}
            <code>{frame.raw}</code>
          </li>
        ))}
      </ol>
    </div>
  );
}
