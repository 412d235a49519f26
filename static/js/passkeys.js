// Passkeys: asks the browser for one, puts its answer into the form and sends that.
"use strict";

(() => {
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const named = (list) => (list || []).map((one) => ({ ...one, id: bytes(one.id) }));

  function plain(credential) {
    const given = credential.response;
    const response = { clientDataJSON: text(given.clientDataJSON) };
    for (const name of ["attestationObject", "authenticatorData", "signature", "userHandle"]) {
      if (given[name]) response[name] = text(given[name]);
    }
    if (given.getTransports) response.transports = given.getTransports();
    return {
      type: credential.type, id: credential.id, rawId: text(credential.rawId), response,
      authenticatorAttachment: credential.authenticatorAttachment,
      clientExtensionResults: credential.getClientExtensionResults(),
    };
  }

  async function create(form) {
    const { publicKey } = JSON.parse(form.dataset.options);
    publicKey.challenge = bytes(publicKey.challenge);
    publicKey.user.id = bytes(publicKey.user.id);
    publicKey.excludeCredentials = named(publicKey.excludeCredentials);
    if (form.elements.passwordless.checked) {
      Object.assign(publicKey.authenticatorSelection, { residentKey: "required", requireResidentKey: true, userVerification: "required" });
    }
    return navigator.credentials.create({ publicKey });
  }

  async function get(form) {
    let options = form.dataset.options && JSON.parse(form.dataset.options);
    if (form.dataset.passkey === "sign-in") {
      const answer = await fetch(form.action, { headers: { Accept: "application/json" } });
      if (!answer.ok) throw new Error("The server cannot be reached. Try again in a moment.");
      options = (await answer.json()).request_options;
    }
    const { publicKey } = options;
    publicKey.challenge = bytes(publicKey.challenge);
    publicKey.allowCredentials = named(publicKey.allowCredentials);
    return navigator.credentials.get({ publicKey });
  }

  function inWords(fault) {
    if (fault.name === "NotAllowedError") return "Nothing was shown in time, or it was called off. Try again.";
    if (fault.name === "InvalidStateError") return "This device holds a passkey of this account already.";
    if (fault.name === "SecurityError") return "Passkeys need the server's name in the address, not its number.";
    return fault.message;
  }

  for (const form of document.querySelectorAll("form[data-passkey]")) {
    if (!window.PublicKeyCredential) continue;
    form.hidden = false;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const said = form.querySelector("[data-passkey-error]");
      said.hidden = true;
      try {
        const credential = await (form.dataset.passkey === "create" ? create(form) : get(form));
        form.elements.credential.value = JSON.stringify(plain(credential));
        form.submit();
      } catch (fault) {
        said.textContent = inWords(fault);
        said.hidden = false;
      }
    });
  }
})();
