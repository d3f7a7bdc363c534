"""Table hardware on the Raspberry Pi's own lines: keys, chair and dealer button switches."""
