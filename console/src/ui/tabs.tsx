import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';

export interface Tab {
  id: string;
  title: string;
  content: () => ComponentChildren;
}

interface TabsProps {
  label: string;
  tabs: readonly Tab[];
  chosen: string;
  onChoose: (id: string) => void;
}

// Arrow keys go from tab to tab, as in every tab list.
export function Tabs({ label, tabs, chosen, onChoose }: TabsProps) {
  const prefix = useId();
  const list = useRef<HTMLDivElement>(null);
  const at = Math.max(0, tabs.findIndex((tab) => tab.id === chosen));
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const to = event.key === 'Home' ? 0 : event.key === 'End' ? tabs.length - 1 : step && (at + step + tabs.length) % tabs.length;
    const tab = to === undefined ? undefined : tabs[to];
    if (!tab) return;
    event.preventDefault();
    onChoose(tab.id);
    (list.current?.children[to as number] as HTMLElement).focus();
  };
  const open = tabs[at];
  return (
    <div class="tabs">
      <div class="tab-list" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {tabs.map((tab, index) => (
          <button
            key={tab.id} type="button" role="tab" id={`${prefix}-${tab.id}`} aria-selected={index === at}
            aria-controls={`${prefix}-panel`} tabIndex={index === at ? 0 : -1} onClick={() => onChoose(tab.id)}
          >
            {tab.title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${prefix}-panel`} aria-labelledby={`${prefix}-${open?.id}`} tabIndex={0} key={open?.id}>
        {open?.content()}
      </div>
    </div>
  );
}
