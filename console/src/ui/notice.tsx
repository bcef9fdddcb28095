// Something to tell: what is wrong and what to do, or what went well.

import type { ComponentChildren } from 'preact';

import type { ApiError } from '../api/http';

interface NoticeProps {
  kind: 'bad' | 'warn' | 'good' | 'info';
  title?: string;
  children?: ComponentChildren;
}

export function Notice({ kind, title, children }: NoticeProps) {
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' ? 'alert' : 'status'}>
      {title && <strong>{title}</strong>}
      {children && <div>{children}</div>}
    </div>
  );
}

function cureFor(error: ApiError): ComponentChildren {
  if (error.status === 0)
    return 'Is it running, and is this page still connected to its network? It is asked again by itself.';
  if (error.status === 401) return 'Sign in with the admin token.';
  if (error.code === 'store_unavailable')
    return (
      <>
        Chat requests are still answered, and kept in the journal until the store is back. Check that the database of{' '}
        <code>store</code> in the config runs and can be reached, and that its disk is not full; the gateway’s log says why
        it failed.
      </>
    );
  if (error.status === 403)
    return (
      <>
        Open the console on the gateway’s own machine (<code>http://127.0.0.1:…</code>), or set <code>admin.token</code> in the
        config and sign in with it.
      </>
    );
  return undefined;
}

interface ProblemProps {
  error: ApiError | undefined;
  what?: string; // what could not be shown or done
  retry?: (() => void) | undefined;
}

export function Problem({ error, what, retry }: ProblemProps) {
  if (!error) return null;
  const cure = cureFor(error);
  return (
    <Notice kind="bad" title={what}>
      <p>{error.message}</p>
      {cure && <p>{cure}</p>}
      {retry && <button type="button" onClick={retry}>Try again</button>}
    </Notice>
  );
}

export const Loading = ({ what = 'Loading …' }: { what?: string }) => (
  <p class="loading" role="status">{what}</p>
);
