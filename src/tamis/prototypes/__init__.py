"""Row selectors, one a file."""
