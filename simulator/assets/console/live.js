// A stream of events that rests while nobody sees the page. Browsers have six connections to a server for all tabs
// together: seven lists that are open would else leave none for anything.
class RestingSource {
  constructor(url) {
    this.url = url;
    this.listeners = [];
    this.closed = false;
    this.look = () => (document.hidden ? this.rest() : this.wake());
    document.addEventListener("visibilitychange", this.look);
    this.look();
  }
  get readyState() {
    if (this.closed) return EventSource.CLOSED;
    return this.source ? this.source.readyState : EventSource.CONNECTING;
  }
  wake() {
    if (this.source || this.closed) return;
    this.source = new EventSource(this.url);
    this.source.onopen = (event) => this.onopen?.(event);
    this.source.onerror = (event) => {
      // It does not come back by itself: whoever made this one makes another.
      if (this.source?.readyState === EventSource.CLOSED) this.close();
      this.onerror?.(event);
    };
    for (const [name, listener] of this.listeners) this.source.addEventListener(name, listener);
  }
  rest() {
    this.source?.close();
    this.source = null;
  }
  addEventListener(name, listener) {
    this.listeners.push([name, listener]);
    this.source?.addEventListener(name, listener);
  }
  removeEventListener(name, listener) {
    this.listeners = this.listeners.filter((known) => known[0] !== name || known[1] !== listener);
    this.source?.removeEventListener(name, listener);
  }
  close() {
    this.closed = true;
    this.rest();
    document.removeEventListener("visibilitychange", this.look);
  }
}
htmx.createEventSource = (url) => new RestingSource(url);
