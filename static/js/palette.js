// The palette: Cmd or Ctrl and K, from everywhere. Arrows move along what was found, Enter goes there.
"use strict";

(() => {
  const dialog = document.getElementById("palette");
  if (!dialog) return;
  const field = dialog.querySelector("input[type=search]");
  const hits = () => [...dialog.querySelectorAll("a[data-hit]")];

  function open() {
    const other = document.querySelector("dialog[open]");
    if (other && other !== dialog) other.close();
    if (!dialog.open) dialog.showModal();
    field.value = "";
    field.focus();
    htmx.trigger(field, "opened");
  }

  document.addEventListener("assay:palette", open);
  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-open-palette]");
    if (!opener || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });

  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });

  dialog.addEventListener("keydown", (event) => {
    const all = hits();
    const at = all.indexOf(document.activeElement);
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const next = at + (event.key === "ArrowDown" ? 1 : -1);
      (next < 0 ? field : all[Math.min(next, all.length - 1)] || field).focus();
    } else if (event.key === "Enter" && event.target === field && all.length) {
      event.preventDefault();
      all[0].click();
    }
  });
})();
