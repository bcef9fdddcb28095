import type { Key } from '../api/types';
import { asCurl } from '../stream/curl';
import { Copy } from '../ui/copy';
import { Dialog } from '../ui/dialog';

interface SecretOnceProps {
  title: string;
  made: Key;
  onClose: () => void;
}

// The one time that a secret is shown. Escape does not close this.
export function SecretOnce({ title, made, onClose }: SecretOnceProps) {
  const secret = made.key ?? '';
  const model = made.models.find((name) => !name.endsWith('*')) ?? 'demo/echo';
  const body = { model, stream: true, messages: [{ role: 'user', content: 'Hello there' }] };
  const command = asCurl({ origin: location.origin, body, needsKey: true }).replace('$RUNNEL_API_KEY', secret);
  return (
    <Dialog title={title} onClose={onClose} stays>
      <p>Copy it now: it is shown this once, and only its hash is kept.</p>
      <p class="secret"><code data-secret>{secret}</code> <Copy text={secret} label="Copy the key" /></p>
      <h3>Try it</h3>
      <pre class="code">{command}</pre>
      <div class="actions">
        <button type="button" class="main" onClick={onClose}>I have copied it</button>
        <Copy text={command} label="Copy the command" />
      </div>
    </Dialog>
  );
}
