"""LED boards and lamps that hang straight on the Raspberry Pi."""
