// A form is sent once, however often its button is pressed. The server holds to that as well, without script.
"use strict";

(() => {
  const FORGOTTEN = 10_000; // milliseconds: who stopped a slow page by hand may send again

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.getAttribute("method") !== "post") return; // htmx disables its buttons
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = "1";
    setTimeout(() => { delete form.dataset.sent; }, FORGOTTEN);
  });

  addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form[data-sent]")) delete form.dataset.sent;
  });
})();
