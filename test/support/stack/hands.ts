import type { ElementHandle, Page } from 'puppeteer-core';
import { NAME, tabTo } from './reader.ts';

/** What people do on a page, by the names that they read or hear. */
export type Hands = {
  /** Types into a field, in place of what it holds. */
  fill: (field: RegExp, text: string) => Promise<void>;
  /** Chooses an option of a list by the text it begins with. */
  choose: (list: RegExp, option: string) => Promise<void>;
  /** Ticks a box, or opens what is folded. */
  press: (name: RegExp) => Promise<void>;
  /** Uses a link or a button that leads to another page. */
  follow: (name: RegExp) => Promise<void>;
};

/** Somebody who has no mouse. */
export function keyboardOf(page: Page): Hands {
  const { keyboard } = page;
  return {
    fill: async (field, text) => {
      await tabTo(page, field);
      await keyboard.down('Control');
      await keyboard.press('a');
      await keyboard.up('Control');
      await keyboard.type(text);
    },
    choose: async (list, option) => {
      await tabTo(page, list);
      await keyboard.type(option);
    },
    press: async (name) => {
      await tabTo(page, name);
      await keyboard.press('Space');
    },
    follow: async (name) => {
      await tabTo(page, name);
      await Promise.all([page.waitForNavigation(), keyboard.press('Enter')]);
    },
  };
}

/** Somebody with a mouse, whose browser may run no script. */
export function mouseOf(page: Page): Hands {
  return {
    fill: async (field, text) => {
      await (await find(page, field)).click({ count: 3 });
      await page.keyboard.type(text);
    },
    choose: async (list, option) => {
      await (await find(page, list)).focus();
      await page.keyboard.type(option);
    },
    press: async (name) => (await find(page, name)).click(),
    follow: async (name) => {
      await unfold(page);
      const found = await find(page, name);
      await Promise.all([page.waitForNavigation(), found.click()]);
    },
  };
}

/** Opens the menu of a narrow window, whose links have no text while it is folded. */
const unfold = (page: Page) =>
  page.evaluate(`(() => {
    const summary = document.querySelector('.menu:not([open]) > summary');
    if (summary?.checkVisibility()) summary.click();
  })()`);

async function find(page: Page, name: RegExp): Promise<ElementHandle> {
  const elements = `[...document.querySelectorAll('a, button, input, select, summary')]`;
  const found = await page.evaluateHandle(`${elements}.find((it) => ${String(name)}.test((${NAME})(it)))`);
  const element = found.asElement() as ElementHandle | null;
  if (element === null) throw new Error(`Nothing is called ${String(name)}.`);
  return element;
}
