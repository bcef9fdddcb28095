// The tools that the scripts ask for, in the forms that the SDKs want them.

import { tool } from 'ai';
import { z } from 'zod';

export const weatherIn = (city) => `${city} has 7 degrees and rain`;
export const timeIn = (zone) => `it is 14:03 in ${zone}`;
export const nothing = 'nothing at all';

const implementations = {
  get_weather: ({ city }) => weatherIn(city),
  get_time: ({ zone }) => timeIn(zone),
  get_nothing: () => nothing,
};

export const runTool = (name, argumentsText) => implementations[name](JSON.parse(argumentsText));

const oneString = (field) => ({
  type: 'object',
  properties: { [field]: { type: 'string' } },
  required: [field],
  additionalProperties: false,
});

const declarations = [
  { name: 'get_weather', description: 'The weather in a city', parameters: oneString('city') },
  { name: 'get_time', description: 'The time in a zone', parameters: oneString('zone') },
  { name: 'get_nothing', description: 'Nothing', parameters: { type: 'object', properties: {} } },
];

export const openaiTools = declarations.map((declaration) => ({
  type: 'function',
  function: declaration,
}));

// For runTools of the openai package, which calls the functions by itself.
export const runnableTools = declarations.map((declaration) => ({
  type: 'function',
  function: { ...declaration, parse: JSON.parse, function: implementations[declaration.name] },
}));

const aiTool = (name, inputSchema) =>
  tool({
    description: name,
    inputSchema,
    execute: async (input) => implementations[name](input),
  });

export const aiTools = {
  get_weather: aiTool('get_weather', z.object({ city: z.string() })),
  get_time: aiTool('get_time', z.object({ zone: z.string() })),
  get_nothing: aiTool('get_nothing', z.object({})),
};
