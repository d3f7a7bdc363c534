"""Whether the machine under the table, and what hangs on it, is fit for a night."""
