/** An older list is read again. */
const FRESH_MS = 300;

type Choice<T> = {
  read: () => Promise<T[]>;
  isWanted: (each: T) => boolean;
  /** Of the first so many that are wanted, one is taken at random. */
  most: number;
};

/** Lists that were read moments ago. `took` hears of an entry before anybody else can take one. */
export function recentReads<T>(now: () => Date, took: (each: T) => void = () => undefined) {
  const known = new Map<string, { list: T[]; at: number }>();
  const again = async (name: string, read: () => Promise<T[]>) => {
    const list = await read();
    known.set(name, { list, at: now().getTime() });
    return list;
  };
  const of = async (name: string, read: () => Promise<T[]>) => {
    const { list, at } = known.get(name) ?? { list: [], at: -Infinity };
    return now().getTime() - at < FRESH_MS ? list : again(name, read);
  };
  /** Takes an entry out. A list that has none to take is read again. */
  const take = async (name: string, { read, isWanted, most }: Choice<T>) => {
    let listed = await of(name, read);
    if (listed.length > 0 && !listed.some(isWanted)) listed = await again(name, read);
    const choice = listed.filter(isWanted).slice(0, most);
    const chosen = choice[Math.floor(Math.random() * choice.length)];
    if (chosen === undefined) return undefined;
    took(chosen);
    listed.splice(listed.indexOf(chosen), 1);
    return chosen;
  };
  return { of, take };
}
