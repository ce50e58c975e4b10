"""Column selectors, one a file."""
