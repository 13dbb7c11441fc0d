/**
 * The mail with a code. Cognito's codes are valid for an hour or a day, but the visit of the browser that
 * requested the code ends after an hour.
 */
export const CODE_MAIL = {
  subject: 'Your Sitefetch code',
  text: (code: string) =>
    `Your code for Sitefetch is ${code}. Enter it within an hour, and only on the page of Sitefetch where you requested it. If you did not request it, ignore this mail: without the code nobody gets an account or a new password.`,
} as const;
