"""Row selectors (instance selection, undersampling), one per file."""
