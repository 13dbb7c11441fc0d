/** An older list is read again. */
const FRESH_MS = 300;

type Choice<T> = {
  read: () => Promise<T[]>;
  isWanted: (each: T) => boolean;
  /** Of the first so many that are wanted, one is taken at random. */
  most: number;
};

type Known<T> = { list: T[]; at: number; wasEmpty: boolean };

/** Lists that were read moments ago. With `took`, a list is read again as soon as its last entry is taken. */
export function ttlCache<T>(now: () => Date, took?: (each: T) => void) {
  const known = new Map<string, Known<T>>();
  const again = async (name: string, read: () => Promise<T[]>): Promise<Known<T>> => {
    const list = await read();
    const it = { list, at: now().getTime(), wasEmpty: list.length === 0 };
    known.set(name, it);
    return it;
  };
  const recent = async (name: string, read: () => Promise<T[]>) => {
    const it = known.get(name);
    return it && now().getTime() - it.at < FRESH_MS ? it : again(name, read);
  };
  /** Takes an entry out. A list that has no more to take is read again. */
  const take = async (name: string, { read, isWanted, most }: Choice<T>) => {
    let { list, wasEmpty } = await recent(name, read);
    const isUsedUp = took === undefined ? list.length === 0 : wasEmpty;
    if (!isUsedUp && !list.some(isWanted)) ({ list, wasEmpty } = await again(name, read));
    const choice = list.filter(isWanted).slice(0, most);
    const chosen = choice[Math.floor(Math.random() * choice.length)];
    if (chosen === undefined) return undefined;
    took?.(chosen);
    list.splice(list.indexOf(chosen), 1);
    return chosen;
  };
  return { of: async (name: string, read: () => Promise<T[]>) => (await recent(name, read)).list, take };
}
