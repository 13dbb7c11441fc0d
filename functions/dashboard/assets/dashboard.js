for (const button of document.querySelectorAll('.copy')) {
  // Browsers give the clipboard to secure origins only.
  button.hidden = !navigator.clipboard;
  const label = button.textContent;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector('code').textContent);
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = label), 2_000);
  });
}

for (const time of document.querySelectorAll('time[datetime]')) {
  const options = time.dataset.detail === 'day' ? {} : { timeStyle: 'short' };
  time.title = time.textContent;
  time.textContent = new Date(time.dateTime).toLocaleString(undefined, { dateStyle: 'medium', ...options });
}

// The code of an invitation stands after the #, which reaches no server, and leaves the address at once.
const invitation = document.querySelector('[name="invitation"]');
if (invitation && location.hash.length > 1) {
  invitation.value = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
}
