"""How the network that reads cards is made: `make model`. Nothing of the running table imports it."""
