"""Column selectors (feature selection and ranking), one per file."""
