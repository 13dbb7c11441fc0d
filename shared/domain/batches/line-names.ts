/** The fields that identify a request in its results. */
export type LineNames = { url?: string; customId?: string };

export function namesOf({ url, custom_id: customId }: Readonly<Record<string, unknown>>): LineNames {
  return { ...(typeof url === 'string' && { url }), ...(typeof customId === 'string' && { customId }) };
}

/** The names in the text of a line; none if it is no request. */
export function namesIn(text = ''): LineNames {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null ? namesOf(json as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
