for (const button of document.querySelectorAll('.copy')) {
  // Browsers offer the clipboard to secure origins only.
  button.hidden = !navigator.clipboard;
  const label = button.textContent;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector('code').textContent);
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = label), 2_000);
  });
}

for (const time of document.querySelectorAll('time[datetime]')) {
  const timeStyle = { minute: 'short', second: 'medium' }[time.dataset.detail];
  const options = timeStyle ? { timeStyle } : {};
  time.title = time.textContent;
  time.textContent = new Date(time.dateTime).toLocaleString(undefined, { dateStyle: 'medium', ...options });
}

// The code of an invitation follows the #, which reaches no server, and is removed from the address at once.
const invitation = document.querySelector('[name="invitation"]');
if (invitation && location.hash.length > 1) {
  invitation.value = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
}

// Polls for some minutes until the first call has arrived. A reload shows the same.
const [EVERY_MS, TIMES] = [5_000, 60];
const state = document.querySelector('[data-arrival]');

async function askForArrival(left) {
  if (left === 0) return;
  // A page in the background waits, and polls no more often than others when it is visible again.
  const answer = document.hidden ? undefined : await fetch(state.dataset.arrival).catch(() => undefined);
  if (answer?.ok && !answer.redirected && (await answer.json()).arrived) {
    state.textContent = state.dataset.arrived;
    state.classList.add('done');
  } else setTimeout(askForArrival, EVERY_MS, left - 1);
}

if (state) setTimeout(askForArrival, EVERY_MS, TIMES);
