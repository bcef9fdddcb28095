// The stream as its client saw it, or would have in another dialect or API.

import { useState } from 'preact/hooks';

import { logFrames } from '../api/endpoints';
import type { ApiError } from '../api/http';
import { type FrameDialect, frameDialects } from '../stream/dialects';
import { framesOfText } from '../stream/sse';
import { Copy } from '../ui/copy';
import { SelectField } from '../ui/field';
import { FrameList } from '../ui/frames';
import { Loading, Problem } from '../ui/notice';
import { useQuery } from '../use-query';
import { NotKept } from './request-not-kept';

interface FramesProps {
  id: string;
  dialect: string;
  kept: boolean;
  missing: ApiError | undefined;
}

export function Frames({ id, dialect: own, kept, missing }: FramesProps) {
  const [dialect, setDialect] = useState<FrameDialect>(frameDialects.find((name) => name === own.replace('gemini-array', 'gemini')) ?? 'openai');
  if (!kept) return <NotKept error={missing} />;
  return (
    <>
      <div class="toolbar">
        <SelectField
          label="Dialect" value={dialect} onChange={setDialect}
          options={frameDialects.map((name) => [name, name === own ? `${name} (the client’s)` : name] as const)}
        />
        <p class="soft small-print">Written anew from the timeline that was kept.</p>
      </div>
      <FramesIn id={id} dialect={dialect} key={dialect} />
    </>
  );
}

function FramesIn({ id, dialect }: { id: string; dialect: FrameDialect }) {
  const { data, error, reload } = useQuery((signal) => logFrames(id, dialect, signal), []);
  if (error) return <Problem error={error} what="The frames can’t be shown" retry={reload} />;
  if (data === undefined) return <Loading />;
  return (
    <>
      <Copy text={data} label="Copy the stream" />
      <FrameList frames={framesOfText(data)} label={`Frames in ${dialect}`} times="hidden" />
    </>
  );
}
