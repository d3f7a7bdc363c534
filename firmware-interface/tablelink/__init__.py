"""The link between the controller and the microcontroller under the table, as PROTOCOL.md has it.
No ports, no clock: bytes and times come in, bytes and events go out."""
