"""Questions whose answer is a function or a list, one module each."""
