import { useEffect, useRef, useState } from 'preact/hooks';

import { signIn } from '../api/endpoints';
import { asApiError, type ApiError } from '../api/http';
import type { Session } from '../api/types';
import { Field } from '../ui/field';
import { Notice } from '../ui/notice';

interface SignInProps {
  wasOver: boolean;
  onSignedIn: (session: Session) => void;
}

export function SignInPage({ wasOver, onSignedIn }: SignInProps) {
  const [token, setToken] = useState('');
  const [error, setError] = useState<ApiError>();
  const [running, setRunning] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = 'Sign in · Runnel';
    input.current?.focus();
  }, []);

  const submit = async (event: Event) => {
    event.preventDefault();
    setRunning(true);
    try {
      onSignedIn(await signIn(token.trim()));
    } catch (problem) {
      setError(asApiError(problem));
      setRunning(false);
      input.current?.select();
    }
  };
  return (
    <main class="alone">
      <h1>Runnel</h1>
      {wasOver && !error && <Notice kind="warn" title="Your session is over.">Sign in again to go on where you were.</Notice>}
      {error && (
        <Notice kind="bad" title="Not signed in.">
          {error.status === 401 ? 'This is not the admin token.' : error.message}
        </Notice>
      )}
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <Field label="Admin token" hint={<>The value of <code>admin.token</code> in the gateway’s config. It is not kept in this browser.</>}>
          {(attributes) => (
            <input
              {...attributes} ref={input} type="password" required autoComplete="current-password" value={token}
              onInput={(event) => setToken(event.currentTarget.value)}
            />
          )}
        </Field>
        <button class="main" disabled={running}>Sign in</button>
      </form>
    </main>
  );
}

// There is no token to sign in with: a link is needed.
export function ByLinkPage({ wasOver }: { wasOver: boolean }) {
  useEffect(() => {
    document.title = 'Sign in · Runnel';
  }, []);
  return (
    <main class="alone">
      <h1>Runnel</h1>
      <Notice kind="warn" title={wasOver ? 'Your session is over.' : 'The console opens with a link.'}>
        <p>
          This gateway has no admin token. On its own machine, as the user that it runs as, <code>runnel admin-link</code> prints a
          link that opens the console, once and within ten minutes; <code>runnel serve</code> prints one when it starts at a terminal.
        </p>
        <p>
          To sign in with a token, set <code>{'admin: {token: "${RUNNEL_ADMIN_TOKEN}"}'}</code> in its config, and restart or reload it.
        </p>
      </Notice>
    </main>
  );
}
