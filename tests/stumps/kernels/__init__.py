"""One test file for each kernel file of the stumps: a failure names the phase."""
