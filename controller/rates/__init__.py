"""How often the table's own senses err, measured night by night from what they see anyway."""
