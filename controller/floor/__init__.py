"""The floor's word to the table, over a local socket."""
