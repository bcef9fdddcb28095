import { Link } from '../router';
import { Page } from '../ui/page';

export const NotFoundPage = ({ path }: { path: string }) => (
  <Page title="There is nothing here">
    <p>
      The console has no page at <code>{path}</code>. <Link to="/">Go to the overview</Link>, or look up a request by its id.
    </p>
  </Page>
);
