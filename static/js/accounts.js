// What is shown once is easy to take along.
"use strict";

(() => {
  for (const field of document.querySelectorAll("[data-select-all]")) {
    field.addEventListener("focus", () => field.select());
  }
})();
