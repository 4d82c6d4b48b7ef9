// Copies what a button names, where scripts run; without them the text can be selected by hand.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  navigator.clipboard.writeText(source.textContent).then(() => {
    const status = document.getElementById("status");
    if (status) status.textContent = "Copied.";
  });
});
document.documentElement.classList.add("scripts");
