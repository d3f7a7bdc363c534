"""How the network that reads cards is made: `make model`. No running table imports it."""
