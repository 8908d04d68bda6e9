// The way to the server and back.

let source = null;

/** Follow the changes as `person` sees them; the browser reconnects and gets everything anew. */
export function follow(person, onChange, onState) {
  source?.close();
  source = new EventSource(`/live?person=${encodeURIComponent(person)}`);
  source.onmessage = (event) => {
    onState(true);
    onChange(JSON.parse(event.data));
  };
  source.onerror = () => onState(false);
}

/** {ok, error?, ...}; never throws: being offline is an answer as well. */
export async function act(what, body) {
  try {
    const headers = { "Content-Type": "application/json", "X-Practice": "1" };
    const answer = await fetch(`/do/${what}`, { method: "POST", headers, body: JSON.stringify(body) });
    return await answer.json();
  } catch {
    return { ok: false, error: "offline" };
  }
}

export async function upload(person, file) {
  const query = new URLSearchParams({ person, name: file.name });
  try {
    const answer = await fetch(`/do/upload?${query}`, {
      method: "POST",
      headers: { "X-Practice": "1", "Content-Type": "application/octet-stream" },
      body: file,
    });
    return await answer.json();
  } catch {
    return { ok: false, error: "offline" };
  }
}
