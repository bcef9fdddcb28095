import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  title: string;
  onClose: () => void;
  stays?: boolean; // Escape does not close it: what it shows is shown once
  children: ComponentChildren;
}

// The browser keeps the focus inside, and gives it back.
export function Dialog({ title, onClose, stays = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    dialog.current?.showModal();
    // Not on the cross, where the browser would begin.
    dialog.current?.querySelector<HTMLElement>('.dialog-head ~ * :is(input, select, textarea, button)')?.focus();
  }, []);
  const cancel = (event: Event) => {
    event.preventDefault();
    if (!stays) onClose();
  };
  return (
    <dialog ref={dialog} aria-labelledby={heading} onCancel={cancel}>
      <div class="dialog-head">
        <h2 id={heading}>{title}</h2>
        {!stays && <button type="button" class="quiet" aria-label="Close" onClick={onClose}>✕</button>}
      </div>
      {children}
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  action: string;
  running: boolean;
  onConfirm: () => void;
  onClose: () => void;
  children: ComponentChildren;
}

export function Confirm({ title, action, running, onConfirm, onClose, children }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <div class="actions">
        <button type="button" class="danger" disabled={running} onClick={onConfirm}>{action}</button>
        <button type="button" onClick={onClose}>Cancel</button>
      </div>
    </Dialog>
  );
}
