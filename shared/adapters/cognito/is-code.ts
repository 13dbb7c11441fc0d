/** Whether a text can be a code that Cognito mails. */
export const isCode = (text: string): boolean => /^\d{6}$/.test(text);
