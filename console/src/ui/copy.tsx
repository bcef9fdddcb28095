import { useEffect, useState } from 'preact/hooks';

interface CopyProps {
  text: string | (() => string);
  label?: string;
  class?: string;
}

// Says that it has copied, also to a screen reader: the button's own name changes.
export function Copy({ text, label = 'Copy', class: className = '' }: CopyProps) {
  const [state, setState] = useState<'idle' | 'done' | 'failed'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), 2000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => setState((await copied(typeof text === 'string' ? text : text())) ? 'done' : 'failed');
  const said = { idle: label, done: 'Copied', failed: 'Not allowed: select and copy' }[state];
  return (
    <button type="button" class={`small ${className}`} onClick={() => void copy()} aria-live="polite">
      {said}
    </button>
  );
}

// The clipboard's own interface is there with HTTPS and on localhost only; the old way works elsewhere too.
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'off-screen';
    (document.querySelector('dialog[open]') ?? document.body).append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}
