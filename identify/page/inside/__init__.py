"""What the page asks of the engine, as one function from JSON to JSON; runs inside the browser."""
