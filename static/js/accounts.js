// What is shown once is easy to take along; a form that makes something is sent once.
"use strict";

(() => {
  for (const field of document.querySelectorAll("[data-select-all]")) {
    field.addEventListener("focus", () => field.select());
  }
  for (const form of document.querySelectorAll("form[data-once]")) {
    form.addEventListener("submit", () => setTimeout(() => { form.querySelector("button").disabled = true; }));
  }
})();
