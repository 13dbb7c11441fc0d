/** Longer messages say something. */
const MAX_LENGTH = 200;
/** As text, of Engine.IO, MQTT (in base64) and SignalR: https://socket.io/docs/v4/engine-io-protocol/ */
const SAYS_SO = /\b(ping|pong|heart[-_]?beat|keep[-_]?alive|ka|hb|noop)\b|^[23]$|^(wAA|0AA)=$|^\{"type":6\}/i;

/** A message that only keeps its connection open. */
export const saysHeartbeat = (data: string): boolean => data.length <= MAX_LENGTH && SAYS_SO.test(data);

/** Two messages of the same shape differ in numbers alone. */
export const shapeOf = (data: string): string => data.slice(0, MAX_LENGTH).replace(/[\da-f]{6,}|\d+/gi, '0');
