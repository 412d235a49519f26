// The theme switch without a page load. Without this script its buttons post a form and the page comes back.
"use strict";

document.documentElement.classList.add("scripted");

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-themes] button");
  if (!button) return;
  event.preventDefault();
  document.documentElement.dataset.theme = button.value;
  document.cookie = `theme=${button.value}; path=/; max-age=31536000; samesite=lax`;
  for (const one of button.form.querySelectorAll("button")) {
    one.setAttribute("aria-pressed", String(one === button));
  }
});
