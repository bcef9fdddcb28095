// A stream as the steps that its reader is told of, whatever its dialect: thoughts, texts, states
// of the gateway's tools, the finish. Neighbouring pieces of text are one step.

export function stepsOf(frames) {
  const steps = [];
  for (const frame of frames) {
    for (const step of stepsIn(frame)) {
      const last = steps.at(-1);
      const joined = ['thought', 'text'].find((kind) => kind in step && last && kind in last);
      if (joined && last.interim === step.interim) last[joined] += step[joined];
      else steps.push(step);
    }
  }
  return steps;
}

function* stepsIn(frame) {
  if (frame.servertool) {
    const { name, id, state, result, error } = frame.servertool;
    yield { tool: name, id, state, result, error };
  } else if (frame.type === 'tool_start') {
    yield { tool: frame.tool, id: frame.call_id, state: 'Running' };
  } else if (frame.type === 'tool_trace') {
    const { tool, call_id: id, ok, result, error } = frame;
    yield { tool, id, state: ok ? 'Completed' : 'Failed', result, error };
  } else if (frame.type === 'agent_text') {
    yield { text: frame.content, interim: true };
  } else {
    for (const { delta, finish_reason } of frame.choices) {
      const thought = delta.reasoning ?? delta.reasoning_content;
      if (thought) yield { thought };
      if (delta.content) yield { text: delta.content };
      if (delta.tool_calls) yield { calls: delta.tool_calls };
      if (finish_reason) yield { finish: finish_reason };
    }
  }
}
