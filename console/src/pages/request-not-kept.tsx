import type { ApiError } from '../api/http';
import { Link } from '../router';
import { Notice, Problem } from '../ui/notice';

// In place of what was said, where nobody wrote it down.
export function NotKept({ error }: { error: ApiError | undefined }) {
  if (error && error.status !== 404) return <Problem error={error} what="What was said can’t be shown" />;
  return (
    <Notice kind="info" title="What was said in this request was not kept.">
      <p>
        By default only facts are logged, never messages. To see the timelines of coming requests, switch on “Keep what is said” for
        their <Link to="/keys">key</Link>, or <code>logs.content</code> in the config.
      </p>
    </Notice>
  );
}
